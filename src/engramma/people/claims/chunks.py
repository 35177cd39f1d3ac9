"""Chunks of talk: runs of turns on one matter, each of them read as a whole by what extracts claims.

Three ways, all of which give every turn to exactly one chunk, in order: a fixed number of turns, silence between
turns, and a shift of topic told by the turns' vectors (the default; it also breaks at a long silence). A shift is
where what was said just before and what is said right after are less alike than anywhere near; a chunk has at least
LEAST and at most MOST turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Literal

import numpy as np

from engramma.records import Turn

Way = Literal["hybrid", "turns", "gaps"]
Vectors = np.ndarray[tuple[int, int], np.dtype[np.floating]]

TURNS = 10  # of a chunk by count
GAP = timedelta(minutes=30)  # a silence after which something else begins, as between sessions
LEAST, MOST = 4, 12  # turns of a hybrid chunk: fewer say too little, more are several matters
LOOK = 3  # turns on each side of a break that are compared
# How far below the session's usual likeness a break lies, in standard deviations of it.
SHIFT = 0.5


def cut_turns(
    turns: Sequence[Turn], way: Way = "hybrid", vectors: Vectors | None = None, size: int = TURNS, gap: timedelta = GAP
) -> tuple[tuple[Turn, ...], ...]:
    """The turns in runs; without vectors a hybrid cut goes by silence and count alone."""
    if not turns:
        return ()
    if way == "turns":
        bounds = list(range(0, len(turns), max(size, 1)))
    elif way == "gaps":
        bounds = _gaps(turns, gap)
    elif way == "hybrid":
        bounds = _hybrid(turns, vectors, gap)
    else:
        raise ValueError(f"unknown chunking {way!r}: use hybrid, turns or gaps")
    return tuple(tuple(turns[a:b]) for a, b in zip(bounds, [*bounds[1:], len(turns)], strict=True) if b > a)


def _gaps(turns: Sequence[Turn], gap: timedelta) -> list[int]:
    """Where a chunk begins: at the first turn, and after each silence that is longer than the gap."""
    found = [0]
    for i in range(1, len(turns)):
        before, after = turns[i - 1].said_at, turns[i].said_at
        if before is not None and after is not None and after - before > gap:
            found.append(i)
    return found


def _hybrid(turns: Sequence[Turn], vectors: Vectors | None, gap: timedelta) -> list[int]:
    if vectors is not None and len(vectors) != len(turns):
        raise ValueError(f"{len(turns)} turns need as many vectors, not {len(vectors)}")
    starts: list[int] = []
    silent = _gaps(turns, gap)
    for first, last in zip(silent, [*silent[1:], len(turns)], strict=True):
        starts += [first, *_shifts(None if vectors is None else vectors[first:last], first, last)]
    return starts


def _shifts(vectors: Vectors | None, first: int, last: int) -> list[int]:
    """Breaks within a run of turns: the deepest shifts of topic that leave no chunk too short, then by count."""
    alike = _likeness(vectors) if vectors is not None and last - first > LEAST else []
    chosen: list[int] = []
    if alike:
        limit = float(np.mean(alike)) - SHIFT * float(np.std(alike))
        # likeness at k compares the turns before and after the break in front of turn k + 1
        for k in sorted(range(len(alike)), key=lambda k: (alike[k], k)):
            at = first + k + 1
            room = all(abs(at - other) >= LEAST for other in (first, last, *chosen))
            if alike[k] <= limit and room:
                chosen.append(at)
    bounds, found = [first, *sorted(chosen), last], sorted(chosen)
    for a, b in pairwise(bounds):
        found += _evenly(a, b)
    return sorted(found)


def _evenly(first: int, last: int) -> list[int]:
    """Breaks that cut a run which is too long into the fewest parts, as equal as they come."""
    parts = -(-(last - first) // MOST)
    return [first + (last - first) * part // parts for part in range(1, parts)]


def _likeness(vectors: Vectors) -> list[float]:
    """How alike the turns before and after each break are: the cosine of their means."""
    rows = np.asarray(vectors, dtype=np.float64)
    found = []
    for k in range(1, len(rows)):
        before, after = rows[max(0, k - LOOK) : k].mean(axis=0), rows[k : k + LOOK].mean(axis=0)
        size = float(np.linalg.norm(before) * np.linalg.norm(after))
        found.append(float(before @ after) / size if size else 0.0)
    return found
