"""What words of other languages mean in English, as the packaged encoder knows it."""

from __future__ import annotations

import numpy as np
import pytest

from engramma.errors import ModelError
from engramma.models import english_words
from engramma.models.english_words import EnglishWords, meant_words, open_english_words, whole_word
from engramma.models.onnx import WEIGHTS
from engramma.models.packaged import MULTI_PIECES, checked_file, load_packaged, multi_tokenizer


@pytest.mark.parametrize(
    ("text", "written", "english"),
    [
        ("Wer hat die Miete erhöht?", "Miete", "rent"),
        ("Где я потерял ключи?", "ключи", "key"),
        ("祖父在战争中做什么?", "祖父", "grandfather"),
        ("ใครทำคะแนนได้มากที่สุด", "คะแนน", "score"),
        ("دفاع الفريق", "الفريق", "team"),
    ],
)
def test_a_word_is_known_by_its_english(text, written, english):
    [found] = [one for one in meant_words(text, 64) if one.written == written]
    assert english in found.english


def test_english_is_not_translated():
    assert meant_words("Who raised the rent of our flat in October?", 64) == []


def test_a_word_that_is_cut_into_pieces_is_not_known_as_a_whole():
    found = {one.written: one.is_whole for one in meant_words("Где Пелопоннесские работа?", 64)}
    assert found["работа"] and not found.get("Пелопоннесские", False)


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "?!", "\u0301" * 500, "🎉" * 100, "half \ud800 a pair", "а" * 100_000]
)
def test_any_text_can_be_looked_up(text):
    assert len(meant_words(text.encode("utf-8", "replace").decode(), 5)) <= 5


def test_a_word_ends_where_letters_of_another_kind_begin():
    assert whole_word("die Häuser-Tür", 4, 7) == "Häuser"
    assert whole_word("战争luther", 0, 2) == "战争"
    assert whole_word("战争luther", 3, 5) == "luther"


def test_only_pieces_of_the_dictionary_have_words():
    ids, near = np.array([[7, 8, 0]], np.uint16), np.array([[255, 100, 0]], np.uint8)
    dictionary = EnglishWords(10, ids, near)
    assert dictionary.of(10) == (7,), "the second is not near enough"
    assert dictionary.of(9) == dictionary.of(11) == dictionary.of(-1) == ()


def test_it_covers_all_pieces_beyond_those_of_mini():
    dictionary = open_english_words()
    assert dictionary.first == 30_522 and dictionary.first + len(dictionary.ids) == multi_tokenizer().get_vocab_size()
    assert int(dictionary.ids.max()) < dictionary.first


def test_the_tokenizer_is_opened_once():
    assert load_packaged()._tokenizer() is multi_tokenizer(WEIGHTS) is load_packaged()._tokenizer()


def test_a_damaged_dictionary_is_refused(tmp_path):
    (tmp_path / english_words.ENGLISH_WORDS).write_bytes(b"\0" * 90)
    with pytest.raises(ModelError, match="damaged"):
        checked_file(tmp_path, english_words.ENGLISH_WORDS)
    with pytest.raises(ModelError, match="missing"):
        checked_file(tmp_path, MULTI_PIECES)
