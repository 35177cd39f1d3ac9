"""Sentences of a turn, and the shorter spans that answers are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from ...language.dates import intervals
from ...language.lexical import STOP_WORDS, stems, terms

LOOKED_AT = 4_000  # characters of a turn: what answers a question stands early, and a pasted page has no end
_SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…]+(?=[\s\"')\]]|$)[\"')\]]*|\n|$|[.!?…])")


@dataclass(frozen=True, slots=True)
class TurnSentence:
    """A sentence of a turn, and the stems of its telling words."""

    text: str
    stems: frozenset[str]

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"') ").endswith("?")


@lru_cache(maxsize=2048)
def split_turn(text: str) -> tuple[TurnSentence, ...]:
    """The sentences of a turn, in order; none for an empty one."""
    found: list[str] = []
    for match in _SENTENCE.finditer(text[:LOOKED_AT]):
        piece = match[0]
        if found and not _ends(found[-1]):
            found[-1] += piece
        elif piece.strip():
            found.append(piece)
    return tuple(TurnSentence(piece.strip(), find_content_stems(piece)) for piece in found if piece.strip())


def _ends(piece: str) -> bool:
    """Whether a piece ends its sentence: not a number's point, nor the one of "Dr." or an initial."""
    if piece.endswith("\n") or not piece.endswith("."):
        return piece.rstrip("\"')]")[-1:] in ("!", "?", "…", "\n", ".") or piece.endswith("\n")
    return re.search(r"(?:\b(?:mr|mrs|ms|dr|st|vs|prof|jr|sr|e\.g|i\.e|[a-z])\.|\d\.)$", piece, re.IGNORECASE) is None


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


# --- short answers -----------------------------------------------------------------------------

_TOKEN = re.compile(
    r"[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?(?![\d,]*\d)"  # 14,200 is one number
    r"|[^\W_]+(?:[-'’.&][^\W_]+)*|[$€£]?\d[\d,.:%]*|\"[^\"]{1,80}\"|[,;:.!?()—–-]"
)
_OPENER = re.compile(
    r"^\W*(?:(?:yeah|yep|yes|yup|no|nope|nah|well|oh|ah|so|and|but|thanks?(?: you)?(?: so much| a lot| a bunch)?|sure"
    r"|definitely|absolutely|of course|totally|exactly|hey|hi|hello|wow|cool|great|awesome|btw|by the way|actually"
    r"|honestly|you know|i mean|i think|i guess|also|for sure|right|okay|ok|haha|lol)\b[\s,.!—–-]*)+",
    re.IGNORECASE,
)
_BREAKS = frozenset("because since so but which while when where if though although then that's it's".split())  # noqa: SIM905
_SMALL_BREAKS = """
    and or who that i we it he she they you i'm he's she's they're we're i've we've is are was were am be been
    do did does have has had got get go went yesterday today tonight tomorrow last next ago lately recently just
"""
_SUBJECTS = frozenset("i we he she they you i'm we're he's she's they're i've we've".split())  # noqa: SIM905
_CUTS = _BREAKS | frozenset(_SMALL_BREAKS.split())
_LINKS = frozenset("of the a an in on at for to with from by and or my his her their our about as like".split())  # noqa: SIM905
_PLACED = frozenset("in at to from near around through".split())  # noqa: SIM905
_JOINS = frozenset((",", "and", "or", "&"))
LONGEST = 12  # words of a piece: what people ask for is short
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand once twice every"
    " few couple"
)
_NUMBERS = frozenset(NUMBER_WORDS.split())


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of a sentence that may be the answer, and what kind of piece it is."""

    text: str
    words: int
    telling: int  # words that say something the question does not
    capitals: int
    after: bool  # right after a word of the question
    placed: bool  # right after "in", "at", "to", "from"
    counts: bool  # has a number
    whole: bool  # a whole clause


def _trimmed(sentence: str) -> str:
    """A sentence without the chatter it opens with and without its end mark."""
    rest = _OPENER.sub("", sentence).strip()
    return (rest or sentence).strip(" .!,;—–-")


def cut_sentence(sentence: str, asked: Mapping[str, float]) -> list[AnswerPiece]:
    """The pieces of a sentence: small ones, cut at marks, at the question's words and at grammar's, lists, clauses."""
    tokens = [match[0] for match in _TOKEN.finditer(_trimmed(sentence))]
    low = [token.lower() for token in tokens]
    known = [
        token[0].isalnum() and any(stem in asked for stem in stems(word))
        for token, word in zip(tokens, low, strict=True)
    ]
    marks = [not token[0].isalnum() and token[0] not in '"$€£' for token in tokens]
    verbs = [i > 0 and low[i - 1] in _SUBJECTS for i in range(len(tokens))]
    small = list(_runs([marks[i] or known[i] or verbs[i] or low[i] in _CUTS for i in range(len(tokens))]))
    clauses = list(_runs([marks[i] or low[i] in _BREAKS for i in range(len(tokens))]))
    found = dict.fromkeys([(run, False) for run in [*small, *_joined(small, low)]] + [(run, True) for run in clauses])
    made = (_piece(tokens, low, known, run, whole) for run, whole in found)
    return [piece for piece in made if piece is not None]


def _runs(cuts: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The stretches between the cuts, as (start, end)."""
    start = 0
    for place, cut in enumerate([*cuts, True]):
        if cut:
            if place > start:
                yield start, place
            start = place + 1


def _joined(runs: Sequence[tuple[int, int]], low: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Neighbouring runs with nothing but commas, "and" or "or" between them: a list."""
    for first in range(len(runs)):
        for last in range(first + 1, min(len(runs), first + 5)):
            if not set(low[runs[last - 1][1] : runs[last][0]]) <= _JOINS:
                break
            yield runs[first][0], runs[last][1]


def _piece(
    tokens: Sequence[str], low: Sequence[str], known: Sequence[bool], run: tuple[int, int], whole: bool
) -> AnswerPiece | None:
    start, end = run
    empty = STOP_WORDS | _LINKS
    while start < end and low[start] in empty:
        start += 1
    while end > start and (low[end - 1] in empty or (not low[end - 1][0].isalnum() and low[end - 1][0] != '"')):
        end -= 1
    if not 0 < end - start <= LONGEST:
        return None
    inside = range(start, end)
    before = low[run[0] - 1 : start][-2:] if run[0] else low[:start][-2:]
    text = re.sub(r" ([,;:.!?)])", r"\1", " ".join(tokens[i] for i in inside)).strip('"')
    return AnswerPiece(
        text,
        end - start,
        sum(low[i] not in empty and not known[i] and low[i][0].isalnum() for i in inside),
        sum(tokens[i][0].isupper() for i in inside if i),
        any(known[max(0, start - 4) : start]),
        bool(_PLACED.intersection(before)),
        any(low[i][0].isdigit() or low[i][0] in "$€£" or low[i] in _NUMBERS for i in inside),
        whole,
    )
