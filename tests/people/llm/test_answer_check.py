"""A sentence stands if its turns say so: quotations, names, numbers, dates and enough of its words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.people.llm.answer_check import asked_words, said_words, why_unsupported, with_verbatim_quotes
from engramma.records.people import Evidence

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # a Monday
TRAIN = Evidence(
    "c", "s", "t1", "Ana", AT, "We booked the night train to Vienna yesterday, it's 1,200 crowns for two. I can’t wait!"
)
CAKE = Evidence("c", "s", "t2", "Ben", AT, "I baked a lemon cake for my neighbours in Graz.", "Sunday lunch")
QUESTION = "What did Ana and Ben book for March?"


def why(sentence: str, *turns: Evidence, question: str = QUESTION, named: tuple[str, ...] = ("Ana", "Ben")) -> str:
    text = with_verbatim_quotes(sentence, turns)
    if text is None:
        return "quotation"
    return why_unsupported(text, said_words(turns), asked_words(question, named)) or ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Ana booked the night train to Vienna.",
        "Ana booked it for 2 people on 4 January 2026.",
        "Ana booked the train on Sunday, 4 January.",
        "The train costs 1200 crowns.",
        'Ana said "we booked the night train to Vienna".',
        "Ana said: “We booked the night train … for two.”",
        'She said, "I can\'t wait."',
        "I booked the night train.",
        "Booked: the night train to Vienna.",
        "Ana said so on 2026-01-05.",
    ],
)
def test_what_a_turn_says_or_comes_to_is_supported(sentence):
    assert why(sentence, TRAIN) == ""


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Ben booked the night train to Vienna.", "names Ben"),  # asked about, but not in the turn
        ("Sarah booked the night train.", "names Sarah"),
        ("Ana booked the night train to Prague.", "names Prague"),
        ("Ana booked the night train with Quux Zorblax.", "names Quux, Zorblax"),
        ("Ana booked the train on 6 March 2026.", "names March"),
        ("Ana booked the train on 7 January 2026.", "number 7"),
        ("Ana booked three trains.", "number three"),
        ("The train costs 1300 crowns.", "number 1300"),
        ("The train leaves at 7:42.", "number 7:42"),
        ("Ana never booked the night train.", ""),  # "can't": the turn denies something
        ("Purple elephants dance on moonlit mushrooms.", "too few"),
        ('Ana said "we booked the morning train".', "quotation"),
        ('Ana said "we booked the night bus.', "quotation"),
        ("Ana said «I hate trains».", "quotation"),
        ("Ana said “Vienna … booked in Rome”.", "quotation"),
    ],
)
def test_what_no_turn_says_is_not(sentence, reason):
    assert reason in why(sentence, TRAIN)


def test_a_denial_needs_one_in_the_turn():
    assert "denies" in why("Ben did not bake a lemon cake.", CAKE)
    assert why("Ben baked a lemon cake in Graz.", CAKE) == ""


def test_the_name_of_the_conversation_counts_and_a_second_turn_adds_its_words():
    assert why("Ben baked a cake for the Sunday lunch.", CAKE) == ""
    assert "Vienna" in why("Ben baked a lemon cake for Vienna.", CAKE)
    assert why("Ana booked a train to Vienna and Ben baked a cake.", TRAIN, CAKE) == ""


def test_a_quotation_is_shown_as_it_was_said():
    made = with_verbatim_quotes('She said "WE BOOKED the night  train".', [TRAIN])
    assert made == 'She said "We booked the night train".'
    assert with_verbatim_quotes("No quotation here.", [TRAIN]) == "No quotation here."


def test_a_long_turn_is_looked_through():
    words = " ".join(f"filler{n}" for n in range(900))
    long = Evidence("c", "s", "t3", "Ana", AT, f"{words} The dentist is called Okafor.")
    assert why("The dentist is called Okafor.", long) == ""
