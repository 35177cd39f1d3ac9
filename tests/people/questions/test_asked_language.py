"""The language of a question that tells none itself is that of the talk it is about; an English one stays English."""

from __future__ import annotations

import pytest

from engramma.people.questions.asked_language import language_asked_in, prevailing_language

GERMAN = ("Jens hat gestern im Garten gearbeitet", "wir sind morgen bei Mama", "ja genau", "das war nicht so gut")
ENGLISH = ("He was in the garden", "I will be there", "no idea")
NAMES = ("Jens", "Silke Behrens")


@pytest.mark.parametrize(
    "question",
    ["Raucht Jens?", "Was war letzte Woche?", "Hat Silke Kinder?", "Mag Ole Spinat?", "Was wiegt Fiete?", "Jens?"],
)
def test_what_a_question_leaves_open_the_talk_tells(question: str) -> None:
    assert language_asked_in(question, NAMES, GERMAN) == "de"
    assert language_asked_in(question, NAMES, ENGLISH) == ""


@pytest.mark.parametrize(
    "question", ["Does Jens smoke?", "Was Jens late?", "wifi password", "Will Silke come?", "Jens size?", "Rent?"]
)
def test_an_english_question_about_german_talk_stays_english(question: str) -> None:
    assert language_asked_in(question, NAMES, GERMAN) == ""


def test_a_question_that_tells_its_language_is_in_it() -> None:
    assert language_asked_in("¿Fuma Jens?", NAMES, GERMAN) == "es"
    assert language_asked_in("Wo wohnt Jens?", NAMES, ENGLISH) == "de"


def test_talk_in_which_no_language_prevails_tells_none() -> None:
    assert prevailing_language((*GERMAN, *ENGLISH, *ENGLISH)) == ""
    assert prevailing_language(("ok", "89 €", "haha")) == ""
    assert prevailing_language(()) == ""
