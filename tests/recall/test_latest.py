"""In a chat with an assistant, of what fits equally the latest session of a conversation comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from engramma import Memory, Turn
from engramma.core.windows import Near
from engramma.recall.evidence import LATELY, by_lateness

START = datetime(2024, 3, 1, 12, tzinfo=UTC)


def near(sessions, said_at, conversations, is_exchange=True):
    count = len(sessions)
    columns = (range(count), sessions, range(count), range(count), said_at, [is_exchange] * count, conversations)
    return Near(*(np.array(list(column)) for column in columns))


def test_each_conversation_counts_its_exchanges_from_the_last():
    seen = near([1, 1, 2, 3, 4], [10, 11, 30, 20, 5], [0, 0, 0, 0, 1])
    later = np.array([3, 2, 0, 1, 0])
    assert by_lateness(seen, np.arange(5)).tolist() == (LATELY / (LATELY + later)).tolist()


def test_between_people_what_was_said_last_is_no_better():
    assert by_lateness(near([1, 2], [1, 2], [0, 0], is_exchange=False), np.arange(2)).tolist() == [0.0, 0.0]


def chat(memory, order):
    for day in order:
        turns = [
            Turn("user", "Here is the running plan for the marathon in autumn.", START + timedelta(days=day)),
            Turn("assistant", "Good, the running plan is noted.", START + timedelta(days=day, minutes=1)),
        ]
        memory.remember_session("training", f"day {day}", turns)


def test_a_message_that_goes_on_finds_the_latest_session_first_however_it_was_stored(tmp_path):
    for name, order in {"a": (0, 1, 2, 3), "b": (3, 1, 0, 2)}.items():
        with Memory.open(tmp_path / name) as memory:
            chat(memory, order)
            found = memory.recall("I am back. What is next in the running plan?", k=4)
            assert found.candidates[0].session_id == "day 3"
            assert found.candidates[0].evidence["latest"] > found.candidates[-1].evidence["latest"]
