"""A person as people read one: whom they are close to, and what is known in words, with days and titles."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.apps.mcp.facts import person_lines
from engramma.apps.person_page import person_page, person_page_lines
from engramma.apps.picture import Highlight, draw_graph
from engramma.people.reconcile.tools import get_conversation_context
from tests.commands import ran
from tests.conftest import talk

FIRST = "5c2f7c9e-0b4e-4f57-9a55-4ab2f0f0a001"  # as an export names a conversation


@pytest.fixture
def store(tmp_path):
    with Memory.open(tmp_path) as memory:
        chat = talk("user: I live in Lyon. I am allergic to hazelnuts.", "assistant: Noted.")
        memory.remember_session(FIRST, "s1", chat, title="Moving house")
        family = talk(
            "Nora Lindqvist: My daughter Maja started school. I love sailing.",
            "Erik Berg: My wife is Nora Lindqvist. Did Nora Lindqvist buy a boat?",
            day=3,
        )
        memory.remember_session("family", "s1", family, title="Family chat")
    return tmp_path


def shown(store, *arguments):
    return ran("--store", store, "person", *arguments)


def test_a_person_is_shown_in_words_with_day_and_title_and_without_ids(store):
    ran("--store", store, "me", "Nora Lindqvist")
    page = shown(store, "Nora Lindqvist").stdout
    assert page.startswith("Nora Lindqvist (you)\n")
    assert "close to    Erik Berg (partner), Maja (child)" in page or "close to    Maja (child), Erik Berg" in page
    assert "talks with  Erik Berg" in page
    facts = [line for line in page.splitlines() if line.startswith("  20")]
    assert any(line.endswith('lives in Lyon  "Moving house"') for line in facts)
    assert any('likes sailing  "Family chat"' in line for line in facts)
    assert FIRST not in page and "assistant" not in page and "user" not in page and "buy" not in page


def test_the_page_has_the_figures_of_the_list_beside_its_own(store):
    with Memory.open(store) as memory:
        memory.remember_session("work", "s1", talk("Nora Lindqvist: Are you there?", day=9, prefix="w"))
        (listed,) = [one for one in memory.people.all() if one.name == "Nora Lindqvist"]
    page = shown(store, "Nora Lindqvist").stdout.splitlines()
    assert page[1].endswith("from 1 conversation, told 2026-01-08")
    assert page[2] == f"{listed.claims} claims in all, speaks or is named in 2 conversations, 2026-01-08 to 2026-01-14"
    assert listed.conversations == 2 and f"{listed.last_said_at:%Y-%m-%d}" == "2026-01-14"


def test_the_page_says_how_to_see_more(store):
    ran("--store", store, "me", "Nora Lindqvist")
    told = shown(store, "me", "--limit", "1")
    assert told.stdout.count("\n  20") == 1
    assert (
        "not shown: mostly small talk; --all shows them" in told.stderr
        and "`engramma claims 'Nora Lindqvist'`" in told.stderr
    )


def test_the_page_leads_with_who_somebody_is_and_leaves_small_talk_to_who_asks_for_it(tmp_path):
    with Memory.open(tmp_path) as memory:
        lines = ("I work as a nurse in Leeds.", "I love sailing.", "I visited Porto.", "I got it for 5 bucks.")
        memory.remember_session("chat", "s1", talk(*(f"Ana: {line}" for line in lines)))
    page = shown(tmp_path, "Ana").stdout
    places = [
        page.index(words) for words in ("who they are", "works as a nurse", "likes and dislikes", "likes sailing")
    ]
    places += [page.index(words) for words in ("happened or planned", "visited Porto")]
    assert places == sorted(places) and "bucks" not in page
    everything = shown(tmp_path, "Ana", "--all").stdout
    assert "bucks" in everything and "known, the newest first" in everything


def test_where_nothing_is_worth_telling_all_is_told(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("chat", "s1", talk("Ana: I got it for 5 bucks."))
    assert "got it for 5 bucks" in shown(tmp_path, "Ana").stdout


def test_me_is_who_the_user_said_to_be(store):
    refused = shown(store, "me")
    assert refused.returncode == 1 and refused.stderr.rstrip().endswith("`engramma me NAME` does.")
    ran("--store", store, "me", "Nora Lindqvist")
    assert shown(store, "me").stdout == shown(store, "Nora Lindqvist").stdout
    assert json.loads(shown(store, "me", "--json").stdout)["name"] == "Nora Lindqvist"


def test_a_name_that_the_user_gave_in_talk_is_proposed_for_me(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("chat", "s1", talk("user: My name is Nora Lindqvist.", "assistant: Hello."))
    assert "`engramma me 'Nora Lindqvist'` says so" in shown(tmp_path, "me").stderr


def test_who_only_is_spoken_of_talks_with_nobody(store):
    page = shown(store, "Maja").stdout
    assert "close to    Nora Lindqvist (parent)" in page and "talks with" not in page
    assert "Nora Lindqvist said" in page


def test_json_keeps_its_fields(store):
    value = json.loads(shown(store, "Nora Lindqvist", "--json").stdout)
    assert list(value) == ["name", "conversations", "aspects", "facts", "timelines", "conflicts", "decisions"]


@pytest.fixture(params=["UTC", "America/New_York"])
def zone(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_days_are_those_of_the_readers_calendar(tmp_path, zone):
    day = "2026-05-02" if zone == "UTC" else "2026-05-01"
    with Memory.open(tmp_path) as memory:
        said = [
            Turn("Ana", "I live in Lyon.", said_at=datetime(2026, 5, 2, 1, 30, tzinfo=UTC)),
            Turn("Ana", "I moved to Oslo yesterday.", said_at=datetime(2026, 6, 2, 1, 30, tzinfo=UTC)),
        ]
        memory.remember_session("a", "s1", said[:1])
        memory.remember_session("a", "s2", said[1:])
        found = memory.people.get("Ana")
        assert found is not None
        first, second = found.timelines["home"]
        moved = "2026-06-01" if zone == "UTC" else "2026-05-31"
        assert (first.since_day, first.until_day, second.since_day) == (day, moved, moved)
        page = "\n".join(person_page_lines(person_page(memory, found), 10))
        assert f"{day}  lives in Lyon (until {moved})  a" in page


def test_days_that_models_and_pictures_are_told_are_the_same_ones(tmp_path, zone):
    day = "2026-05-02" if zone == "UTC" else "2026-05-01"
    with Memory.open(tmp_path) as memory:
        late = datetime(2026, 5, 2, 1, 30, tzinfo=UTC)
        memory.remember_session("a", "s1", [Turn("Ana", "I live in Lyon.", said_at=late)])
        told = "\n".join(person_lines(memory, "Ana", 1_000))
        assert f"> {day} to now: lives in Lyon" in told and told.count(day) == 3
        found = memory.people.get("Ana")
        assert found is not None
        said = get_conversation_context([found], "a", "ana_home")
        assert f'"{day}"' in json.dumps(said)
        picture = draw_graph(memory, [Highlight("Lyon?", memory.recall("Lyon").candidates)], title="x")
        assert f"<small>{day}</small>" in picture and f'"dates":[["{day}",' in picture


@pytest.mark.parametrize("name", ["Tom\nforged: line", "--json", "[red]Rita[/red]"])
def test_a_hostile_name_stays_on_its_line_and_is_no_option(tmp_path, name):
    with Memory.open(tmp_path) as memory:
        memory.remember_session(
            "a", "s1", [Turn(name, "I live in Oslo. I love sailing.", datetime(2026, 3, 2, tzinfo=UTC))]
        )
    page = shown(tmp_path, "--", name)
    assert "said" not in page.stdout  # it is theirs
    hint = page.stderr.splitlines()[0]
    assert hint.startswith("`engramma claims ") and hint.endswith(" a whole conversation.")
    assert "claims -- --json`" in hint or name != "--json"
    assert not [line for line in page.stderr.splitlines() if line.startswith("forged")]


def test_names_that_may_be_meant_stay_on_one_line(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = [Turn("Tomasz\nforged: line", "I live in Oslo.", datetime(2026, 3, 2, tzinfo=UTC))]
        memory.remember_session("a", "s1", said)
    assert "\nforged" not in shown(tmp_path, "Tomas").stderr
