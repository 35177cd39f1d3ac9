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
from .workers import in_chunks

Floats = NDArray[np.float32]

# Rows converted at once: the float32 of a chunk stays in the cache of a core.
CHUNK = 2_048

# A batch whose best row comes this close to the k best is a reason to score the next one too: with it
# clusters of a thousand vectors, alike at random, lose nothing; embedded sentences take 600 rows, not 540.
NEARLY = 0.02


def margin(dimension: int) -> float:
    """More than twice what float32 can be wrong by in a dot product of unit vectors, in any order."""
    return dimension * 2.0**-22


def rough(rows: Rows, chosen: RowNumbers | None, query: Vectors) -> Floats:
    """Float32 similarities of some rows (all when None) to one query."""
    wanted = query.astype(np.float32)
    if rows.floats is not None and (chosen is None or len(chosen) * 4 > rows.count):
        slots = rows.slots if chosen is None else rows.slots.take(chosen)
        return np.asarray((rows.floats[: rows.tail_used] @ wanted).take(slots))
    picked = np.arange(rows.count, dtype=np.int64) if chosen is None else chosen

    def score(part: slice) -> Floats:
        # einsum, for BLAS would start threads of its own for a matrix as small as this
        found: Floats = np.einsum("ij,j->i", rows.vectors(picked[part]).astype(np.float32), wanted)
        return found

    return np.concatenate(in_chunks(score, len(picked), CHUNK))


def exact(rows: Rows, chosen: RowNumbers, query: Vectors) -> Similarities:
    """The similarities of some rows to one query."""
    wanted = query.astype(np.float64)
    found = np.empty(len(chosen), dtype=np.float64)
    for start in range(0, len(chosen), CHUNK):
        part = slice(start, start + CHUNK)
        np.einsum("ij,j->i", rows.vectors(chosen[part]).astype(np.float64), wanted, out=found[part])
    return found


def best(rows: Rows, chosen: RowNumbers | None, query: Vectors, k: int) -> tuple[Keys, Similarities]:
    """The k most similar of some rows (all when None), by similarity and then by key. Exact."""
    return _best(rows, chosen, rough(rows, chosen, query), query, k)


def best_of_ranked(rows: Rows, ranked: RowNumbers, query: Vectors, k: int, first: int) -> tuple[Keys, Similarities]:
    """The k most similar of rows that stand in a likely order, without scoring all of them.

    The first few are scored, then as many again, and so on until a batch comes nowhere near the k best:
    where the order tells little, more of it is read.
    """
    scores = rough(rows, ranked[:first], query)
    while len(scores) < len(ranked):
        more = rough(rows, ranked[len(scores) : 2 * len(scores)], query)
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        scores = np.concatenate((scores, more))
        if more.max() < last - NEARLY:
            break
    return _best(rows, ranked[: len(scores)], scores, query, k)


def _best(rows: Rows, chosen: RowNumbers | None, scores: Floats, query: Vectors, k: int) -> tuple[Keys, Similarities]:
    if k < len(scores):
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        promising = np.flatnonzero(scores >= last - margin(rows.dimension))
    else:
        promising = np.arange(len(scores), dtype=np.int64)
    picked = promising if chosen is None else chosen.take(promising)
    return _ordered(rows.keys.take(picked), exact(rows, picked, query), k)


def at_least(rows: Rows, chosen: RowNumbers | None, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
    """For each query, those of some rows (all when None) at least `floor` similar. Exact."""
    narrow, wide = queries.astype(np.float32), queries.astype(np.float64)
    picked = np.arange(rows.count, dtype=np.int64) if chosen is None else chosen
    nothing = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64))
    hits: list[list[tuple[Keys, Similarities]]] = [[nothing] for _ in queries]
    for start in range(0, len(picked), CHUNK):
        numbers = picked[start : start + CHUNK]
        vectors = rows.vectors(numbers)
        promising = narrow @ vectors.astype(np.float32).T >= floor - margin(rows.dimension)
        some = np.flatnonzero(promising.any(axis=0))
        similarities = wide @ vectors[some].astype(np.float64).T
        for query in np.flatnonzero(promising.any(axis=1)):
            enough = np.flatnonzero(similarities[query] >= floor)
            hits[query].append((rows.keys.take(numbers[some[enough]]), similarities[query, enough]))
    return [
        _ordered(np.concatenate([keys for keys, _ in found]), np.concatenate([values for _, values in found]))
        for found in hits
    ]


def _ordered(keys: Keys, similarities: Similarities, k: int | None = None) -> tuple[Keys, Similarities]:
    order = np.lexsort((keys, -similarities))[:k]
    return keys[order], similarities[order]
