"""The time between two events: counted from dates that were said, or left open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.people.answers.event_gap import count_units

START = datetime(2024, 3, 4, 18, 0, tzinfo=UTC)
SAID = (
    (0, "I planted the runner beans in the garden today, finally!"),
    (70, "I picked the runner beans in the garden this morning, a whole bowl."),
    (14, "I ordered a blue suit online yesterday."),
    (34, "My sister's wedding was yesterday, we danced until three."),
    (20, "The plumber repaired the boiler yesterday."),
    (27, "The plumber repaired the boiler today, once more."),
    (40, "I started to sing in January 2024."),
    (41, "I remember the day I adopted Milo so well."),
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("gap") / "memory") as memory:
        for number, (days, text) in enumerate(SAID):
            at = START + timedelta(days=days)
            turns = [Turn("user", text, at), Turn("assistant", "That was on 1 January, I think.", at)]
            memory.remember_session(f"chat {number}", f"s{number}", turns)
        yield memory


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many days passed between the day I planted the runner beans and the day I picked them?", "70 days"),
        ("How many weeks passed between the day I planted the runner beans and the day I picked them?", "10 weeks"),
        ("How many days before my sister's wedding did I order the blue suit?", "20 days"),
        ("How many weeks before my sister's wedding did I order the blue suit?", "about 3 weeks"),
    ],
)
def test_days_between_two_dated_events_are_counted(memory, question, short):
    answer = memory.ask(question)
    assert (answer.verdict, answer.short, answer.text) == ("answered", short, short)
    assert len(answer.evidence) == 2 and answer.evidence[0].said_at < answer.evidence[1].said_at
    assert answer.quote in answer.evidence[0].text


@pytest.mark.parametrize(
    "question",
    [
        "How many days passed between the repair of the boiler and my sister's wedding?",  # repaired twice
        "How many days passed between my sister's wedding and my brother's graduation?",  # never said
        "How many days after my sister's wedding did I order the blue suit?",  # it was before
        "How many days passed between the day I started to sing and my sister's wedding?",  # in a month, not on a day
        "How many days passed between the day I adopted Milo and my sister's wedding?",  # only remembered
    ],
)
def test_what_is_not_clearly_dated_is_left_open(memory, question):
    assert memory.ask(question).abstained


@pytest.mark.parametrize(
    ("days", "unit", "text"),
    [
        (1, "", "1 day"),
        (7, "week", "1 week"),
        (17, "week", "about 2 weeks"),
        (61, "month", "2 months"),
        (3, "year", "3 days"),
    ],
)
def test_days_are_told_in_the_unit_that_was_asked_for(days, unit, text):
    assert count_units(days, unit) == text
