"""Sentences of a turn with their places in it, and the telling words of texts and questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from ...language.dates import intervals
from ...language.lexical import STOP_WORDS, stems, terms

LOOKED_AT = 4_000  # characters of a turn: what answers a question stands early, and a pasted page has no end
_SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…]+(?=[\s\"')\]*]|$)[\"')\]*]*|\n|$|[.!?…])")
_POINT = re.compile(r"(?:\b(?:mr|mrs|ms|dr|st|vs|prof|jr|sr|e\.g|i\.e|[a-z])\.|\d\.)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TurnSentence:
    """A sentence of a turn, where it begins there, and the stems of its telling words."""

    text: str
    start: int
    stems: frozenset[str]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"')* ").endswith("?")


@lru_cache(maxsize=2048)
def split_turn(text: str) -> tuple[TurnSentence, ...]:
    """The sentences of a turn, in order; none for an empty one."""
    places: list[list[int]] = []
    for match in _SENTENCE.finditer(text[:LOOKED_AT]):
        start, end = match.span()
        if places and not _ends(text[slice(*places[-1])]):
            places[-1][1] = end
        elif match[0].strip():
            places.append([start, end])
    found = []
    for start, end in places:
        piece = text[start:end]
        if bare := piece.strip():
            found.append(TurnSentence(bare, start + len(piece) - len(piece.lstrip()), find_content_stems(bare)))
    return tuple(found)


def _ends(piece: str) -> bool:
    """Whether a piece ends its sentence: not a number's point, nor the one of "Dr." or an initial."""
    if piece.endswith("\n") or not piece.endswith("."):
        return piece.rstrip("\"')]*")[-1:] in ("!", "?", "…", "\n", ".") or piece.endswith("\n")
    return _POINT.search(piece[-12:]) is None


def find_content_stems(text: str) -> frozenset[str]:
    """The stems of a text's telling words."""
    return frozenset(stem for word in terms(text) if word not in STOP_WORDS for stem in stems(word))


def telling(question: str, names: Sequence[str], now: datetime) -> dict[str, str]:
    """The question's telling words by stem, without names and dates: those say who and when, not what."""
    text = question[:LOOKED_AT]
    for one in reversed(intervals(text, now)):
        text = text[: one.span[0]] + " " + text[one.span[1] :]
    named = {stem for name in names for stem in stems(name.casefold())}
    words = {stem: word for word in terms(text) if word not in STOP_WORDS for stem in stems(word)}
    return {stem: word for stem, word in words.items() if stem not in named}
