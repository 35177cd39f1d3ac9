"""Where a question's words stand in texts.

The words of a text are numbered once and kept as arrays of numbers and places. A question then looks up the few words
that begin like its own among the different words of all texts, and finds their places in one pass over the arrays.
"""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..language.lexical import LONGEST, UNSPACED_CHARACTER, begins_unspaced, stems
from ..language.text_memo import TextMemo

MOST_WORDS = 30_000  # different words that are numbered, about 4 MB; then the numbers begin anew
MOST_TEXTS = 4_000
MOST_PLACES = 500_000  # of words in texts: 4 MB
_WORDS = re.compile(r"[^\W_]+")
INDIC = re.compile("[\u0900-\u0963\u0966-\u0dff]")
INDIC_WORD = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])+")  # vowel signs belong to words

Places = Sequence[tuple[int, str]]  # where which of the question's words stand in a text, in order
Numbers = NDArray[np.int32]


class WordBook:
    """Numbers for words, and the texts that are written in them. Any number of threads may read and add."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._begins = array("h")  # of each word, the number of its first two characters; -1 if it is not ASCII
        self.count = 0  # of places in all texts
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()
        self.read = TextMemo(self._read, MOST_TEXTS)

    @property
    def is_full(self) -> bool:
        return len(self.words) > MOST_WORDS or self.count > MOST_PLACES

    def _read(self, text: str) -> tuple[Numbers, Numbers] | tuple[()]:
        """The numbers of a text's words and where each begins, in small letters; nothing of a text that is not made of
        words and blanks."""
        if not text.isascii() and (INDIC.search(text) or UNSPACED_CHARACTER.search(text)):
            return ()
        found = [(word[0], word.start()) for word in _WORDS.finditer(text.lower())]
        if any(len(word) > LONGEST for word, _ in found):
            return ()
        numbers = self._numbers
        with self._lock:
            for word, _ in found:
                if word not in numbers:
                    numbers[word] = len(self.words)
                    self.words.append(word)
                    self._begins.append(_number_of(word[:2]) if word.isascii() else -1)
            self.count += len(found)
        return (
            np.fromiter((numbers[word] for word, _ in found), np.int32, len(found)),
            np.fromiter((place for _, place in found), np.int32, len(found)),
        )

    def likely(self, numbers: Numbers, begins: AbstractSet[str]) -> list[int]:
        """Those of some words that begin so, or are not ASCII, each once."""
        with self._lock:
            held = np.array(self._begins)
        is_there = np.zeros(len(held), bool)
        is_there[numbers] = True
        wanted = np.zeros(_NUMBERS + 1, bool)  # the last is that of -1
        wanted[-1] = True
        for begin in begins:
            number = _number_of(begin)
            wanted[number : number + (1 if len(begin) > 1 else 256)] = True
        return np.flatnonzero(is_there & wanted[held]).tolist()


_NUMBERS = 1 << 15


def _number_of(begin: str) -> int:
    """A number for one or two characters, up to 127 each; other characters begin no ASCII word."""
    first, second = ord(begin[0]), ord(begin[1]) if len(begin) > 1 else 0
    return (first << 8) + second if begin.isascii() else 0


_book = WordBook()


def open_book() -> WordBook:
    """The book of this process; a new one where it is full. Who has the old one goes on with it."""
    global _book
    if _book.is_full:
        _book = WordBook()
    return _book


def places_in(texts: Sequence[str], wanted: AbstractSet[str]) -> list[Places]:
    """Of each text, where which of the wanted stems stand in it."""
    begins = {stem[:2] for stem in wanted}
    if not all(begin.isalnum() for begin in begins) or any(begins_unspaced(stem) for stem in wanted):
        return [places_of(text, wanted) for text in texts]
    book = open_book()
    read = [book.read(text) for text in texts]
    found: list[Places] = [[] if one else places_of(text, wanted) for text, one in zip(texts, read, strict=True)]
    known = [number for number, one in enumerate(read) if one]
    if not known or not wanted:
        return found
    numbers = np.concatenate([one[0] for one in read if one])
    places = np.concatenate([one[1] for one in read if one])
    ends = np.cumsum([len(one[0]) for one in read if one])
    telling = _telling_words(book, numbers, wanted, begins)
    is_hit = np.zeros(len(book.words), bool)
    is_hit[list(telling)] = True
    hits = np.flatnonzero(is_hit[numbers])
    of = np.searchsorted(ends, hits, side="right")
    lists: list[list[tuple[int, str]]] = [[] for _ in known]
    for text, number, place in zip(of.tolist(), numbers[hits].tolist(), places[hits].tolist(), strict=True):
        lists[text] += [(place, stem) for stem in telling[number]]
    for text, own in zip(known, lists, strict=True):
        found[text] = own
    return found


def _telling_words(
    book: WordBook, numbers: Numbers, wanted: AbstractSet[str], begins: AbstractSet[str]
) -> dict[int, list[str]]:
    """The numbers of the words in some texts that have a wanted stem, with those stems."""
    found = dict[int, list[str]]()
    for number in book.likely(numbers, begins):  # of others no stem is made: that takes the time
        if own := [stem for stem in stems(book.words[number]) if stem in wanted]:
            found[number] = own
    return found


def places_of(text: str, wanted: AbstractSet[str]) -> Places:
    """Where which of the wanted stems stand in a text."""
    if not wanted:
        return []
    if INDIC.search(text):
        begun = INDIC_WORD
    else:
        begun = _words_begun_by(tuple(sorted({re.escape(stem[:2]) for stem in wanted})))
    low = text.lower()
    hits = ((found.start(), stem) for found in begun.finditer(low) for stem in stems(found[0]))
    found = [(place, stem) for place, stem in hits if stem in wanted]
    if runs := [stem for stem in wanted if begins_unspaced(stem)]:
        found += [(at.start(), run) for run in runs for at in re.finditer(re.escape(run), low)]
        found.sort()
    return found


@lru_cache(maxsize=64)
def _words_begun_by(begins: tuple[str, ...]) -> re.Pattern[str]:
    """Words of these beginnings: of others no stem is made, for that takes the time."""
    # a word with an accent may have a stem that begins otherwise
    return re.compile(rf"(?<![^\W_])(?:(?:{'|'.join(begins)})[^\W_]*|[^\W_]*[^\x00-\x7f\W][^\W_]*)")
