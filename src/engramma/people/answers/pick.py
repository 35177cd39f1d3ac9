"""Picking the piece of the found turns that answers a question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .attribution import Attributed, AttributedQuestion, is_first_person, is_reaction
from .spans import AnswerPiece, TurnSentence, cut_sentence, split_turn

READ = 4  # turns whose sentences are looked at
MOST_WORDS = 6  # telling words; more of them do not make a better answer
# Fitted on the LoCoMo development half by evaluate/bench/answer_fit.py (docs/log.md, "Honest answers").
WEIGHTS = {
    "turn": 1.1,  # how far behind the best turn it stands
    "best": 1.2,  # its sentence has the most of the question's words in its turn
    "asks": -1.6,
    "first_person": 0.5,
    "reaction": -1.7,
    "telling": 2.1,  # words that the question does not have
    "echo": 1.5,  # words that tell nothing or that the question has
    "after": 1.7,  # right after a word of the question
    "whole": -1.1,  # a whole clause
    "name": 1.9,
    "name_wanted": 3.3,
    "place_wanted": 2.0,
    "number_wanted": 7.2,
}
_ADDRESS = re.compile(r"(?:^|,\s*)([^\W\d_]{3,})(?=\s*(?:[,.!?;:—–-]|$))")
MOST_LISTED = 4  # pieces of a list


@dataclass(frozen=True, slots=True)
class Picked:
    """A piece that may be the answer, the turn it stands in, and how well it fits."""

    text: str
    turn: Attributed
    score: float
    counts: bool = False  # has a number


def picked(kind: str, asked: AttributedQuestion, turns: Sequence[Attributed]) -> list[Picked]:
    """The pieces of the first turns, the best first."""
    found = [
        Picked(piece.text, turn, sum(WEIGHTS.get(name, 0.0) * value for name, value in measures.items()), piece.counts)
        for piece, turn, measures in candidates(kind, asked, turns)
    ]
    return sorted(found, key=lambda one: -one.score)


def pick_list_items(found: Sequence[Picked]) -> list[Picked]:
    """The first pieces that share no word: the items of a list."""
    kept: list[Picked] = []
    known: set[str] = set()
    for one in found:
        words = set(one.text.lower().split())
        if known.isdisjoint(words):
            kept.append(one)
            known |= words
        if len(kept) == MOST_LISTED:
            break
    return kept


def candidates(
    kind: str, asked: AttributedQuestion, turns: Sequence[Attributed]
) -> list[tuple[AnswerPiece, Attributed, dict[str, float]]]:
    """Every piece of the first turns with its measures."""
    total = sum(asked.rarity.values()) or 1.0
    found = []
    for turn in turns[:READ]:
        parts, here = split_turn(turn.said.text), (turn.said.speaker, *turn.said.to, *asked.people)
        shares = [asked.overlap(part.stems) / total for part in parts]
        weight = math.log(max(turn.weight, 1e-6) / max(turns[0].weight, 1e-6))
        for place, part in enumerate(parts):
            around = {
                "turn": weight,
                "best": float(shares[place] == max(shares) and shares[place] > 0),
                **_sentence(part),
            }
            found += [
                (piece, turn, {**around, **_piece(kind, piece)})
                for piece in cut_sentence(without_address(part.text, here), asked.rarity)
                if not _is_address(piece.text, here)
            ]
    return found


def without_address(sentence: str, people: Sequence[str]) -> str:
    """A sentence without the name of the one spoken to: "It was okay, Melanie!" -> "It was okay!" """

    def kept(match: re.Match[str]) -> str:
        return "" if _is_address(match[1], people) else match[0]

    return _ADDRESS.sub(kept, sentence)


def _is_address(text: str, people: Sequence[str]) -> bool:
    """Whether a piece only calls those who talk by their names, or by the beginning of them."""
    names = [part for name in people for part in name.casefold().split()]
    return all(any(name.startswith(word) for name in names) for word in text.casefold().split())


def _sentence(part: TurnSentence) -> dict[str, float]:
    return {
        "asks": float(part.asks),
        "first_person": float(is_first_person(part.text)),
        "reaction": float(is_reaction(part.text)),
    }


def _piece(kind: str, piece: AnswerPiece) -> dict[str, float]:
    return {
        "telling": min(piece.telling, MOST_WORDS) / MOST_WORDS,
        "echo": (piece.words - piece.telling) / piece.words,
        "after": float(piece.after),
        "whole": float(piece.whole),
        "name": float(piece.capitals > 0),
        "name_wanted": float(kind in ("who", "where") and piece.capitals > 0),
        "place_wanted": float(kind == "where" and piece.placed),
        "number_wanted": float(kind == "how_many" and piece.counts),
    }
