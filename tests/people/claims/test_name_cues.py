"""What a name is, is told by the words beside it and by what everybody knows, not by its capital."""

from __future__ import annotations

import pytest

from engramma import Turn
from engramma.people.claims.name_cues import name_type, read_cues


def cues(*texts: str, role: str | None = None):
    return read_cues([Turn("somebody", text, role=role) for text in texts])


@pytest.mark.parametrize(
    ("text", "name", "type"),
    [
        ("I talked to Rachel about it.", "Rachel", "person"),
        ("My friend Zorah is coming.", "Zorah", "person"),
        ("Thanks, and then Zorah told me everything.", "Zorah", "person"),
        ("I read a book written by Zorah Quill.", "Zorah Quill", "person"),
        ("We saw Dr. Patel again.", "Dr. Patel", "person"),
        ("I ordered it on Amazon.", "Amazon", "thing"),
        ("You can use Mark on that page, or the Mark app.", "Mark", "thing"),
        ("I love Kate Spade. Kate Spade is a popular brand of bags.", "Kate Spade", "thing"),
        ("We flew to Portugal.", "Portugal", "place"),
        ("We hiked in Glacier National Park.", "Glacier National Park", "place"),
        ("She studies at Berklee College.", "Berklee College", "organisation"),
        ("**Salt**: use a pinch of salt.", "Salt", "unknown"),
        ("Toss the vegetables.", "Toss", "unknown"),
    ],
)
def test_a_name_is_what_is_said_of_it(text, name, type):
    assert name_type(name, cues(text)) == type


def test_a_given_name_that_only_an_assistant_says_is_not_enough():
    assert name_type("Tilda", cues("Try Tilda for that, or Tilda again.", role="assistant")) == "thing"
    assert name_type("Tilda", cues("Your friend Tilda may help.", role="assistant")) == "person"
    assert name_type("Tilda", cues("I saw Tilda again.", role="user")) == "person"
