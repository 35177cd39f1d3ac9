"""Where sentences end: not at what makes a word short, nor at marks in brackets in the midst of one."""

from __future__ import annotations

import time

import pytest

from engramma.language.sentences import TEXT_RULES, TURN_RULES, sentences

BOTH = (TEXT_RULES, TURN_RULES)


def cut(text, rules):
    return [text[start:end] for start, end in sentences(text, rules)]


@pytest.mark.parametrize("rules", BOTH)
@pytest.mark.parametrize(
    "text",
    [
        "i've looked at 2: Bryn Awelon in Criccieth (£1,180 a week!!) and Hafan Deg in Tywyn (£965)",
        "we tried (twice! and in the rain) to reach it",
        "The key is with Mrs Griffiths at no. 9, not with Gethin",
        "Ring tel. 01341 280 or tel. +44 1341",
        "It takes approx. 5 minutes and costs approx. £30",
        "We met at St. Mary's for Dolgellau vs. Barmouth on Nov. 9",
        "Die Wohnung Nr. 9 hat ca. 80 m²",
        "flour, eggs etc. for the cake",
    ],
)
def test_a_sentence_goes_on_after_short_words_and_after_brackets(text, rules):
    assert cut(text, rules) == [text]


@pytest.mark.parametrize("rules", BOTH)
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("We left (at last!) Then it rained.", ["We left (at last!)", "Then it rained."]),
        ("So sad! :( It rained! Nice :)", ["So sad!", ":( It rained!", "Nice :)"]),
        ("We saw the sea. 9 days later we left.", ["We saw the sea.", "9 days later we left."]),
        ("他来了。我们走了。", ["他来了。", "我们走了。"]),
    ],
)
def test_other_stops_end_one(text, parts, rules):
    assert cut(text, rules) == parts


def test_of_a_turn_a_small_letter_begins_a_sentence_after_a_face_or_a_bracket_that_nothing_opened():
    assert cut("Привет!) как дела?", TURN_RULES) == ["Привет!)", "как дела?"]
    assert cut("so sad :( it rained! and then sun :)", TURN_RULES) == ["so sad :( it rained!", "and then sun :)"]
    assert cut("he said no. i left.", TURN_RULES) == ["he said no.", "i left."]


def test_many_brackets_are_read_in_time():
    assert len(cut("(a! " * 20_000, TURN_RULES)) == 20_000


@pytest.mark.parametrize("rules", [TEXT_RULES, TURN_RULES])
@pytest.mark.parametrize("unit", [".", "?!", "…", ".)", "!"])
def test_a_long_run_of_stops_is_gone_through_once(rules, unit):
    """In proportion to its length: where each of the stops looked at all behind it, this took more than a minute."""
    begun = time.process_time()
    sentences(f"Ana moved to Rome {unit * 50_000}Z", rules)
    assert time.process_time() - begun < 10
