"""Who speaks of themself, who tells something, and who only hands out work."""

from __future__ import annotations

import pytest

from engramma.language.first_person import speaks_of_oneself, tells_of_oneself


@pytest.mark.parametrize(
    ("text", "speaks", "tells"),
    [
        ("I'm back online, we can go on with the setup.", True, True),
        ("Hello! I have sent the list. What's the next step?", True, True),
        ("The air conditioner broke. How do I pay for it, given my budget?", True, False),
        ("What's next for my study plan?", True, False),
        ("Can you list what I brought up about triangles, in order? Mention only nine items.", True, False),
        ("Did we settle that?)", True, False),
        ("Let’s see what we’ve got.", True, True),
        ("Why is this query slow? Show me the plan", False, False),
        ("Use i = 0 in the loop, then I/O", False, False),
        ("Centre the button", False, False),
        ("", False, False),
    ],
)
def test_talk_is_told_from_work_and_telling_from_asking(text, speaks, tells):
    assert (speaks_of_oneself(text), tells_of_oneself(text)) == (speaks, tells)


def test_a_long_paste_is_looked_at_only_at_its_beginning():
    assert not tells_of_oneself("x = 1\n" * 200_000 + "I am here.")
