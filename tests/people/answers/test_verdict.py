"""The verdict: what makes it surer, and where it cuts."""

from __future__ import annotations

import pytest

from engramma.people.answers.verdict import (
    ANSWERED,
    DOUBTED,
    IN_CHAT,
    IN_TALK,
    KNOWN,
    KNOWN_OTHERWISE,
    LEAST_KNOWN,
    LEAST_KNOWN_OTHERWISE,
    SHOWN,
    confidence,
    doubted,
    judge,
    known,
)
from engramma.people.questions.question_form import form_of

LOW = {"about": 0.2, "near": 3.0, "missing": 0.9, "told": -6.0, "relevance": -6.0, "null": 8.0, "recalled": -3.0}
LOW |= {"lead": -1.0, "share": 0.1, "unsaid": 0.9, "own": 0.1, "shapeless": 1.0}
HIGH = {"about": 1.0, "near": 9.0, "missing": 0.0, "told": 4.0, "relevance": 4.0, "null": -8.0, "recalled": 3.0}
HIGH |= {"lead": 5.0, "share": 1.0, "unsaid": 0.0, "own": 1.0, "shapeless": 0.0}
LOW_OTHERWISE, HIGH_OTHERWISE = LOW | {"others": 6.0, "changed": 4.0}, HIGH | {"others": -6.0, "changed": 0.0}
PLAIN = form_of("What is the name of my cat?")


@pytest.mark.parametrize("name", [name for name in IN_CHAT if IN_CHAT[name]])
def test_every_measure_of_a_chat_counts_in_its_direction(name):
    more = {**LOW, name: LOW[name] + 0.1}
    assert (confidence(more, True) > confidence(LOW, True)) is (IN_CHAT[name] > 0)


@pytest.mark.parametrize("name", list(IN_TALK))
def test_every_measure_of_talk_counts_in_its_direction(name):
    more = {**LOW, name: LOW[name] + 0.1}
    assert (confidence(more, False) > confidence(LOW, False)) is (IN_TALK[name] > 0)


@pytest.mark.parametrize("name", list(KNOWN))
def test_what_is_about_the_person_is_known(name):
    more = {**LOW, name: LOW[name] + 0.1}
    assert (known(more) > known(LOW)) is (KNOWN[name] > 0)
    assert known(LOW) < LEAST_KNOWN < known(HIGH)


@pytest.mark.parametrize("name", ["about", "told", "others", "lead", "recalled", "changed", "missing"])
def test_what_is_answered_better_for_others_is_less_known_of_the_person(name):
    more = {**LOW_OTHERWISE, name: LOW_OTHERWISE[name] + 0.1}
    counts = KNOWN_OTHERWISE.get(name, KNOWN_OTHERWISE["gained"])
    assert (known(more) > known(LOW_OTHERWISE)) is (counts > 0)
    assert known(LOW_OTHERWISE) < LEAST_KNOWN_OTHERWISE < known(HIGH_OTHERWISE)


def test_a_chats_quote_is_answered_shown_or_left_out_by_its_confidence():
    assert judge(PLAIN, HIGH, ANSWERED, False) == "answered"
    assert judge(PLAIN, HIGH, ANSWERED - 0.01, False) == "unsure"
    assert judge(PLAIN, HIGH, SHOWN - 0.01, False) == "not known"


def test_talk_is_answered_where_it_is_known_of_the_person():
    assert judge(PLAIN, HIGH, DOUBTED, True) == "answered"
    assert judge(PLAIN, HIGH, DOUBTED - 0.01, True) == "unsure"
    assert judge(PLAIN, LOW, 0.9, True) == "not known"


def test_of_a_person_of_whom_the_reader_tells_it_a_doubtful_quote_is_a_guess():
    assert judge(PLAIN, HIGH_OTHERWISE, DOUBTED - 0.01, True) == "answered"
    assert judge(PLAIN, LOW_OTHERWISE, 0.9, True) == "not known"
    assert doubted(0.9, HIGH_OTHERWISE, False, False, False) == ("answered", 0.9)
    assert doubted(0.9, HIGH_OTHERWISE, False, True, False) == ("answered", DOUBTED)
    assert doubted(0.9, HIGH_OTHERWISE, False, False, True) == ("answered", DOUBTED)
    assert doubted(0.9, HIGH_OTHERWISE | {"shapeless": 1.0}, False, False, False) == ("answered", DOUBTED)
    assert doubted(0.9, HIGH_OTHERWISE, True, False, False) == ("unsure", 0.9)
    assert doubted(0.9, LOW_OTHERWISE, False, True, False) == ("unsure", 0.9)


def test_what_has_to_be_worked_out_is_never_answered():
    total = form_of("How much did I spend in total?")
    assert judge(total, HIGH, 0.99, True) == "unsure"
    assert judge(total, HIGH, 0.99, False) == "unsure"
