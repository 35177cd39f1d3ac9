"""Sentences of a turn, and the shorter spans that answers are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from ..lexical import STOP_WORDS, stems, terms
from ..when import intervals

LOOKED_AT = 4_000  # characters of a turn: what answers a question stands early, and a pasted page has no end
_SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…]+(?=[\s\"')\]]|$)[\"')\]]*|\n|$|[.!?…])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn, and the stems of its telling words."""

    text: str
    stems: frozenset[str]

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"') ").endswith("?")


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a turn, in order; none for an empty one."""
    found: list[str] = []
    for match in _SENTENCE.finditer(text[:LOOKED_AT]):
        piece = match[0]
        if found and not _ends(found[-1]):
            found[-1] += piece
        elif piece.strip():
            found.append(piece)
    return tuple(Sentence(piece.strip(), content(piece)) for piece in found if piece.strip())


def _ends(piece: str) -> bool:
    """Whether a piece ends its sentence: not a number's point, nor the one of "Dr." or an initial."""
    if piece.endswith("\n") or not piece.endswith("."):
        return piece.rstrip("\"')]")[-1:] in ("!", "?", "…", "\n", ".") or piece.endswith("\n")
    return re.search(r"(?:\b(?:mr|mrs|ms|dr|st|vs|prof|jr|sr|e\.g|i\.e|[a-z])\.|\d\.)$", piece, re.IGNORECASE) is None


def content(text: str) -> frozenset[str]:
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


# --- short answers -----------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*|[$€£]?\d[\d,.:%]*|\"[^\"]{1,80}\"|[,;:.!?()—–-]")
_OPENER = re.compile(
    r"^\W*(?:(?:yeah|yep|yes|yup|no|nope|nah|well|oh|ah|so|and|but|thanks?(?: you)?(?: so much| a lot| a bunch)?|sure"
    r"|definitely|absolutely|of course|totally|exactly|hey|hi|hello|wow|cool|great|awesome|btw|by the way|actually"
    r"|honestly|you know|i mean|i think|i guess|also|for sure|right|okay|ok|haha|lol)\b[\s,.!—–-]*)+",
    re.IGNORECASE,
)
_CLAUSE_WORDS = """
    because since so but which who while when where if though although and then or i we it he she they you that's
    it's i'm he's she's they're we're is are was were
"""
_LINK_WORDS = "of the a an in on at for to with from by and or my his her their our about"
_CUTS, _LINKS = frozenset(_CLAUSE_WORDS.split()), frozenset(_LINK_WORDS.split())
LONGEST = 8  # words of a span: what people ask for is short
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand once twice"
)
_NUMBER = "|".join(NUMBER_WORDS.split())
_AMOUNT = re.compile(
    rf"(?:(?:about|around|nearly|almost|over|at least|every|once|twice|a few|a couple of|{_NUMBER}|[$€£]?\d[\d,.]*%?)"
    rf"[\s-]+(?:(?:times?|or|to|and|a|per|every|of|the|last|past|{_NUMBER}|\d+)[\s-]+)*(?:[^\W\d_]+)?"
    r"|[$€£]?\b\d[\d,.]*\b%?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence that may be the answer, and how well it fits."""

    text: str
    score: float


def trimmed(sentence: str) -> str:
    """A sentence without the chatter it opens with and without its end mark."""
    rest = _OPENER.sub("", sentence).strip()
    return (rest or sentence).strip(" .!,;—–-")


def spans(sentence: str, asked: Mapping[str, float]) -> list[Span]:
    """The pieces of a sentence that say something the question does not, the best first.

    A piece is cut at marks, at words of the question and at words that begin a clause. One right after a word of the
    question fits better than one far from all of them.
    """
    found: list[Span] = []
    tokens = [match[0] for match in _TOKEN.finditer(trimmed(sentence))]
    known = [any(stem in asked for stem in stems(token.lower())) and token[0].isalnum() for token in tokens]
    piece: list[str] = []
    since, last = 0, -1
    for place, token in enumerate([*tokens, "."]):
        is_mark = not token[0].isalnum() and token[0] not in '"$€£'
        is_cut = is_mark or known[place] if place < len(known) else True
        if is_cut or token.lower() in _CUTS:
            if piece:
                found.append(_span(piece, since))
            piece = []
            if place < len(known) and known[place]:
                last = place
            continue
        if not piece:
            since = place - last if last >= 0 else 99
        piece.append(token)
    good = [span for span in found if span.text]
    return sorted(good, key=lambda span: -span.score)


def _span(piece: list[str], since: int) -> Span:
    """A piece without the empty words at its ends, and its score."""
    while piece and piece[0].lower() in STOP_WORDS | _LINKS:
        piece = piece[1:]
    while piece and piece[-1].lower() in STOP_WORDS | _LINKS:
        piece = piece[:-1]
    piece = piece[:LONGEST]
    telling = sum(1.0 + 0.5 * word[0].isupper() for word in piece if word.lower() not in STOP_WORDS)
    near = 1.0 if since <= 3 else 0.6
    return Span(" ".join(piece), near * min(telling, 4.0))


def amounts(sentence: str) -> list[str]:
    """Numbers with what they count, and spans of time, as they are said."""
    return [match[0].strip(" -") for match in _AMOUNT.finditer(sentence)]
