"""Malay, Azerbaijani and Galician beside the bigger languages that they are near to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.neighbours import neighbour_of
from engramma.language.question_language import question_language
from engramma.people.answers.wording import answer_language

QUESTIONS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("neighbour_questions.json").read_text(encoding="utf-8")
)
# Of fifteen each, in English; a question whose words the bigger language has as well cannot be told.
IN_ENGLISH = {"ms": 10, "az": 15, "gl": 14, "sw": 15}


@pytest.mark.parametrize("language", IN_ENGLISH)
def test_a_smaller_language_is_answered_in_english_not_in_its_neighbours(language: str):
    got = [answer_language(question) for question in QUESTIONS[language]]
    assert got.count("en") == IN_ENGLISH[language], dict(zip(QUESTIONS[language], got, strict=True))


@pytest.mark.parametrize("language", ["id", "tr", "pt", "es"])
def test_the_bigger_language_is_answered_in_itself(language: str):
    got = [answer_language(question) for question in QUESTIONS[language]]
    assert got == [language] * len(got), dict(zip(QUESTIONS[language], got, strict=True))


def test_words_are_still_searched_for_with_the_neighbours_function_words():
    assert question_language("Apakah nombor telefon saya?") == "id"
    assert question_language("Onde vive a miña avoa?") in ("pt", "es")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Di mana kampus Universiti Malaya?", "id"),  # a name
        ("Quem é a Uxía Quen?", "pt"),
        ("¿Qué dijo Quen de la miña?", "es"),
        ("Como se escreve a palavra quen, que ouvi ontem na rua quando falei com a minha amiga de Vigo?", "pt"),
        ("Where is my unha file?", ""),
    ],
)
def test_names_quotes_and_other_languages_tell_nothing(question: str, language: str):
    assert neighbour_of(question, language) == ""


@given(st.text(max_size=200), st.sampled_from(["id", "tr", "pt", "es"]))
def test_any_text_may_be_asked(text: str, language: str):
    assert neighbour_of(text, language) in ("", "ms", "az", "gl")
