"""Splits a block of turns into pieces for a model: at changes of subject, never too long."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, cast

import numpy as np

from ...language.text import digest
from ...records import Turn
from ...store.sqlite.database import Row
from ...store.store import Store, turn_of
from ..claims.chunks import Vectors, Way, cut_turns

PIECE_CHARACTERS = 6_000  # some 1,500 tokens: small models have little room
TURN_CHARACTERS = 24_000  # what is read of one turn: the rest is a pasted file
BEFORE = 2  # turns before a piece that are shown for its pronouns


@dataclass(frozen=True, slots=True)
class TurnPart:
    """A turn as far as it is shown: a long one is shown in several pieces."""

    turn: Turn
    start: int  # where the text begins in the turn
    text: str


@dataclass(frozen=True, slots=True)
class TalkPiece:
    """What is shown to a model at once: parts of turns that follow each other, and the turns right before them."""

    parts: tuple[TurnPart, ...]
    before: tuple[Turn, ...] = ()


def cut_block(rows: Sequence[Row], skip: int, way: str, turns: int, segments: Sequence[Row]) -> list[TalkPiece]:
    """A block's turns in pieces; those before it are only shown. `segments` hold the vectors of a cut by topic."""
    shown = [turn_of(row) for row in rows]
    vectors = vectors_of(rows[skip:], segments) if way == "hybrid" else None
    runs = cut_turns(shown[skip:], cast("Way", way), vectors, turns)
    return cut_talk(shown, {skip + at for at in accumulate(len(run) for run in runs)}, skip)


def segments_of(store: Store, session: int, way: str) -> list[Row]:
    """The vectors of a session's segments, where a cut needs them."""
    return store.all("llm_vectors", session=session) if way == "hybrid" else []


def vectors_of(rows: Sequence[Row], segments: Sequence[Row]) -> Vectors | None:
    """Of each turn the vector of its segment; None if one has none."""
    at: dict[int, Any] = {}
    for segment in segments:
        at.update(dict.fromkeys(range(segment["first"], segment["last"] + 1), segment["vector"]))
    if not rows or any(row["position"] not in at for row in rows):
        return None
    found = [at[row["position"]] for row in rows]
    return np.stack([np.frombuffer(vector, dtype="<f2") for vector in found]).astype(np.float32)


def cut_talk(turns: Sequence[Turn], starts: Collection[int], skip: int = 0) -> list[TalkPiece]:
    """Talk in pieces that a model is shown at once: a new one begins where told, and where one would get too long.

    The first `skip` turns are only shown before the others.
    """
    found: list[TalkPiece] = []
    now: list[TurnPart] = []
    first = 0

    def close() -> None:
        if now:
            found.append(TalkPiece(tuple(now), tuple(turns[max(0, first - BEFORE) : first])))
            now.clear()

    for i, turn in enumerate(turns):
        if i in starts:
            close()
        if i < skip or turn.role in ("system", "tool") or not turn.text.strip():
            continue
        for part in _parts(turn):
            if len(part.text) > PIECE_CHARACTERS - sum(len(one.text) for one in now):
                close()
            if not now:
                first = i
            now.append(part)
    close()
    return found


def _parts(turn: Turn) -> Iterator[TurnPart]:
    """A turn in parts of at most a piece's length, cut between words."""
    text, at = turn.text[:TURN_CHARACTERS], 0
    while at < len(text):
        end = min(at + PIECE_CHARACTERS, len(text))
        if end < len(text):
            cut = max(text.rfind(mark, at + PIECE_CHARACTERS // 2, end) for mark in ("\n", ". ", " "))
            end = cut + 1 if cut > at else end
        yield TurnPart(turn, at, text[at:end])
        at = end


def piece_hash(piece: TalkPiece, model: str, prompt: str) -> str:
    """By what was shown to whom: the same piece is asked about once."""
    shown = [f"{part.turn.id}\x1f{part.turn.speaker}\x1f{part.turn.said_at}\x1f{part.start}" for part in piece.parts]
    texts = [part.text for part in piece.parts] + [turn.text for turn in piece.before]
    return digest(prompt, model, *shown, *texts).hex()[:32]
