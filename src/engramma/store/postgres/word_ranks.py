"""The best segments by BM25, from what the server knows of every one that has a word of the question.

The sums are FTS5's, in its order, so the scores are the same to the last bit; and so are the places, as equal ones are
settled by the segments' ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..database import Row
from .values import row_class

RANKED = frozenset({"words_search", "cold_search"})
HEADER = 20  # bytes of an array as it is sent before its items: dimensions, flags, type, length, start
K1, B = 1.2, 0.75  # FTS5's
SPREAD = 16  # keys that lie further apart than so many times their number are sorted instead of counted

RankedRow = row_class(("key", "score"))


def rank_segments(rows: Sequence[Row], limit: int, ties_of: Callable[[list[int]], list[Row]]) -> list[Row]:
    """The first `limit` as (key, score), best first; `rows` is a phrase each."""
    if not rows:
        return []
    keys, costs = summed([(array_items(row["keys"], ">i8"), terms_of(row)) for row in rows])
    least = np.partition(costs, limit - 1)[limit - 1] if len(costs) >= limit else 0.0
    good = costs <= least
    kept, cost = keys[good], costs[good]
    ties = {int(row["key"]): int(row["tie"]) for row in ties_of(kept.tolist())}
    found = sorted((c, ties[key], key) for key, c in zip(kept.tolist(), cost.tolist(), strict=True) if key in ties)
    return [RankedRow((key, -c)) for c, _, key in found[:limit]]


def terms_of(row: Row) -> NDArray[np.float64]:
    """What a phrase adds to the score of each segment that has it."""
    lengths = array_items(row["lengths"], ">i8").astype(np.float64)
    times = array_items(row["times"], ">f8").astype(np.float64)
    told: NDArray[np.float64] = row["weight"] * (
        (times * (K1 + 1.0)) / (times + K1 * ((1.0 - B) + B * lengths / row["mean"]))
    )
    return told


def summed(
    phrases: Sequence[tuple[NDArray[Any], NDArray[np.float64]]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each segment's key and the negative of its score, phrase by phrase."""
    every = np.concatenate([keys for keys, _ in phrases]).astype(np.int64)
    first, width = int(every.min()), int(every.max()) - int(every.min()) + 1
    if width <= SPREAD * len(every):
        total = np.zeros(width)
        has = np.zeros(width, bool)
        for keys, told in phrases:
            at = keys.astype(np.int64) - first
            total[at] += told
            has[at] = True
        at = np.flatnonzero(has)
        return at + first, -total[at]
    distinct, places = np.unique(every, return_inverse=True)
    total, start = np.zeros(len(distinct)), 0
    for keys, told in phrases:
        total[places[start : start + len(keys)]] += told
        start += len(keys)
    return distinct, -total


def array_items(sent: bytes, kind: str) -> NDArray[Any]:
    """The items of an array as PostgreSQL sends it, each behind its length; none of them is NULL."""
    item = np.dtype([("length", ">i4"), ("value", kind)])
    found: NDArray[Any] = np.frombuffer(sent, item, offset=HEADER)["value"]
    return found
