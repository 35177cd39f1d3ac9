"""Similarities: float32 to choose rows, float64 to say how similar they are.

The float64 value is exact: a product of two float16 numbers is a multiple of 2^-48, and sums below 2
of such multiples fit into 53 bits. Float32 is only ever used with a margin that covers its error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .codes import RowNumbers
from .rows import IndexRows
from .vector_index import Keys, Similarities, Vectors
from .workers import in_chunks

Floats = NDArray[np.float32]

# Rows converted at once: the float32 of a chunk stays in the cache of a core.
CHUNK = 2_048

# Rows a matrix product takes at once (25 MB of float32): each one may have to wait for its BLAS threads.
MATRIX_CHUNK = 16_384

# Multiplications of a product that BLAS does in the calling thread. Its threads spin for a while after a larger one,
# and linking a session would take a core from embedding the next (docs/log/import-speed.md).
ALONE = 2**18
QUERIES_AT_ONCE = 32

# The second batch decides early. With this margin vectors that are alike at random, in clusters of a
# thousand, lost nothing; embedded sentences then take 600 scored rows a search instead of 540.
NEARLY = 0.02


def margin(dimension: int) -> float:
    """More than twice what float32 can be wrong by in a dot product of unit vectors, in any order."""
    return dimension * 2.0**-22


def rough(rows: IndexRows, chosen: RowNumbers | None, query: Vectors) -> Floats:
    """Float32 similarities of some rows (all when None) to one query."""
    wanted = query.astype(np.float32)
    if rows.floats is not None and (chosen is None or len(chosen) * 4 > rows.count):
        slots = rows.slots if chosen is None else rows.slots.take(chosen)
        return np.asarray(dotted(rows.floats[: rows.tail_used], wanted).take(slots))
    picked = np.arange(rows.count, dtype=np.int64) if chosen is None else chosen

    def score(part: slice) -> Floats:
        return dotted(rows.singles(picked[part]), wanted)

    return np.concatenate(in_chunks(score, len(picked), CHUNK))


def dotted(rows: Floats, query: Floats) -> Floats:
    """The dot products of rows and a query, in this thread alone.

    BLAS would start threads of its own for a few thousand rows and wait for each of them: where other readers keep the
    cores busy, that takes thirty times as long (docs/log/recall-speed.md).
    """
    found: Floats = np.einsum("ij,j->i", rows, query)
    return found


def multiplied(rows: IndexRows, chosen: RowNumbers, queries: Vectors) -> Similarities:
    """The similarities of some rows, a row each, to several queries. Exact, and in this thread alone."""
    found = np.empty((len(chosen), len(queries)), dtype=np.float64)
    for first in range(0, len(queries), QUERIES_AT_ONCE):
        some = np.ascontiguousarray(queries[first : first + QUERIES_AT_ONCE].astype(np.float64).T)
        step = max(1, ALONE // some.size)
        for start in range(0, len(chosen), step):
            part = slice(start, start + step)
            np.matmul(
                rows.singles(chosen[part]).astype(np.float64),
                some,
                out=found[part, first : first + QUERIES_AT_ONCE],
            )
    return found


def best(rows: IndexRows, chosen: RowNumbers | None, query: Vectors, k: int) -> tuple[Keys, Similarities]:
    """The k most similar of some rows (all when None), by similarity and then by key. Exact."""
    return _best(rows, chosen, rough(rows, chosen, query), query, k)


def best_of_ranked(
    rows: IndexRows, ranked: RowNumbers, query: Vectors, k: int, first: int
) -> tuple[Keys, Similarities]:
    """The k most similar of rows that stand in a likely order, without scoring all of them.

    The first few are scored, then as many again, and so on until a batch held none of the k best (the
    second: came nowhere near them). Where the order tells little, more of it is read.
    """
    scores, near = rough(rows, ranked[:first], query), NEARLY
    while len(scores) < len(ranked):
        more = rough(rows, ranked[len(scores) : 2 * len(scores)], query)
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        scores = np.concatenate((scores, more))
        if more.max() < last - near:
            break
        near = 0.0
    return _best(rows, ranked[: len(scores)], scores, query, k)


def _best(
    rows: IndexRows, chosen: RowNumbers | None, scores: Floats, query: Vectors, k: int
) -> tuple[Keys, Similarities]:
    if k < len(scores):
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        promising = np.flatnonzero(scores >= last - margin(rows.dimension))
    else:
        promising = np.arange(len(scores), dtype=np.int64)
    picked = promising if chosen is None else chosen.take(promising)
    similarities = _exactly(rows, query, picked)
    order = np.lexsort((rows.keys.take(picked), -similarities))[:k]
    return rows.keys.take(picked[order]), similarities[order]


def at_least(
    rows: IndexRows, chosen: RowNumbers | None, queries: Vectors, floor: float
) -> list[tuple[Keys, Similarities]]:
    """For each query, those of some rows (all when None) at least `floor` similar. Exact."""
    picked = np.arange(rows.count, dtype=np.int64) if chosen is None else chosen
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64))]
    for start in range(0, len(picked), MATRIX_CHUNK):
        numbers = picked[start : start + MATRIX_CHUNK]
        if len(queries) == 1:
            numbers = numbers[rough(rows, numbers, queries[0]) >= floor - margin(rows.dimension)]
        similarities = multiplied(rows, numbers, queries)
        where, which = np.nonzero(similarities >= floor)
        found.append((which, rows.keys.take(numbers[where]), similarities[where, which]))
    which, keys, similarities = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((keys, -similarities, which))
    ends = np.searchsorted(which[order], np.arange(1, len(queries)))
    return list(zip(np.split(keys[order], ends), np.split(similarities[order], ends), strict=True))


def _exactly(rows: IndexRows, query: Vectors, numbers: RowNumbers) -> Similarities:
    """The similarities of some rows to one query."""
    found, wanted = np.empty(len(numbers), dtype=np.float64), query.astype(np.float64)
    for start in range(0, len(numbers), CHUNK):
        part = slice(start, start + CHUNK)
        np.einsum("j,ij->i", wanted, rows.singles(numbers[part]).astype(np.float64), out=found[part])
    return found
