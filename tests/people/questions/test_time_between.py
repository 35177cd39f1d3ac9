"""Which questions ask for the time between two events, and what the events are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.people.questions.time_between import TimeBetween, find_time_between


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        (
            "How many days passed between the day I planted the beans and the day I picked them?",
            TimeBetween("planted the beans", "picked the beans", "day"),
        ),
        (
            "How many weeks before my sister's wedding did I order the suit?",
            TimeBetween("my sister's wedding", "order the suit", "week", "other first"),
        ),
        ("How long after the flood did we move out?", TimeBetween("the flood", "move out", "", "one first")),
        (
            "How many months had passed since I left the choir when I joined the band?",
            TimeBetween("left the choir", "joined the band", "month", "one first"),
        ),
        (
            "How many days did it take me to get the parcel after I ordered it?",
            TimeBetween("ordered the parcel", "get the parcel", "day", "one first"),
        ),
        (
            "How many days ago did I fix the roof when I painted the door?",
            TimeBetween("fix the roof", "painted the door", "day", "one first"),
        ),
    ],
)
def test_the_two_events_are_found(question, wanted):
    assert find_time_between(question) == wanted


@pytest.mark.parametrize(
    "question",
    [
        "How long is my commute?",
        "How many days ago did I fix the roof?",
        "How many weeks have I been in the choir?",
        "What happened between the flood and the move?",
        "How long did it take me to build the shelf?",
        "Combien de jours entre la fête et le voyage ?",
        "How many days between the fair and the fair?",
        "",
    ],
)
def test_other_questions_have_no_two_events(question):
    assert find_time_between(question) is None


WORDS = ["how many days", "between", "and", "before", "did", "since", "when", "it", "after", "the party", "?", "I"]


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words_are_read(words):
    found = find_time_between(" ".join(words))
    assert found is None or (found.one and found.other)
