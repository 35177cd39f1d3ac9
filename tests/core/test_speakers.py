"""After `me`, whoever asks for what the user said gets it under every name of the user, and nobody else's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from engramma import Memory, Turn
from tests.conftest import START

pytestmark = pytest.mark.on("postgres", "encrypted")

OWN = ("user", "You", "Annika")


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path / "store") as memory:
        chat = [Turn("user", "My dog barks at the postman.", START, "m1"), Turn("assistant", "Poor man!", START, "m2")]
        memory.remember_session("chat", "s1", chat)
        memory.remember_session("old chat", "s1", [Turn("You", "The dog is called Fiete.", START, "m3")])
        family = [Turn("Annika", "The dog ate my shoe.", START, "m4"), Turn("Jens", "The dog again?", START, "m5")]
        memory.remember_session("family", "s1", family)
        memory.remember("The dog weighs 34 kilos.")
        yield memory


@pytest.mark.parametrize("name", ["Annika", "annika", "user", "You"])
def test_every_name_of_the_user_means_the_user(memory: Memory, name: str) -> None:
    memory.people.me("Annika")
    assert set(memory.browse.spellings(name)) == set(OWN)
    said = {turn for one in memory.recall("dog", 20, speaker=name).candidates for turn in one.turn_ids}
    assert {"m1", "m3", "m4"} <= said and len(memory.browse.segments(speaker=name)) == 4
    assert memory.forget(speaker=name, preview=True).turns == memory.purge(speaker=name, preview=True).turns == 4
    assert memory.browse.session_page(speaker=name)[1] == 3  # a note is no talk
    assert [talk.conversation for talk in memory.browse.talks_of(name)]


def test_before_it_is_said_names_are_those_of_different_people(memory: Memory) -> None:
    assert memory.browse.spellings("Annika") == ["Annika"] and memory.browse.spellings("user") == ["user"]
    assert memory.forget(speaker="Annika", preview=True).turns == 1


def test_nobody_elses_words_are_taken_for_the_users(memory: Memory) -> None:
    made = memory.people.me("Annika")
    assert memory.browse.spellings("Jens") == ["Jens"] and memory.forget(speaker="Jens", preview=True).turns == 1
    assert memory.browse.spellings("assistant") == ["assistant"]
    assert made is not None and made.act is not None
    memory.undo(made.act)
    assert memory.browse.spellings("Annika") == ["Annika"]


def test_the_user_is_listed_once(memory: Memory) -> None:
    memory.people.me("Annika")
    assert [(one.name, one.turns) for one in memory.browse.people()] == [("Annika", 4), ("Jens", 1), ("assistant", 1)]
    assert memory.browse.speakers(10)[0] == {"name": "Annika", "turns": 4}


def test_a_name_under_which_the_user_never_spoke_finds_the_user(memory: Memory) -> None:
    memory.people.me("Wiebke Behrens")
    assert set(memory.browse.spellings("wiebke")) == {"Wiebke Behrens", "user", "You"}
    assert memory.forget(speaker="Wiebke Behrens", preview=True).turns == 3


def test_what_is_forgotten_of_the_user_can_be_purged_under_any_name(memory: Memory) -> None:
    memory.people.me("Annika")
    memory.forget(speaker="user")
    assert memory.purge(speaker="Annika").turns == 4
    assert [one.name for one in memory.browse.people()] == ["Jens", "assistant"]


def test_a_speaker_is_found_with_or_without_accents_before_those_whose_names_begin_so(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "accents") as memory:
        names = ["Óscar", "Óscar Peña", "Zoë"]
        memory.remember_session(
            "c", "s", [Turn(name, f"I have lived in Lisbon for {n} years.", START) for n, name in enumerate(names, 2)]
        )
        memory.people.all()
        assert memory.browse.spellings("oscar") == ["Óscar"]
        assert [memory.people.names_meant(typed) for typed in ("oscar", "zoe")] == [["Óscar"], ["Zoë"]]
        found = memory.recall("Who lives in Lisbon?", speaker="ZOE").candidates
        assert {one.speakers for one in found} == {("Zoë",)}


def test_names_that_differ_by_their_accents_alone_are_two_peoples_where_both_speak(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "two") as memory:
        memory.remember_session("c", "s", [Turn(name, "Hello there.", START) for name in ("Dung", "Dũng")])
        assert memory.browse.spellings("dung") == ["Dung"]
        assert memory.forget(speaker="DŨNG").turns == 1
        assert memory.browse.spellings("dũng") == ["Dung"]
