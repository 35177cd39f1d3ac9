"""Titles and what is purged: a title made of purged words goes with them, and no later export brings it back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.forget.titles import repeats_text
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 5, 1, 10, tzinfo=UTC)
TITLE = "My biopsy with Doctor Heliotrope"
TALK = (
    Turn("user", "My biopsy with Doctor Heliotrope was on Tuesday.", START, "u1"),
    Turn("assistant", "I hope that it went well.", START + timedelta(minutes=1), "a1"),
    Turn("user", "Which wine goes with fish?", START + timedelta(minutes=2), "u2"),
)
LATER = Turn("user", "And with cheese?", START + timedelta(days=1), "u3")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        opened.remember_session("chat", "1", TALK, title=TITLE)
        yield opened


def titles(memory: Memory) -> list[str | None]:
    return [talk.title for talk in memory.conversations()]


def test_a_title_with_the_purged_words_does_not_come_back_with_what_was_said_since(memory):
    memory.purge(query="heliotrope")
    assert titles(memory) == [None]
    memory.remember_session("chat", "1", (*TALK, LATER), title=TITLE)
    memory.remember_session("chat", "2", [LATER], title=TITLE)
    memory.remember_session("a copy", "1", (*TALK, LATER), title=TITLE.upper())
    memory.remember_session("chat", "3", [LATER], title=f"kites: {TITLE}")
    assert titles(memory) == [None, None]


def test_a_title_made_of_a_purged_turn_goes_with_it_however_the_turn_was_chosen(memory):
    memory.purge(["u1"])
    assert titles(memory) == [None]
    memory.remember_session("chat", "2", [LATER], title=TITLE)
    assert titles(memory) == [None]


def test_the_title_of_a_conversation_that_was_purged_whole_does_not_come_back(memory):
    memory.remember_session("ideas", "1", [Turn("user", "A boat of paper.", START, "b1")], title="Ideas")
    memory.purge(conversation="ideas")
    memory.remember_session("ideas", "2", [Turn("user", "A kite.", START, "b2")], title="Ideas")
    memory.remember_session("others", "1", [Turn("user", "A drum.", START, "b3")], title="Ideas")
    assert {talk.id: talk.title for talk in memory.conversations()} == {"chat": TITLE, "ideas": None, "others": "Ideas"}


def test_a_title_of_other_words_stays(memory):
    memory.purge(["u2"])
    assert titles(memory) == [TITLE]


def test_forgetting_takes_no_title_away(memory):
    memory.undo(memory.forget(["u1"]).act)
    assert titles(memory) == [TITLE]


@pytest.mark.parametrize(
    ("title", "text", "repeats"),
    [
        ("My biopsy", "My  biopsy was on Tuesday.", True),
        ("My biop…", "My biopsy was on Tuesday.", True),
        ("Re: my biopsy was on Tuesday", "My biopsy was on", True),
        ("biopsy was on", "My biopsy was on Tuesday.", True),
        ("kites: My biopsy", "My biopsy was on Tuesday.", True),
        ("kites: Ideas", "My biopsy was on Tuesday.", False),
        ("Do", "Documents are due.", False),
        ("biopsy", "My biopsy was on Tuesday.", False),
        ("Ideas", "", False),
        ("…", "… and then", False),
    ],
)
def test_what_repeats_a_text(title, text, repeats):
    assert repeats_text(title, text) is repeats
