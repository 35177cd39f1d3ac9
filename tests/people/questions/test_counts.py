"""What a question counts, and how many of it a text tells."""

from __future__ import annotations

import pytest

from engramma.people.questions.counts import count_in, counted_thing


@pytest.mark.parametrize(
    ("question", "text", "count"),
    [
        ("How many jars have I filled so far?", "That makes nine jars of plum jam.", "nine"),
        ("How many lessons did Oona take?", "Oona had her 12th lesson today!", "12"),
        ("How many cycling tours have we done?", "a single weekend tour, no more", "one"),
        ("How many subscribers do I have?", "I went from 80 subscribers to 95 subscribers", ""),
        ("How many jars have I filled so far?", "a couple of jars", ""),
        ("How many jars have I filled so far?", "I paid $4 for jars", ""),
        ("How many times did I call?", "I called four times", ""),
        ("How many weeks did it take?", "It took three weeks", ""),
        ("How many tours have we done?", "I did 40 hours of tours", ""),
        ("How many shells did we find on the walk to Brora?", "We found 14 shells", ""),
        ("Who has many jars?", "nine jars", ""),
    ],
)
def test_counts(question: str, text: str, count: str) -> None:
    assert count_in(text, counted_thing(question)[0]) == count
