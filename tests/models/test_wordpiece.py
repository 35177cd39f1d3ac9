"""Our tokenizer gives the pieces and the places that the library `tokenizers` gives, for every text."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.models import character_ranges as kind
from engramma.models import wordpiece
from engramma.models.local_embedder import open_tokenizer
from engramma.models.native import is_faster
from engramma.models.onnx import WEIGHTS
from engramma.models.packaged import (
    MINI_PIECES,
    MINI_TOKENIZER,
    MULTI_PIECES,
    MULTI_TOKENIZER,
    mini_vocabulary,
    multi_tokenizer,
)
from engramma.models.text_form import LARGE_ACCENTS, small_form
from engramma.models.wordpiece import GOES_ON, WordPieces, WordVocabulary
from tests.conftest import some
from train import vocabulary

LONG = 100_000  # tokens
VOCABULARIES = {MINI_TOKENIZER: mini_vocabulary, MULTI_TOKENIZER: lambda: multi_tokenizer()._vocabulary}
BOTH = pytest.mark.parametrize("name", VOCABULARIES)

TEXTS = (
    *(
        "",
        " ",
        "\t\n",
        "Hello, world!",
        "HELLO... it's 3.50€ (or #4)?",
        "état, café, naïve; Ångström",
        "e\u0301 \u0301e",
    ),
    *("Straße und Größe – „so“", "İstanbul'da ılık", "ΟΔΥΣΣΕΥΣ ὀδύς", "Вчера ёлка й", "Tiếng Việt ở đây, Đà Nẵng"),
    *(
        "今天天气很好。龘靐齉。",
        "ひらがなカタカナー漢字",
        "한국어 텍스트 \u1112\u1161\u11ab",
        "ภาษาไทยไม่มีช่องว่าง",
        "ພາສາລາວ",
    ),
    *("والكتاب بالمدرسة للولد", "ٱلسَّلَامُ عَلَيْكُمْ", "کتاب‌ها گیاهی", "שָׁלוֹם עֲלֵיכֶם", "हिन्दी में लिखा क़लम", "தமிழ் கொ"),
    *(
        "[CLS] a [SEP]",
        "[MASK]你[PAD]x[UNK]",
        "[cls] [CLS",
        "👩‍👩‍👧 ok👍🏽",
        "a\u200bb\u00adc\ufeff",
        "\x00\x0b\x85\x1f",
    ),
    *(
        "x" * 101,
        "x" * 401,
        "你" * 401,
        "a\u0323\u0301\u0327\u0334\u0344",
        "!\u0f73\u05c3\u0eb9",
        "\ufffd \uffff \U0010ffff",
    ),
)


def both(name: str, most: int) -> tuple[WordPieces, Any]:
    return WordPieces(VOCABULARIES[name](), most), open_tokenizer(WEIGHTS / name, most)


def check_alike(cutters: tuple[WordPieces, Any], text: str, marked: bool = True) -> None:
    own, theirs = (one.encode(text, add_special_tokens=marked) for one in cutters)
    assert own.ids == theirs.ids, text
    assert own.tokens == theirs.tokens, text
    assert own.offsets == [tuple(place) for place in theirs.offsets], text


def signs_of(inside: str) -> list[str]:
    """The characters of a class, as `character_ranges` has them."""
    spans = re.findall("(.)(?:-(.))?", inside, re.DOTALL)
    return [chr(code) for first, last in spans for code in range(ord(first), ord(last or first) + 1)]


@BOTH
@pytest.mark.parametrize("most", (LONG, 5))
def test_texts_of_all_kinds_are_cut_alike(name, most):
    cutters = both(name, most)
    for text in (*TEXTS, " ".join(TEXTS), "".join(TEXTS)):
        check_alike(cutters, text)
        check_alike(cutters, text, marked=False)


def check_characters(name: str, codes: Iterable[int]) -> None:
    """Each alone, and between letters with and without marks; many in a text, which is faster."""
    cutters, signs = both(name, LONG), [chr(code) for code in codes if not 0xD800 <= code < 0xE000]
    for start in range(0, len(signs), 300):
        few = signs[start : start + 300]
        text = " ".join(f"{sign} a{sign}b 的{sign}الكتاب{sign} e\u0301{sign}\u0323\u0302\u1161" for sign in few)
        own, theirs = (one.encode(text) for one in cutters)
        if own.ids != theirs.ids or own.offsets != [tuple(place) for place in theirs.offsets]:
            for sign in few:
                check_alike(cutters, f"{sign} a{sign}b 的{sign}الكتاب{sign} e\u0301{sign}\u0323\u0302\u1161")
            raise AssertionError(f"{few[0]!r} to {few[-1]!r}")


@pytest.mark.long
@BOTH
def test_every_letter_and_mark_of_the_first_plane_is_cut_alike(name):
    check_characters(name, [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x10000)])


@BOTH
@pytest.mark.long
@pytest.mark.parametrize("plane", range(17))
def test_every_character_is_cut_alike(name, plane):
    """All of the first two planes, and some of the others, which are Chinese signs, tags or empty."""
    check_characters(name, range(plane << 16, (plane + 1) << 16, 1 if plane < 2 else 7 if plane in (2, 14) else 97))


KINDS = (kind.DROPPED, kind.BLANK, kind.ACCENT, kind.PUNCTUATION, kind.ARABIC, kind.UNSPACED, kind.MARK, kind.FIXED)
SIGNS = [
    *(st.sampled_from(signs_of(inside)[:3000]) for inside in (*KINDS, LARGE_ACCENTS)),
    *map(st.sampled_from, ("abcABCßÉéΣσ", "والبكلف", "的一是你好", "[]CLSEP", "\u0344\u0f73\u0f75\u0345\u05c3\u0640")),
    *(st.characters(exclude_categories=["Cs"]), st.sampled_from(("[CLS]", "[SEP]", " ", "##", "▁"))),
]


@BOTH
@settings(max_examples=some(3000))
@given(st.lists(st.one_of(SIGNS), max_size=30).map("".join), st.booleans(), st.sampled_from((3, 7, LONG)))
def test_no_text_at_all_is_cut_otherwise(name, text, marked, most):
    check_alike(both_once(name, most), text, marked)


OPENED = dict[tuple[str, int], tuple[WordPieces, Any]]()


def both_once(name: str, most: int) -> tuple[WordPieces, Any]:
    if (name, most) not in OPENED:
        OPENED[name, most] = both(name, most)
    return OPENED[name, most]


@BOTH
def test_the_vocabularies_are_those_of_the_files_beside_them(name):
    own, theirs = both(name, 5)
    ids = theirs.get_vocab()
    assert own.get_vocab_size() == theirs.get_vocab_size() == len(ids)
    assert all(own.token_to_id(piece) == one and own.id_to_token(one) == piece for piece, one in ids.items())
    assert own.token_to_id("no such piece") is None
    pieces = [piece.removeprefix(GOES_ON) for piece in ids]
    assert max(map(len, pieces)) <= wordpiece.LONGEST_PIECE
    assert max(len(piece) for piece in pieces if piece >= wordpiece.FIRST_HAN) <= wordpiece.LONGEST_HAN


def test_the_files_are_made_of_the_tokenizers_files(tmp_path):
    small, large = (vocabulary.pieces_of(WEIGHTS / name) for name in (MINI_TOKENIZER, MULTI_TOKENIZER))
    assert (WEIGHTS / MINI_PIECES).read_text("utf-8") == "\n".join(small)
    vocabulary.write_new(large[len(small) :], tmp_path / MULTI_PIECES)
    made, packaged = ((folder / MULTI_PIECES).read_bytes() for folder in (tmp_path, WEIGHTS))
    assert zlib.decompress(made) == zlib.decompress(packaged)


@BOTH
def test_threads_that_share_it_get_what_one_gets(name):
    texts = [" ".join(TEXTS[number:] + TEXTS[:number]) for number in range(len(TEXTS))] * 3
    alone = [both_once(name, 256)[0].encode(text).ids for text in texts]
    shared = WordPieces(VOCABULARIES[name](), 256)
    shared._vocabulary.known.clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: shared.encode(text).ids, texts)) == alone


def test_what_it_keeps_is_bounded(monkeypatch):
    monkeypatch.setattr(wordpiece, "MOST_KEPT", 50)
    small = WordVocabulary(mini_vocabulary().pieces, small_form(), 100, isolates_rare_han=False)
    cutter = WordPieces(small, LONG)
    for number in range(200):
        cutter.encode(f"word{number} {'endless' * 20}{number}")
    assert 0 < len(small.known) <= 50 and max(map(len, small.known)) <= wordpiece.LONGEST_KEPT


HOSTILE = {
    "blanks": " " * 500_000,
    "an endless word": "a" * 500_000,
    "one mark again and again": "e" + "\u0301" * 100_000,
    "marks out of order": "e" + "\u0301\u0323\u0334" * 40_000,
    "marks of two characters": "\u0344\u0f73" * 50_000,
    "signs without spaces": "ไม่" * 50_000,
    "rare signs": "龘" * 100_000,
    "controls": "\x00" * 200_000,
    "special tokens": "[CLS]" * 50_000,
    "jamo": "\u1100\u1161" * 50_000,
}


@BOTH
@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_text_costs_in_proportion_to_its_length(name, hostile):
    """With each mark moved past all before it, as Python does, this would take minutes."""
    started = time.process_time()
    both_once(name, 256)[0].encode(HOSTILE[hostile])
    assert time.process_time() - started < 8


@pytest.mark.skipif(not is_faster(), reason="the networks run on ONNX Runtime here")
def test_encoder_reader_and_dictionary_need_no_other_package_than_numpy():
    code = """
import sys
from engramma.models.english_words import meant_words
from engramma.models.load import load
from engramma.models.reader import Passage, load_reader
load().embed(["My cat is called Pixel.", "Meine Katze heißt Pixel.", "我的猫叫皮克斯。"])
load_reader().read("What is the cat called?", [Passage("My cat is called Pixel.", "Ana")])
assert meant_words("Wie heißt die Katze?", 9)
print(sorted(name for name in ("tokenizers", "onnxruntime", "huggingface_hub", "onnx") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
