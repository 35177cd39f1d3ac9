"""In a chat with an assistant, of what fits equally the latest session of a conversation comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from engramma import Memory, Turn
from engramma.core.windows import Near
from engramma.recall.going_on import LATELY, by_lateness, by_leading_conversation
from engramma.recall.recipes import EVIDENCE

START = datetime(2024, 3, 1, 12, tzinfo=UTC)


def near(sessions, said_at, conversations, is_exchange=True):
    count = len(sessions)
    columns = (range(count), sessions, range(count), range(count), said_at, [is_exchange] * count, conversations)
    return Near(*(np.array(list(column)) for column in columns))


def test_each_conversation_counts_its_exchanges_from_the_last():
    seen = near([1, 1, 2, 3, 4], [10, 11, 30, 20, 5], [0, 0, 0, 0, 1])
    later = np.array([3, 2, 0, 1, 0])
    assert by_lateness(seen, np.arange(5))["latest"].tolist() == (LATELY / (LATELY + later)).tolist()


def test_each_conversation_counts_its_sessions_from_the_last_even_if_they_overlap():
    seen = near([1, 1, 2, 3, 4], [10, 25, 30, 20, 5], [0, 0, 0, 0, 1])
    assert by_lateness(seen, np.arange(5))["sessions_since"].tolist() == np.log1p([1, 1, 0, 2, 0]).tolist()


def test_between_people_what_was_said_last_is_no_better():
    seen, rows = near([1, 2], [1, 2], [0, 0], is_exchange=False), np.arange(2)
    assert {name: value.tolist() for name, value in by_lateness(seen, rows).items()} == {
        "latest": [0.0, 0.0],
        "sessions_since": [0.0, 0.0],
    }
    assert by_leading_conversation(seen, rows, np.array([1.0, 2.0])).tolist() == [0.0, 0.0]


def test_a_conversation_has_the_share_of_the_evidence_that_its_exchanges_have():
    seen = near([1, 2, 3], [1, 2, 3], [0, 1, 0])
    shares = by_leading_conversation(seen, np.arange(3), np.array([2.0, 2.0, 2.0]))
    assert np.allclose(shares, [2 / 3, 1 / 3, 2 / 3])
    assert np.allclose(by_leading_conversation(seen, np.arange(3), np.array([9e9, 0.0, 0.0])), [1.0, 0.0, 1.0])


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


def test_a_message_goes_on_in_the_conversation_that_most_of_what_fits_is_of(tmp_path):
    said = [
        "For the garden we planned raised beds along the south wall.",
        "The raised beds of the garden need forty bags of soil.",
        "We chose tomatoes and beans for the raised beds.",
        "Soil for the garden comes on Friday, and the beds are built.",
    ]
    with Memory.open(tmp_path) as memory:
        for day, text in enumerate(said):
            exchange(memory, "garden", day, text, "Noted for the garden.")
        exchange(memory, "family", 9, "My sister ordered soil and plants too.", "Nice.")
        found = memory.recall("I have the soil and the plants now, so let us go on.", k=5).entries
        shares = {one.session_id: one.evidence.get("its_conversation", 0.0) for one in found}
        assert shares["garden 0"] == shares["garden 3"] > 0.9 * EVIDENCE["its_conversation"]
        assert shares["family 9"] < 0.1 * EVIDENCE["its_conversation"]
        asked = memory.recall("What did my sister order?", k=5).entries
        assert asked[0].conversation_id == "family" and "its_conversation" not in asked[0].evidence


def exchange(memory, conversation, day, message, answer):
    at = START + timedelta(days=day)
    turns = [Turn("user", message, at), Turn("assistant", answer, at + timedelta(minutes=1))]
    memory.remember_session(conversation, f"{conversation} {day}", turns)


@pytest.mark.long
def test_a_long_conversation_does_not_lead_by_its_length_alone(tmp_path):
    """A diary of runs, and one exchange elsewhere that has what the message asks for."""
    with Memory.open(tmp_path) as memory:
        for week in range(12):
            for day in range(6):
                said = f"Week {week + 1}, day {day + 1}: I ran {4 + (week * 3 + day) % 13} km and felt fine."
                exchange(memory, "running", 7 * week + day, said, f"Good. Next run: {5 + (week + day) % 9} km.")
        told = "The physiotherapist says my knee needs rest and ice, twice a day."
        exchange(memory, "doctor", 3, told, "Then rest it, and use ice twice a day.")
        found = memory.recall("My knee hurts after my long run of 14 km. What did the physiotherapist say?", k=3)
        assert "doctor" in [one.conversation_id for one in found.entries]
