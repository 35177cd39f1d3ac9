"""Answers that quote: said, quoted, wrong or refused, beside two baselines that need no reader.

A short gold answer is *said* if most of its words are in the answer, *quoted* if they are in the turn it rests on, and
else the answer is *wrong*. The baselines are asked in the same run: `bm25 quote` says the sentence of the best BM25
turn that fits best, `best turn` the whole text of recall's first hit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.sentences import sentences
from ..records import Candidate, Turn
from ..records.people import Answer
from .baselines import bm25
from .task import BenchmarkQuestion, BenchmarkStore

ENGRAMMA, BM25_QUOTE, BEST_TURN = SYSTEMS = ("engramma", "bm25 quote", "best turn")
LEAST_COVERED = 0.7  # of the gold answer's words
MOST_WORDS = 8  # of a short answer: a longer one can be right in other words
NUMBERS = {word: str(n) for n, word in enumerate("zero one two three four five six seven eight nine ten".split())}  # noqa: SIM905
NUMBERS |= {"eleven": "11", "twelve": "12"}
UNCOUNTED = frozenset(
    """
    a an the of to in on at for with and or is are was were be been it its this that my your his her their i you he she
    they we as by from about had has have did do does
    """.split()  # noqa: SIM905
)

Quoter = Callable[[str], tuple[str, str, float]]  # a question -> what it says, the turn, how sure


@dataclass(frozen=True, slots=True)
class QuoteOutcome:
    """What one system made of one question."""

    question: BenchmarkQuestion
    is_said: bool
    is_quoted: bool  # or said
    is_refused: bool
    confidence: float


def content_words(text: object) -> list[str]:
    """The words that count, without plural endings, numbers as digits."""
    found = re.findall(r"[a-z0-9]+", str(text).lower().replace(",", ""))
    return [NUMBERS.get(word, word.rstrip("s") if len(word) > 3 else word) for word in found if word not in UNCOUNTED]


def covers_answer(text: str, gold: str) -> bool:
    """Whether most words of the gold answer are in a text."""
    wanted, said = content_words(gold), set(content_words(text))
    return bool(wanted) and sum(word in said for word in wanted) / len(wanted) >= LEAST_COVERED


def is_short(question: BenchmarkQuestion) -> bool:
    """Whether the words of its answer can be looked for: few, and not an advice that fits somebody's taste."""
    return bool(content_words(question.answer)) and len(content_words(question.answer)) <= MOST_WORDS


def outcome_of(question: BenchmarkQuestion, text: str, turn: str, refused: bool, confidence: float) -> QuoteOutcome:
    said = not refused and covers_answer(text, question.answer)
    quoted = said or (not refused and covers_answer(turn, question.answer))
    return QuoteOutcome(question, said, quoted, refused, confidence)


def answer_outcome(question: BenchmarkQuestion, answer: Answer) -> QuoteOutcome:
    """Of what `ask` says."""
    turn = answer.evidence[0].text if answer.evidence else ""
    return outcome_of(question, answer.text, turn, answer.abstained, answer.confidence)


def best_turn_outcome(question: BenchmarkQuestion, hit: Candidate | None) -> QuoteOutcome:
    """Of the text that recall finds first."""
    text, score = ("", 0.0) if hit is None else (hit.text, hit.score)
    return outcome_of(question, text, text, hit is None, score)


def bm25_outcome(question: BenchmarkQuestion, quote: Quoter) -> QuoteOutcome:
    """Of the best BM25 turn's best sentence."""
    text, turn, score = quote(question.text)
    return outcome_of(question, text, turn, not turn, score)


def bm25_quoters(store: BenchmarkStore) -> dict[str | None, Quoter]:
    """A quoter for each conversation, and one for all of them together under None."""
    turns: dict[str | None, list[Turn]] = defaultdict(list)
    for talk in store.conversations:
        for session in talk.sessions:
            turns[None] += session.turns
            turns[talk.id] += session.turns
    made: dict[str | None, Quoter] = {None: bm25_quoter(turns.pop(None, []))}
    for name, own in turns.items():
        made[name] = bm25_quoter(own) if len(store.conversations) < 100 else made[None]  # asked of everything there
    return made


def bm25_quoter(turns: Sequence[Turn]) -> Quoter:
    """The best turn by BM25, and the sentence in it that is best by the same measure."""
    score = bm25([turn.text for turn in turns]) if turns else None

    def quote(question: str) -> tuple[str, str, float]:
        if score is None:
            return "", "", 0.0
        scores = score(question)
        place = int(np.argmax(scores))
        if scores[place] <= 0:
            return "", "", 0.0
        text = turns[place].text
        parts = [text[start:end] for start, end in sentences(text)]
        best = int(np.argmax(bm25(parts)(question))) if parts else 0
        return parts[best] if parts else text, text, float(scores[place])

    return quote


# --- figures -----------------------------------------------------------------------------------


def quote_figures(outcomes: Mapping[str, Sequence[QuoteOutcome]], groups: Sequence[str]) -> dict[str, Any]:
    """Each system's shares, a group of questions each, and how many questions have too long an answer to be judged."""
    every = next(iter(outcomes.values()))
    told = {
        group: {
            system: quote_shares([one for one in own if group in one.question.groups])
            for system, own in outcomes.items()
        }
        for group in groups
        if any(group in one.question.groups for one in every)
    }
    judged = {group: rows for group, rows in told.items() if any(rows[ENGRAMMA].values())}
    long = sum(one.question.is_answerable and not is_short(one.question) for one in every)
    return {"groups": judged, "left_out": long}


def quote_shares(outcomes: Sequence[QuoteOutcome]) -> dict[str, float]:
    """Shares of the short answers; the most confident third is of what was answered; and refusals of the unanswerable.

    The counts are those of the independent measure that guards the product's releases.
    """
    asked = [one for one in outcomes if one.question.is_answerable and is_short(one.question)]
    unknown = [one for one in outcomes if not one.question.is_answerable]
    answered = sorted((one for one in asked if not one.is_refused), key=lambda one: (-one.confidence, not one.is_said))
    top = answered[: max(1, len(answered) // 3)]
    found: dict[str, float] = {"n": len(asked)}
    if asked:
        found |= {
            "said": _share(one.is_said for one in asked),
            "said_or_quoted": _share(one.is_quoted for one in asked),
            "wrong": _share(not one.is_quoted and not one.is_refused for one in asked),
            "refused": _share(one.is_refused for one in asked),
            "most_confident_third": _share(one.is_said for one in top) if top else float("nan"),
        }
    if unknown:
        found |= {"unanswerable": len(unknown), "unanswerable_refused": sum(one.is_refused for one in unknown)}
    return found


def _share(flags: Iterable[bool]) -> float:
    values = [bool(flag) for flag in flags]
    return round(sum(values) / len(values), 4)
