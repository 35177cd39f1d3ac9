"""Silence: plain tasks bring back no talk, while keywords, other languages, phrases and identifiers still do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.recall.silence import is_plain_english

SAID = datetime(2024, 3, 1, 12, tzinfo=UTC)
TALK = [
    "My daughter's piano is still on the stairs because nobody can lift it.",
    "We spent the whole weekend at the lake and grilled trout every evening.",
    "Ticket TKT-4471 is about the broken boiler in the cellar.",
    "Meine Schwester wohnt seit dem Sommer in Lissabon und lernt Portugiesisch.",
    "I used to change the default ringtone on every phone I owned.",
    "The dentist says that my wisdom teeth have to come out before Easter.",
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("silence")) as memory:
        for number in range(60):
            text = TALK[number] if number < len(TALK) else f"Nothing special on day {number}, only rain and soup again."
            memory.remember_session(f"c{number}", f"s{number}", [Turn("Ann", text, SAID)])
        yield memory


@pytest.mark.parametrize(
    "task",
    ["Change the default port to 8090", "Delete the unused imports", "Refactor this class into smaller functions"],
)
def test_a_task_for_a_coding_assistant_brings_back_no_talk(memory, task):
    assert memory.recall(task, k=3).candidates == ()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("Where did we spend the weekend?", "lake"),
        ("piano on the stairs", "piano"),
        ("What was TKT-4471 about?", "TKT-4471"),
        ("Wo wohnt meine Schwester?", "Lissabon"),
        ("boiler cellar", "boiler"),
    ],
)
def test_what_was_said_is_still_found(memory, asked, words):
    assert words in memory.recall(asked, k=3).candidates[0].text


def test_english_is_told_by_its_function_words():
    assert is_plain_english("Revert the last commit")
    assert not is_plain_english("Wo wohnt meine Schwester?")
    assert not is_plain_english("kubernetes ERR_4711")
