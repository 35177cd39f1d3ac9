"""The tokenizers of the packaged networks: cut texts into pieces of words, as the networks were trained.

What they give, pieces and places, is what the library `tokenizers` makes of the files beside the weights. Here a text
is cut at its blanks, and what a stretch without blanks becomes is kept, since most of a text are words that came
before; Python's own tables of Unicode, which differ between its versions, decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..patterns import late
from . import character_ranges as kind
from .text_form import TextForm

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
SPECIAL = ("[PAD]", UNKNOWN, BEGIN, END, "[MASK]")  # in a text these are tokens as well
MARKS = 2  # BEGIN and END
GOES_ON = "##"  # begins a piece that goes on with a word
FIRST_HAN, LAST_HAN = "\u3400", "\u9fff"  # of those that are pieces
LONGEST_PIECE, LONGEST_HAN = 21, 10  # letters of the longest of either vocabulary, and from FIRST_HAN on
LONGEST_KEPT, MOST_KEPT = 40, 10_000  # characters of a stretch, and stretches: some megabytes

_STRETCH = re.compile(f"[^{kind.BLANK}]+")
_SPECIAL = late("|".join(map(re.escape, SPECIAL)))
_ASCII_WORD = re.compile("[a-z0-9]+|[!-/:-@\\[-`{-~]")
_WORD = late(f"[!-/:-@\\[-`{{-~{kind.PUNCTUATION}]|[^ !-/:-@\\[-`{{-~{kind.PUNCTUATION}]+")
_HAN = late(f"[{kind.HAN}]")


class Pieces(NamedTuple):
    """The pieces of a stretch of text, and from where to where in it each goes."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WordVocabulary:
    """The pieces of words by their ids, and what a text is turned into before it is cut."""

    pieces: Sequence[str]
    form: TextForm
    longest_word: int  # characters; a longer one is unknown
    isolates_rare_han: bool  # a Chinese sign that no piece begins with is a word of its own
    ids: dict[str, int] = field(init=False)
    known: dict[str, Pieces] = field(init=False, default_factory=dict)  # stretches that came before

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", dict(zip(self.pieces, range(len(self.pieces)), strict=True)))


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as tokens."""

    ids: list[int]
    stretches: list[tuple[int, Pieces]]  # with the place in the text where each begins
    is_marked: bool
    pieces: Sequence[str]

    @property
    def tokens(self) -> list[str]:
        return [self.pieces[one] for one in self.ids]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """From where to where in the text each token goes."""
        found = [
            (at + start, at + end)
            for at, pieces in self.stretches
            for start, end in zip(pieces.starts, pieces.ends, strict=True)
        ]
        room = len(self.ids) - MARKS * self.is_marked
        return [(0, 0), *found[:room], (0, 0)] if self.is_marked else found[:room]


class WordPieces:
    """A tokenizer that cuts texts off after `max_tokens`. Safe to share between threads."""

    def __init__(self, vocabulary: WordVocabulary, max_tokens: int) -> None:
        self._vocabulary, self._max_tokens = vocabulary, max_tokens

    def encode(self, text: str, *, add_special_tokens: bool = True) -> Cut:
        vocabulary, known = self._vocabulary, self._vocabulary.known
        ids, stretches = list[int](), list[tuple[int, Pieces]]()
        room = self._max_tokens - MARKS * add_special_tokens
        for start, end, special in _parts(vocabulary, text):
            if special:
                ids += special.ids
                stretches.append((start, special))
            for found in _STRETCH.finditer(text, start, start if special else end):
                stretch, at = found[0], found.start()
                pieces = known.get(stretch) or cut_stretch(vocabulary, stretch)
                if at == start and pieces.starts[:1] == (-1,):  # nothing stands before it
                    pieces = Pieces(pieces.ids, (0, *pieces.starts[1:]), pieces.ends)
                ids += pieces.ids
                stretches.append((at, pieces))
                if len(ids) >= room:
                    break
            if len(ids) >= room:
                del ids[room:]
                break
        if add_special_tokens:
            ids = [vocabulary.ids[BEGIN], *ids, vocabulary.ids[END]]
        return Cut(ids, stretches, add_special_tokens, vocabulary.pieces)

    def token_to_id(self, piece: str) -> int | None:
        return self._vocabulary.ids.get(piece)

    def id_to_token(self, one: int) -> str:
        return self._vocabulary.pieces[one]

    def get_vocab_size(self) -> int:
        return len(self._vocabulary.pieces)


def _parts(vocabulary: WordVocabulary, text: str) -> Iterator[tuple[int, int, Pieces | None]]:
    """From where to where a text goes on without a special token, and the tokens."""
    end = 0
    if "[" in text:
        for found in _SPECIAL.finditer(text):
            yield end, found.start(), None
            end = found.end()
            yield found.start(), end, Pieces((vocabulary.ids[found[0]],), (0,), (len(found[0]),))
    yield end, len(text), None


def cut_stretch(vocabulary: WordVocabulary, stretch: str) -> Pieces:
    """The pieces of a text without blanks, which are kept for the next time."""
    ids, starts, ends = list[int](), list[int](), list[int]()
    if stretch.isascii() and stretch.isprintable():
        text, places, pattern = stretch.lower(), None, _ASCII_WORD
    else:
        text, places = vocabulary.form.of(stretch)
        pattern = _WORD
    for found in pattern.finditer(text):
        words = [found.span()]
        if places is not None and vocabulary.isolates_rare_han:
            words = _isolate_rare(vocabulary, text, *words[0])
        for start, end in words:
            cut_word(vocabulary, text, start, end, ids, starts)
            ends += starts[len(ends) + 1 :]
            ends.append(end)
    if places is not None:
        starts, ends = [places[start] for start in starts], [places[end - 1] + 1 for end in ends]
    pieces = Pieces(tuple(ids), tuple(starts), tuple(ends))
    if len(stretch) <= LONGEST_KEPT:
        if len(vocabulary.known) >= MOST_KEPT:
            vocabulary.known.clear()
        vocabulary.known[stretch] = pieces
    return pieces


def _isolate_rare(vocabulary: WordVocabulary, text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A word, and apart from it each Chinese sign in it that begins no piece."""
    words = list[tuple[int, int]]()
    for found in _HAN.finditer(text, start, end):
        if not (FIRST_HAN <= found[0] <= LAST_HAN and found[0] in vocabulary.ids):
            words += [(start, found.start()), found.span()]
            start = found.end()
    words.append((start, end))
    return [(start, end) for start, end in words if start < end]


def cut_word(vocabulary: WordVocabulary, text: str, start: int, end: int, ids: list[int], starts: list[int]) -> None:
    """Adds the ids of a word's pieces, always the longest that what is left of it begins with, and where they start."""
    known, before = vocabulary.ids, len(ids)
    at = start if end - start <= vocabulary.longest_word else -1
    while 0 <= at < end:
        longest = LONGEST_PIECE if text[at] < FIRST_HAN else LONGEST_HAN
        for stop in range(min(end, at + longest), at, -1):
            one = known.get(text[at:stop] if at == start else GOES_ON + text[at:stop])
            if one is not None:
                ids.append(one)
                starts.append(at)
                at = stop
                break
        else:
            at = -1
    if at < 0:
        del ids[before:], starts[before:]
        ids.append(known[UNKNOWN])
        starts.append(start)
