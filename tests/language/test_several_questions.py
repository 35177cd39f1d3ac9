"""A query that asks several things is told from one that tells something and then asks."""

from __future__ import annotations

import pytest

from engramma.language.several_questions import split_questions


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Where does Ana work? And when is the spring concert?", 2),
        ("上司是做什么工作的呢？另外，论坛的地点是什么？", 2),
        ("Where does Ana work?", 0),
        ("Where does Ana work? And when?", 0),  # the second is not understood alone
        ("I am back from the lake. Where were we? What is the next step?", 0),
        ("What is the plan? Write it down.", 0),
        ("Who? " * 50, 0),
        ("", 0),
    ],
)
def test_only_questions_that_stand_alone_are_asked_one_by_one(text, parts):
    found = split_questions(text)
    assert len(found) == parts
    assert all(one in text for one in found)
