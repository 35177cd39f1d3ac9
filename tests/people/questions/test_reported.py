"""What somebody is asked to have said is said by them, or told as said by them."""

from __future__ import annotations

import pytest

from engramma.people.questions.reported import is_said_by, reports, who_is_to_say


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("What did Carol say about Ludlow?", ("carol",)),
        ("what does my sister think of the flat", ("sister",)),
        ("What did Dr Raman recommend?", ("dr", "raman")),
        ("What did you say about Ludlow?", ()),
        ("What did I tell Ben?", ()),
        ("What did the assistant suggest?", ()),
        ("What did Carol buy in Ludlow?", ()),
        ("When did Carol say it?", ()),
    ],
)
def test_who_is_asked_to_have_said_it(question, who):
    assert who_is_to_say(question) == who


def test_who_speaks_is_told_by_a_part_of_the_name():
    assert is_said_by(("carol",), "Carol Price")
    assert not is_said_by(("carol",), "Owen Price")


@pytest.mark.parametrize(
    ("sentence", "around", "told"),
    [
        ("Carol and I are moving to Ludlow", "", False),
        ("Carol says it rains in Ludlow", "", True),
        ("Told Carol about Ludlow.", "", False),
        ('she said "never"', "did you tell Carol about it", True),
        ('she said "never"', "did you tell him about it", False),
        ("According to Carol it rains there", "", True),
    ],
)
def test_a_sentence_reports_what_they_said(sentence, around, told):
    assert reports(("carol",), sentence, f"{around}\n{sentence}") is told
