"""Of an exchange, a candidate names the turns that the question is after: the message, or the answer as well."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn

START = datetime(2024, 3, 1, 12, tzinfo=UTC)
MESSAGE = "I bought a kiln from Harriet in Ghent last week and want to fire my first bowls."
ANSWER = (
    "Congratulations! Let the bowls dry for a week. Stack the shelves with cones of number six, and open the damper "
    "before the first firing so that moisture can leave."
)


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path) as opened:
        opened.remember_session(
            "pottery",
            "first",
            [
                Turn("user", MESSAGE, START, "message"),
                Turn("assistant", ANSWER, START + timedelta(minutes=1), "answer"),
                Turn("user", "My sister Ida sings in a choir on Mondays.", START + timedelta(minutes=2), "choir"),
                Turn("assistant", "That sounds lovely.", START + timedelta(minutes=3), "lovely"),
            ],
        )
        yield opened


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where did I buy my kiln?", ("message",)),
        ("Who sold me the kiln?", ("message",)),
        ("What was said about cones of number six on the shelves and the damper?", ("message", "answer")),
        ("What did you recommend for my kiln?", ("message", "answer")),  # it asks for the answer
        ("Give me a summary of the kiln project", ("message", "answer")),
        ("Why should I open the damper so that moisture can leave?", ("message", "answer")),
        ("Which damper do I need to see to?", ("message", "answer")),  # of its words the message has none
        ("Where was the kiln from Harriet bought?", ("message", "answer")),  # somebody else may ask
    ],
)
def test_the_turns_that_a_question_is_after(memory: Memory, question: str, named: tuple[str, ...]) -> None:
    first = memory.recall(question, k=1).candidates[0]
    assert first.turn_ids == named
    assert MESSAGE in first.text
    assert ANSWER in first.text, "the whole exchange is there to be read"
    assert len(first.spoken) == 2


def test_where_no_word_tells_all_turns_are_named(memory: Memory) -> None:
    found = memory.recall("Töpferofen gekauft", k=1, recipe="vector")
    assert found.candidates[0].turn_ids == ("message", "answer")


def test_between_people_every_turn_is_named(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "talk") as memory:
        turns = [Turn("Ann", MESSAGE, START, "one"), Turn("Ben", ANSWER, START + timedelta(minutes=1), "two")]
        memory.remember_session("talk", "first", turns)
        found = memory.recall("Where did Ann buy her kiln?", k=2)
    assert {turn for one in found.entries for turn in one.turn_ids} == {"one", "two"}


def test_a_message_in_several_turns_is_named_whole(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "several") as memory:
        turns = [
            Turn("user", "I bought a kiln.", START, "a"),
            Turn("user", "It is from Harriet in Ghent.", START + timedelta(seconds=5), "b"),
            Turn("assistant", ANSWER, START + timedelta(minutes=1), "c"),
        ]
        memory.remember_session("pottery", "first", turns)
        named = [one.turn_ids for one in memory.recall("Is my kiln from Harriet in Ghent?", k=3).entries]
    assert "c" not in {turn for turns in named for turn in turns}
    assert {"a", "b"} <= {turn for turns in named for turn in turns}
