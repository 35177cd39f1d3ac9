"""The telling words of a question: what it asks about, without the words that only ask, in any language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.language.question_language import question_language
from engramma.people.answers.sentences import telling

NOW = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Wo wohnt Bao?", ["wohnt"]),
        ("Wo arbeitet Bao?", ["arbeitet"]),
        ("Was spielt Bao?", ["spielt"]),
        ("Warum lacht Bao?", ["lacht"]),
        ("Où habite Bao ?", ["habite"]),
        ("Qui est Bao ?", []),
        ("¿Dónde vive Bao?", ["vive"]),
        ("Dove abita Bao?", ["abita"]),
        ("Onde mora Bao?", ["mora"]),
        ("Quem reparou a bomba?", ["reparou", "bomba"]),
        ("Waar woont Bao?", ["woont"]),
        ("Gdzie mieszka Bao?", ["mieszka"]),
        ("Kde bydlí Bao?", ["bydlí"]),
        ("Hol lakik Bao?", ["lakik"]),
        ("Hvor bor Bao?", ["bor"]),
        ("Missä Bao asuu?", ["asuu"]),
        ("Unde locuiește Bao?", ["locuiește"]),
        ("Bao nerede yaşıyor?", ["yaşıyor"]),
        ("Di mana Bao tinggal?", ["tinggal"]),
        ("Где живёт Bao?", ["живет"]),
        ("Where does Bao live?", ["live"]),
        ("Who repaired the pump?", ["repaired", "pump"]),
    ],
)
def test_words_that_only_ask_are_not_what_is_asked_about(question: str, words: list[str]) -> None:
    assert list(telling(question, ("Bao",), NOW).values()) == words


@pytest.mark.parametrize("question", ["Was spielt Anselm?", "Was isst der Hund?", "Was lernt Anselm?"])
def test_was_before_a_german_verb_is_what(question: str) -> None:
    assert question_language(question) == "de"


@pytest.mark.parametrize("question", ["Was lunch good?", "Was Anselm there?", "Was it Anselm?", "Was the dog fed?"])
def test_was_elsewhere_is_english(question: str) -> None:
    assert question_language(question) == ""
