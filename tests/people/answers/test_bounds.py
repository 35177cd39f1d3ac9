"""A question's own time bounds what is quoted for it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people.answers.bounds import read_bounds

NOW = datetime(2026, 11, 19, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "text", "said_at", "is_so"),
    [
        ("What did I buy in May?", "Bought a tent.", datetime(2025, 5, 30, tzinfo=UTC), True),
        ("What did I buy in May?", "Bought a tent.", datetime(2025, 6, 20, tzinfo=UTC), True),
        ("What did I buy in May?", "Bought a tent.", datetime(2025, 9, 1, tzinfo=UTC), False),
        ("What did I buy in May?", "Bought a tent in May.", datetime(2025, 9, 1, tzinfo=UTC), True),
        ("What did I buy in May 2024?", "Bought a tent.", datetime(2025, 5, 30, tzinfo=UTC), False),
        ("Where was I in 2024?", "Last year I was in Rome.", datetime(2025, 5, 30, tzinfo=UTC), True),
        ("What did I buy yesterday?", "Bought a tent.", datetime(2026, 11, 18, 9, tzinfo=UTC), True),
        ("What did I buy yesterday?", "Bought a tent.", datetime(2026, 8, 18, 9, tzinfo=UTC), False),
        ("What did I buy?", "Bought a tent.", datetime(2020, 1, 1, tzinfo=UTC), True),
    ],
)
def test_a_time_that_is_asked_for(question, text, said_at, is_so):
    assert read_bounds(question, NOW).has_time_of(text, said_at) is is_so


def test_yesterday_is_the_day_before_the_last_that_something_was_said_on():
    then = datetime(2025, 5, 30, tzinfo=UTC)
    assert read_bounds("What did I buy yesterday?", then).has_time_of("Bought a tent.", then)


def test_of_two_visits_the_one_of_the_year_is_quoted(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = [
            Turn("James", "I visited Italy and Turkey as a child.", datetime(2022, 3, 1, tzinfo=UTC)),
            Turn("Ann", "Did you? And what else?", datetime(2022, 3, 1, 0, 1, tzinfo=UTC)),
            Turn("James", "In 2021 I visited Norway.", datetime(2022, 3, 1, 0, 2, tzinfo=UTC)),
        ]
        memory.remember_session("trips", "one", said)
        assert "Norway" in memory.ask("Which country did James visit in 2021?").quote
