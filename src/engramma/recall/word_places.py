"""Where a question's words stand in texts.

The words of a text are numbered once and kept as arrays of numbers and places. A question then looks up the few words
that begin like its own among the different words of all texts, and finds their places in one pass over the arrays.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ..language.lexical import LONGEST, begins_unspaced, has_unspaced, learn_stems, stems
from ..language.text_memo import TextMemo

MOST_WORDS = 30_000  # different words that are numbered, about 4 MB; then the numbers begin anew
MOST_TEXTS = 4_000
READ = 20_000  # characters of a text that are looked through: a pasted book has no end
MOST_PLACES = 500_000  # of words in texts: 4 MB
FIRST_WORDS = 4_096  # for which there is room at first
NO_STEM = -1  # of a word whose stem was not asked for, or that has several
_WORDS = re.compile(r"[^\W_]+")
INDIC = re.compile("[\u0900-\u0963\u0966-\u0dff]")
INDIC_WORD = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])+")  # vowel signs belong to words

Places = list[tuple[int, str]]  # where which of the question's words stand in a text, in order
Numbers = NDArray[np.int32]
# The numbers of a text's words and where each begins, as two rows; nothing of a text that is not made of words and
# blanks.
NumberedWords = Numbers | tuple[()]


class WordBook:
    """Numbers for words, and the texts that are written in them. Any number of threads may read and add."""

    def __init__(self, most_words: int | None = None, most_places: int | None = None) -> None:
        self._most_words = MOST_WORDS if most_words is None else most_words
        self._most_places = MOST_PLACES if most_places is None else most_places
        self.count = 0  # of places in all texts
        self.words: dict[str, int] = {}  # with their numbers
        self._unread: dict[str, list[str]] = {}  # words without stems yet by their first two characters; "": not ASCII
        self._stems: dict[str, int] = {}  # a number for each stem
        self._stem_of = np.full(FIRST_WORDS, NO_STEM, np.int32)  # by the numbers of words
        self._several: dict[str, dict[int, tuple[str, ...]]] = {}  # words of several stems, by each of these
        self._lock = threading.Lock()
        self.read = TextMemo(self.numbered, MOST_TEXTS)

    @property
    def is_full(self) -> bool:
        return len(self.words) > self._most_words or self.count > self._most_places

    def numbered(self, text: str) -> NumberedWords:
        """The words of a text in small letters."""
        if not text.isascii() and (INDIC.search(text) or has_unspaced(text)):
            return ()
        found = [(word[0], word.start()) for word in _WORDS.finditer(text.lower())]
        if any(len(word) > LONGEST for word, _ in found):
            return ()
        numbers = self.words
        with self._lock:
            for word, _ in found:
                if word not in numbers:
                    numbers[word] = len(numbers)
                    self._unread.setdefault(word[:2] if word.isascii() else "", []).append(word)
            self.count += len(found)
        return np.array([[numbers[word] for word, _ in found], [place for _, place in found]], np.int32)

    def number_of(self, word: str) -> int:
        """The number of a word in small letters; -1 of one that stands in no text."""
        return self.words.get(word, -1)

    def find(self, numbers: Numbers, wanted: AbstractSet[str]) -> list[tuple[int, list[str]]]:
        """The places among some words of those that have any of the wanted stems, and which these are."""
        with self._lock:
            self._read_stems({stem[:2] for stem in wanted})
            known = {self._stems[stem]: [stem] for stem in wanted if stem in self._stems}
            joined = {number: own for stem in wanted for number, own in self._several.get(stem, {}).items()}
            is_wanted = np.zeros(len(self._stems) + 1, bool)  # the last is that of NO_STEM
            own = self._stem_of.take(numbers)
        is_wanted[list(known)] = True
        hits = np.flatnonzero(is_wanted.take(own))
        found = [(place, known[stem]) for place, stem in zip(hits.tolist(), own[hits].tolist(), strict=True)]
        for number, stems_of in joined.items():
            told = [stem for stem in stems_of if stem in wanted]
            found += [(place, told) for place in np.flatnonzero(numbers == number).tolist()]
        return sorted(found, key=itemgetter(0)) if joined else found

    def read_stems(self) -> None:
        """Learn the stems of all words."""
        with self._lock:
            self._read_stems({begin[:1] for begin in self._unread})

    def _read_stems(self, begins: AbstractSet[str]) -> None:
        """Learn the stems of the words that begin so, or are not ASCII, all at once; of others none is made: that takes
        the time."""
        if len(self.words) > len(self._stem_of):
            more = np.full(2 * len(self.words), NO_STEM, np.int32)
            more[: len(self._stem_of)] = self._stem_of
            self._stem_of = more
        likely = [one for one in self._unread if one in begins or not one or one[0] in begins]
        words = [word for begin in likely for word in self._unread.pop(begin)]
        learn_stems(" ".join(words))
        for word in words:
            number, own = self.words[word], stems(word)
            if len(own) == 1:
                self._stem_of[number] = self._stems.setdefault(own[0], len(self._stems))
            for stem in own if len(own) > 1 else ():
                self._several.setdefault(stem, {})[number] = own


_book = WordBook()


def open_book() -> WordBook:
    """The book of this process; a new one where it is full. Who has the old one goes on with it."""
    global _book
    if _book.is_full:
        _book = WordBook()
    return _book


def _begin_anew() -> None:
    global _book
    _book = WordBook()


if hasattr(os, "register_at_fork"):
    # In a forked child another thread's lock would never be let go.
    os.register_at_fork(after_in_child=_begin_anew)


def places_in(texts: Sequence[str], wanted: AbstractSet[str]) -> list[Places]:
    """Of each text, where which of the wanted stems stand in it."""
    book = open_book()
    read = [book.read(text) for text in texts] if are_numbered(wanted) else [()] * len(texts)
    return numbered_places(book, read, wanted, lambda places: {place: texts[place] for place in places})


def are_numbered(wanted: AbstractSet[str]) -> bool:
    """Whether stems are looked for among numbered words."""
    return all(stem[:2].isalnum() for stem in wanted) and not any(begins_unspaced(stem) for stem in wanted)


def numbered_places(
    book: WordBook,
    read: Sequence[NumberedWords],
    wanted: AbstractSet[str],
    text_of: Callable[[Sequence[int]], Mapping[int, str]],
) -> list[Places]:
    """The same of texts whose words were numbered in a book; of the others, `text_of` has their texts."""
    if not wanted:
        return [[] for _ in read]
    known = [number for number, one in enumerate(read) if len(one)] if are_numbered(wanted) else []
    found: list[Places] = [[] for _ in read]
    if len(known) < len(read):
        unread = sorted(set(range(len(read))).difference(known))
        for number, text in text_of(unread).items():
            found[number] = places_of(text[:READ], wanted)
    if not known:
        return found
    numbers, places = np.concatenate([read[number] for number in known], axis=1)
    hits = book.find(numbers, wanted)
    ends = np.cumsum([read[number].shape[1] for number in known])  # type: ignore[union-attr]  # none is empty
    at = np.array([place for place, _ in hits], np.int64)
    of = np.searchsorted(ends, at, side="right")
    for text, place, (_, told) in zip(of.tolist(), places[at].tolist(), hits, strict=True):
        own = found[known[text]]
        for stem in told:
            own.append((place, stem))
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
