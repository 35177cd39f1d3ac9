"""Lists of words for the multilingual vocabulary, and that English is cut as before."""

from __future__ import annotations

import gzip
import json
import random
import struct

import numpy as np
import pytest

from train import multi_teacher, multi_wordlists, multi_words

BASE = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "to": 4, "##il": 5, "the": 6, "##s": 7}


def test_lists_are_read_by_frequency():
    counts = gzip.compress(json.dumps({"selten": 2, "oft": 90}).encode())
    assert multi_wordlists.read_counts(counts) == ["oft", "selten"]
    assert multi_wordlists.read_lines("词 3 n\n常用 90 n\nx\n".encode()) == ["常用", "词"]


def test_the_words_of_a_language_model_are_read_from_its_end():
    words = [text.encode() for text in ("ev", "kitap", "güneş")]
    tail = struct.pack(">i", 3) + b"".join(struct.pack(">H", len(word)) + word for word in words)
    content = bytes(20) + struct.pack(">i", 3) + bytes(range(40)) + tail
    assert multi_wordlists.read_vocabulary(content) == ["ev", "kitap", "güneş"]
    with pytest.raises(ValueError, match="vocabulary"):
        multi_wordlists.read_vocabulary(content + b"\x00")


def test_words_of_pairs_are_of_the_teacher_s_languages_and_seen_twice():
    pairs = [("de", "Das Haus, das alte Haus", ""), ("hi", "घर घर", ""), ("zh", "房子房子", "")]
    assert multi_wordlists.words_of_pairs(pairs) == {"de": ["das", "haus"]}


def test_every_word_comes_once_with_its_languages():
    found = multi_teacher.with_lists(["casa"], [{"es": ["casa", "perro"], "it": ["casa", "cane"]}])
    assert found == {"casa": ["es", "it"], "perro": ["es"], "cane": ["it"]}


def test_no_frequent_english_word_is_cut_into_a_new_piece():
    grown = BASE | {"toi": 8, "##l": 9, "haus": 10}
    made = multi_words.without_english(BASE, grown, ["toils", "the"], 100)
    assert "toi" not in made and "haus" in made
    assert list(made)[: len(BASE)] == list(BASE)
    cut = multi_words.tokenizer(made).encode("the toils", add_special_tokens=False)
    assert all(number < len(BASE) for number in cut.ids)


def test_the_arabic_article_is_cut_off():
    plain = multi_words.tokenizer(BASE)
    assert multi_words.cut(plain, "والكتاب بالمدرسة للولد") == ["كتاب", "مدرسه", "ولد"]


def test_words_that_are_near_to_everything_are_pushed_back_by_the_teacher_s_own_words():
    english = np.array([[1, 0, 0, 0], [0.8, 0.6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)
    asked = np.array([[0.9, 0.35, 0, 0]], np.float32)
    crowd = np.repeat(np.array([[0.8, 0.6, 0, 0]], np.float32), 20, 0)
    rows, cosines = multi_teacher.nearest(np.concatenate([asked, crowd]), english, 21)
    assert rows[0, 0] == 0 and cosines[0, 0] == pytest.approx(0.9), "though the second is nearer"
    lists = np.repeat(english[:1], 400, 0)
    again, _ = multi_teacher.nearest(np.concatenate([asked, crowd, lists]), english, 21)
    assert again[0].tolist() == rows[0].tolist(), "words of lists do not change that"


def test_the_same_words_give_the_same_pieces():
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(2, 7))) for _ in range(2000)]
    counts = {word: chance.randint(1, 9) for word in words}
    first, *others = (multi_words.learnt(counts, 300) for _ in range(3))
    assert len(first) == 300 and {"a", "##a"} <= set(first), "letters at both places, and what they are joined to"
    assert any(len(piece.removeprefix("##")) > 1 for piece in first)
    assert others == [first, first]


def test_rare_letters_are_left_out_of_the_alphabet(monkeypatch):
    monkeypatch.setattr(multi_words, "ALPHABET", 3)
    pieces = multi_words.learnt({"abba": 50, "cab": 40, "xyz": 5}, 30)
    assert {sign for piece in pieces for sign in piece.removeprefix("##")} == {"a", "b", "c"}
