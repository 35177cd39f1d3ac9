"""The default index: vectors in memory, scanned whole while few, through one-bit codes when many."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from . import scoring
from .codes import RowNumbers, proposed
from .rows import Floats, IndexRows, compacted, empty, remove_rows, with_added
from .vector_index import Keys, Similarities, Vectors

# Up to here a scan of every row takes about a millisecond and misses nothing.
EXACT_LIMIT = 20_000

# Linking asks for every row above a floor, once a session and not while someone waits for an answer:
# there the whole scan pays up to so many times that.
EXACT_WITHIN = 5

# Rows that the codes propose for one search. The root: among more rows there are more near misses.
PROPOSED = 2_000
PROPOSED_ROOT = 4.0
PROPOSED_PER_RESULT = 10
PROPOSED_WITHIN = 4

# Proposed rows that are scored first, by their vectors; twice as many follow until they add nothing.
# On 60,000 embedded sentences the first 512 held .998 of the ten nearest.
SCORED_FIRST = 256
SCORED_PER_RESULT = 4

# Where the codes would have to propose more than one row in so many, all are scored instead.
LEAST_GAIN = 6

# The exponent bits of a float16: all of them are set in infinities and in what is not a number.
EXPONENT = np.uint16(0x7C00)


class FaissIndex:
    """A `VectorIndex` in memory. Any number of threads may search while others add or remove."""

    def __init__(self, dimension: int, *, exact_limit: int = EXACT_LIMIT) -> None:
        self._exact_limit = exact_limit
        self._writing = Lock()
        self._rows = empty(dimension)

    @classmethod
    def of(cls, rows: IndexRows, *, exact_limit: int = EXACT_LIMIT) -> FaissIndex:
        """An index over rows that no other index adds to, as they come from a cache file."""
        index = cls(rows.dimension, exact_limit=exact_limit)
        index._rows = compacted(rows, exact_limit) if rows.count <= exact_limit else rows
        return index

    @property
    def dimension(self) -> int:
        return self._rows.dimension

    @property
    def rows(self) -> IndexRows:
        """The rows as they stand now; what was returned does not change with later adds and removes."""
        return self._rows

    def add(self, keys: Keys, vectors: Vectors) -> None:
        """Add rows; a key that is present already, or comes again in the same call, is replaced."""
        keys, vectors = np.asarray(keys, dtype=np.int64), self._checked(vectors)
        if keys.shape != vectors.shape[:1]:
            raise BadInput(f"{keys.size} keys came with {len(vectors)} vectors; give each vector one key.")
        if not keys.size:
            return
        with self._writing:
            self._rows = with_added(self._rows, keys, vectors, self._exact_limit)

    def remove(self, keys: Keys) -> None:
        """Drop rows; unknown keys are ignored."""
        with self._writing:
            gone = self._rows.find(np.asarray(keys, dtype=np.int64))
            if gone.size:
                self._rows = remove_rows(self._rows, gone, self._exact_limit)

    def search(
        self, query: Vectors, k: int, *, allowed: Keys | None = None, excluded: Keys | None = None
    ) -> tuple[Keys, Similarities]:
        """The k nearest rows to one query, among `allowed` (all when None) and not in `excluded`.

        Exact while no more than the exact limit of rows come into question, be it that the index is
        small or that few are allowed; above, the nearest of the rows that the codes propose.
        """
        rows, wanted = self._rows, self._query(query)
        barred = _rows_of(rows, excluded)
        chosen = None if allowed is None else _less(_rows_of(rows, allowed), barred)
        total = rows.count - len(barred) if chosen is None else len(chosen)
        if k <= 0 or total <= 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        # as many more are proposed as will be dropped again
        count = max(_proposals(total), PROPOSED_PER_RESULT * k) + len(barred)
        if total <= self._exact_limit or count * LEAST_GAIN > total:
            if chosen is None and len(barred):
                chosen = _less(np.arange(rows.count, dtype=np.int64), barred)
            return scoring.best(rows, chosen, wanted, k)
        ranked = _less(_ranked(rows, chosen, wanted, count), barred)
        return scoring.best_of_ranked(rows, ranked, wanted, k, max(SCORED_FIRST, SCORED_PER_RESULT * k))

    def within(self, query: Vectors, floor: float) -> tuple[Keys, Similarities]:
        """Every row at least `floor` similar to one query; as `within_many` in a large index."""
        return self.within_many(self._query(query)[None], floor)[0]

    def within_many(self, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
        """`within` for each of several queries, in one pass over the rows.

        Exact up to EXACT_WITHIN times the exact limit. Above that, the rows come from those that the
        codes propose, PROPOSED_WITHIN times as many as for a search: where more rows pass the floor
        than are proposed, or a code looks further away than its vector is, rows are missing.
        """
        rows, wanted = self._rows, self._checked(queries)
        if not len(wanted):
            return []
        if rows.count <= EXACT_WITHIN * self._exact_limit:
            return scoring.at_least(rows, None, wanted, floor)
        count = PROPOSED_WITHIN * _proposals(rows.count)
        return [scoring.at_least(rows, _ranked(rows, None, query, count), query[None], floor)[0] for query in wanted]

    def vectors(self, keys: Keys) -> Vectors:
        """The stored vectors of known keys, in the order asked; KeyError for a key that is not there."""
        rows = self._rows
        return rows.vectors(_located(rows, keys))

    def singles(self, keys: Keys) -> Floats:
        """The same as float32."""
        rows = self._rows
        return rows.singles(_located(rows, keys))

    def holds(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of the keys are there."""
        return self._rows.locate(np.asarray(keys, dtype=np.int64))[1]

    def __contains__(self, key: int) -> bool:
        return bool(self._rows.find(np.array([key], dtype=np.int64)).size)

    def __len__(self) -> int:
        return self._rows.count

    def _query(self, query: Vectors) -> Vectors:
        """One query as (d,); (1, d) is taken too."""
        return self._checked(np.asarray(query).reshape(1, -1)).reshape(-1)

    def _checked(self, vectors: Vectors) -> Vectors:
        """Vectors of the right shape, finite, as float16."""
        given = np.asarray(vectors, dtype=np.float16)
        if given.ndim != 2 or given.shape[1] != self.dimension:
            raise BadInput(f"The index takes vectors of {self.dimension} dimensions, not shape {given.shape}.")
        if (given.view(np.uint16) & EXPONENT == EXPONENT).any():  # isfinite, several times as fast
            raise BadInput("A vector holds a value that is not a finite number; embed the text again.")
        return given


def _proposals(total: int) -> int:
    return max(PROPOSED, int(PROPOSED_ROOT * total**0.5))


def _ranked(rows: IndexRows, chosen: RowNumbers | None, query: Vectors, count: int) -> RowNumbers:
    """Rows among `chosen` (all when None), those of the nearest codes first."""
    if chosen is None:
        return proposed(rows.shorts, rows.longs, query, count)
    return chosen[proposed(rows.shorts.take(chosen, axis=0), rows.longs.take(chosen, axis=0), query, count)]


def _rows_of(rows: IndexRows, keys: Keys | None) -> RowNumbers:
    return np.empty(0, dtype=np.int64) if keys is None else rows.find(np.asarray(keys, dtype=np.int64))


def _located(rows: IndexRows, keys: Keys) -> RowNumbers:
    """Where the keys stand; KeyError for one that is not there."""
    asked = np.asarray(keys, dtype=np.int64)
    at, present = rows.locate(asked)
    if not present.all():
        raise KeyError(int(asked[~present][0]))
    return at


def _less(chosen: RowNumbers, barred: RowNumbers) -> RowNumbers:
    """The chosen rows that are not barred, in the order they have."""
    return chosen[~np.isin(chosen, barred, assume_unique=True)] if len(barred) else chosen
