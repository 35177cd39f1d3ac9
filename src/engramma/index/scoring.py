"""Similarities: float32 to choose rows, float64 to say how similar they are.

The float64 value is exact: a product of two float16 numbers is a multiple of 2^-48, and sums below 2
of such multiples fit into 53 bits. Float32 is only ever used with a margin that covers its error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .codes import RowNumbers
from .index import Keys, Similarities, Vectors
from .rows import Rows
from .workers import spans, spread

Floats = NDArray[np.float32]

# Rows converted at once: the float32 of a chunk stays in the cache of a core.
CHUNK = 2_048

# Fewer rows than this are scored sooner than a second thread wakes up.
ROWS_A_WORKER = 512


def margin(dimension: int) -> float:
    """More than twice what float32 can be wrong by in a dot product of unit vectors, in any order."""
    return dimension * 2.0**-22


def rough(rows: Rows, chosen: RowNumbers | None, query: Vectors) -> Floats:
    """Float32 similarities of some rows (all when None) to one query."""
    wanted = query.astype(np.float32)
    if rows.floats is not None and (chosen is None or len(chosen) * 4 > rows.count):
        slots = rows.slots if chosen is None else rows.slots[chosen]
        return np.asarray((rows.floats[: rows.tail_used] @ wanted)[slots])
    if chosen is None:
        chosen = np.arange(rows.count, dtype=np.int64)
    scores = np.empty(len(chosen), dtype=np.float32)

    def score(span: tuple[int, int]) -> None:
        for start in range(*span, CHUNK):
            part = slice(start, min(start + CHUNK, span[1]))
            # einsum, for BLAS would start threads of its own for a matrix as small as this
            np.einsum("ij,j->i", rows.vectors(chosen[part]).astype(np.float32), wanted, out=scores[part])

    spread(score, spans(len(chosen), ROWS_A_WORKER))
    return scores


def exact(rows: Rows, chosen: RowNumbers, query: Vectors) -> Similarities:
    """The similarities of some rows to one query."""
    wanted = query.astype(np.float64)
    found = np.empty(len(chosen), dtype=np.float64)
    for start in range(0, len(chosen), CHUNK):
        part = slice(start, start + CHUNK)
        np.einsum("ij,j->i", rows.vectors(chosen[part]).astype(np.float64), wanted, out=found[part])
    return found


def best(rows: Rows, chosen: RowNumbers | None, query: Vectors, k: int) -> tuple[Keys, Similarities]:
    """The k most similar of some rows (all when None), exactly, by similarity and then by key."""
    scores = rough(rows, chosen, query)
    if k < len(scores):
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        promising = np.flatnonzero(scores >= last - margin(rows.dimension))
    else:
        promising = np.arange(len(scores), dtype=np.int64)
    chosen = promising if chosen is None else chosen[promising]
    return ordered(rows.keys[chosen], exact(rows, chosen, query), k)


def ordered(keys: Keys, similarities: Similarities, k: int | None = None) -> tuple[Keys, Similarities]:
    """Sort by similarity, then by key, and keep the first k."""
    order = np.lexsort((keys, -similarities))[:k]
    return keys[order], similarities[order]


def at_least(
    rows: Rows, chosen: RowNumbers | None, queries: Vectors, floor: float
) -> list[tuple[Keys, Similarities]]:
    """For each query, those of some rows (all when None) at least `floor` similar, exactly."""
    narrow, wide = queries.astype(np.float32), queries.astype(np.float64)
    chosen = np.arange(rows.count, dtype=np.int64) if chosen is None else chosen
    hits: list[list[tuple[RowNumbers, Similarities]]] = [[] for _ in queries]
    for start in range(0, len(chosen), CHUNK):
        numbers = chosen[start : start + CHUNK]
        vectors = rows.vectors(numbers)
        rough_enough = narrow @ vectors.astype(np.float32).T >= floor - margin(rows.dimension)
        some = np.flatnonzero(rough_enough.any(axis=0))
        similarities = wide @ vectors[some].astype(np.float64).T
        for query, enough in enumerate(similarities >= floor):
            hits[query].append((numbers[some[enough]], similarities[query, enough]))
    joined = []
    for found in hits:
        numbers = np.concatenate([numbers for numbers, _ in found] or [np.empty(0, dtype=np.int64)])
        similarities = np.concatenate([values for _, values in found] or [np.empty(0)])
        joined.append(ordered(rows.keys[numbers], similarities))
    return joined
