"""Words and names of a question in another language, asked for as an English talk has them."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.errors import ModelError, StoreError
from engramma.models import english_words
from engramma.models.embed import MINI
from engramma.models.load import load
from engramma.recall import pipeline
from engramma.recall.in_english import heard_as, words_in_english
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")

SAID = (
    "Ann: Luther wrote his hymns in German.",
    "Ann: The Panthers beat the Broncos in Denver.",
    "Ann: Professor Newton keeps the keys of the laboratory.",
    "Ann: Davis plays the violin in Vienna.",
    "Ann: Our landlord raised the rent by ten percent.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("names") / "store") as opened:
        opened.remember_session("c", "s", talk(*SAID))
        yield opened


def found(memory: Memory, text: str) -> tuple[str, ...]:
    return words_in_english(memory._core.store, len(SAID), text)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Что написал Лютер?", "Luther"),
        ("Τι έγραψε ο Λούθερ;", "Luther"),
        ("ماذا كتب لوثر؟", "Luther"),
        ("लूथर ने क्या लिखा?", "Luther"),
        ("Где живёт профессор Ньютон?", "Newton"),
        ("На чём играет Дэвис?", "Davis"),
        ("Ποιος νίκησε τους Μπρόνκος;", "Broncos"),
    ],
)
def test_a_name_is_heard_in_other_letters(memory, question, name):
    assert name in found(memory, question)


@pytest.mark.parametrize(
    ("question", "word"),
    [("Wer hat die Miete erhöht?", "rent"), ("Где мои ключи?", "key"), ("谁提高了租金?", "rent")],
)
def test_a_word_is_asked_for_in_english(memory, question, word):
    assert word in found(memory, question)


@pytest.mark.parametrize(
    "question", ["Who is Luthor?", "What did the landlord do?", "Lutero", "Where is Лютер?", "", "?"]
)
def test_english_asks_for_nothing_else(memory, question):
    assert found(memory, question) == ()


def test_only_words_of_this_memory_are_asked_for(memory):
    assert found(memory, "Когда Эйнштейн купил велосипед?") == ()


def test_a_word_that_the_memory_has_is_not_translated(tmp_path):
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c", "s", talk("Ann: Die Miete ist zu hoch.", "Ann: The rent is too high."))
        assert "rent" not in found(opened, "Wie hoch ist die Miete?")


def test_what_stands_for_a_word_is_found_by_words_and_shown_as_what_matched(memory):
    [first, *_] = memory.recall("Что написал Лютер?").candidates
    assert "Luther" in first.text and first.channels["lexical"].rank == 1
    assert any("Luther" in first.text[start:end] for start, end in first.matched)


def test_a_common_word_is_no_name(memory, tmp_path):
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c", "s", talk(*(f"Ann: Letter {n} came." for n in range(60)), "Ann: Luther came."))
        assert heard_as(opened._core.store, "леттер", 61) == ""
        assert heard_as(opened._core.store, "лютер", 61) == "Luther"


@pytest.mark.parametrize(
    "text",
    [
        "Лютер" * 3_000,
        "Лютер " * 3_000,
        "Лю\u0301те\u0301р" + "\u0301" * 400,
        "лuтeр χ ل प हZ",
        "ъьъь ьъ",
        "аеиоу юяё",
        "ـــــ ًٌٍ",
        "्््् ़़़",
        "Где \x00 \ufeff \u202e Лютер?",
    ],
)
def test_any_question_can_be_read(memory, text):
    assert all(isinstance(word, str) for word in found(memory, text))
    memory.recall(text)


@pytest.mark.parametrize("error", [ModelError("the file is damaged"), StoreError("the words are damaged")])
def test_what_cannot_be_looked_up_is_left_out(memory, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(english_words, "meant_words", fail)
    assert found(memory, "Что написал Лютер?") == ()


def test_another_encoder_asks_for_the_words_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "words_in_english", lambda *_: pytest.fail("it was asked"))
    with Memory.open(tmp_path / "store", embedder=load(MINI)) as opened:
        opened.remember_session("c", "s", talk(*SAID))
        opened.recall("Что написал Лютер?")
