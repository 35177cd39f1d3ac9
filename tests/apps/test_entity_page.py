"""A thing or person as people read one: what is known in words, with days and titles, and what is named with it."""

from __future__ import annotations

import json

import pytest

from engramma import Memory
from tests.commands import ran
from tests.conftest import talk

FIRST = "5c2f7c9e-0b4e-4f57-9a55-4ab2f0f0a001"  # as an export names a conversation


@pytest.fixture
def store(tmp_path):
    with Memory.open(tmp_path) as memory:
        chat = talk("user: My cat is called Luna. Luna likes sardines.", "assistant: Sardines make Luna happy.")
        memory.remember_session(FIRST, "s1", chat, title="A new bed")
        later = talk("user: My cat Luna hates the vet. Does Luna like tuna?", "assistant: Many cats do.", day=3)
        memory.remember_session("vet", "s1", later, title="Vet visits")
    return tmp_path


def test_a_thing_is_shown_in_words_with_day_title_and_speaker_and_without_ids(store):
    page = ran("--store", store, "entity", "Luna").stdout
    assert page.startswith("Luna, pet of user\nnamed ")
    facts = [line for line in page.splitlines() if line.startswith("  20")]
    assert [line[2:12] for line in facts] == sorted((line[2:12] for line in facts), reverse=True)
    assert any(line.endswith('Luna likes sardines  "A new bed", user said') for line in facts)
    assert any(line.endswith('Luna dislikes vet  "Vet visits", user said') for line in facts)
    assert FIRST not in page and "tuna" not in page and "0." not in page


def test_the_users_name_stands_for_the_user(store):
    ran("--store", store, "me", "Nora Lindqvist")
    page = ran("--store", store, "entity", "Luna").stdout
    assert page.startswith("Luna, pet of Nora Lindqvist\n")
    assert "Nora Lindqvist said" in page and "user" not in page


def test_the_page_of_a_thing_says_how_to_see_more(store):
    told = ran("--store", store, "entity", "Luna", "--limit", "1")
    assert told.stdout.count("\n  20") == 1
    assert "not shown; --limit" in told.stderr and "`engramma claims Luna`" in told.stderr


def test_json_and_unknown_names_are_as_before(store):
    found = json.loads(ran("--store", store, "--json", "entity", "Luna").stdout)
    assert found["entity"]["name"] == "Luna" and found["facts"][0]["claims"]
    nobody = ran("--store", store, "entity", "Nobody")
    assert nobody.returncode == 1 and "Nothing is known of 'Nobody' by itself." in nobody.stderr
