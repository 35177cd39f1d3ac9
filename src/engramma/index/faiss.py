"""The default index: vectors in memory, scanned whole while few, through one-bit codes when many."""

from __future__ import annotations

from threading import Lock

import numpy as np

from ..errors import BadInput
from . import scoring
from .codes import RowNumbers, nearest_codes, scan_code
from .index import Keys, Similarities, Vectors
from .rows import Rows, compacted, empty, with_added, without

# Up to here a scan of every row takes about a millisecond and misses nothing.
EXACT_LIMIT = 20_000

# Linking asks for every row above a floor, once a session and not while someone waits for an answer:
# there a whole scan pays up to so many times that (100,000 rows and 30 questions together: 0.1 s).
EXACT_WITHIN = 5

# Rows that the scan of codes hands on to be scored by their vectors. At 60,000 embedded sentences
# 400 hold .998 of the ten nearest and 800 all of them; vectors that fall into clusters of a thousand
# at random, as synthetic ones do, need more than a cluster. More rows, more near misses: hence the root.
RESCORE = 2_000
RESCORE_ROOT = 3.0
RESCORE_PER_RESULT = 10
RESCORE_WITHIN = 4

# Where the candidates would be a larger share of the rows than one in so many, all rows are scored.
MOST_SHARE = 8


class FaissIndex:
    """A `VectorIndex` in memory. Any number of threads may search while one adds or removes."""

    def __init__(self, dimension: int, *, exact_limit: int = EXACT_LIMIT) -> None:
        self._exact_limit = exact_limit
        self._writing = Lock()
        self._rows = empty(dimension)

    @classmethod
    def of(cls, rows: Rows, *, exact_limit: int = EXACT_LIMIT) -> FaissIndex:
        """An index over rows that exist already, as a cache file holds them."""
        index = cls(rows.dimension, exact_limit=exact_limit)
        index._rows = compacted(rows, exact_limit) if rows.count <= exact_limit else rows
        return index

    @property
    def dimension(self) -> int:
        return self._rows.dimension

    @property
    def rows(self) -> Rows:
        """The rows as they stand now; later changes do not show in what this returned."""
        return self._rows

    def add(self, keys: Keys, vectors: Vectors) -> None:
        """Add rows; a key that is present already, or comes again in the same call, is replaced."""
        keys, vectors = np.asarray(keys, dtype=np.int64), self._checked(vectors)
        if keys.shape != vectors.shape[:1]:
            raise BadInput(f"{keys.size} keys came with {len(vectors)} vectors; give one key a vector.")
        if not keys.size:
            return
        with self._writing:
            self._rows = with_added(self._rows, keys, vectors, self._exact_limit)

    def remove(self, keys: Keys) -> None:
        """Drop rows; unknown keys are ignored."""
        with self._writing:
            gone = self._rows.find(np.asarray(keys, dtype=np.int64))
            if gone.size:
                self._rows = without(self._rows, gone, self._exact_limit)

    def search(
        self, query: Vectors, k: int, *, allowed: Keys | None = None, excluded: Keys | None = None
    ) -> tuple[Keys, Similarities]:
        """The k nearest rows to one query, among `allowed` (all when None) and not in `excluded`.

        Exact while no more than the exact limit of rows come into question, be it that the index is
        small or that few rows are allowed; above, the best of the candidates that the codes propose.
        """
        rows, wanted = self._rows, self._query(query)
        chosen = None if allowed is None else rows.find(np.asarray(allowed, dtype=np.int64))
        barred = rows.find(np.asarray([] if excluded is None else excluded, dtype=np.int64))
        if barred.size and (chosen is not None or rows.count <= self._exact_limit or barred.size > RESCORE):
            chosen = np.setdiff1d(_all(rows) if chosen is None else chosen, barred, assume_unique=True)
            barred = barred[:0]
        total = rows.count if chosen is None else len(chosen)
        if k <= 0 or not total:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        if total > self._exact_limit:
            # the few rows that may not be returned are dropped from as many more candidates
            count = max(rescored(total), RESCORE_PER_RESULT * k) + barred.size
            (chosen,) = _candidates(rows, chosen, wanted[None], count)
            if barred.size:
                chosen = np.setdiff1d(_all(rows) if chosen is None else chosen, barred, assume_unique=True)
        return scoring.best(rows, chosen, wanted, k)

    def within(self, query: Vectors, floor: float) -> tuple[Keys, Similarities]:
        """Every row at least `floor` similar to one query; as `within_many` in a large index."""
        return self.within_many(self._query(query)[None], floor)[0]

    def within_many(self, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
        """`within` for each of several queries, in one pass over the rows.

        Exact up to EXACT_WITHIN times the exact limit. Above that, the rows come from the candidates that the
        codes propose, RESCORE_WITHIN times as many as for a search: where more rows than those pass
        the floor, or some of the least similar have codes that look further away, they are missing.
        """
        rows, wanted = self._rows, self._checked(queries)
        if rows.count <= self._exact_limit * EXACT_WITHIN:
            return scoring.at_least(rows, None, wanted, floor)
        found = _candidates(rows, None, wanted, RESCORE_WITHIN * rescored(rows.count))
        return [scoring.at_least(rows, found[i], wanted[i : i + 1], floor)[0] for i in range(len(wanted))]

    def vectors(self, keys: Keys) -> Vectors:
        """The stored vectors of known keys, in the order asked; KeyError for a key that is not there."""
        rows, asked = self._rows, np.asarray(keys, dtype=np.int64)
        at, present = rows.locate(asked)
        if not present.all():
            raise KeyError(int(asked[~present][0]))
        return rows.vectors(at)

    def __contains__(self, key: int) -> bool:
        return bool(self._rows.find(np.array([key], dtype=np.int64)).size)

    def __len__(self) -> int:
        return self._rows.count

    def _query(self, query: Vectors) -> Vectors:
        """One query as a row of its own; (d,) and (1, d) are both taken."""
        return self._checked(np.asarray(query).reshape(1, -1)).reshape(-1)

    def _checked(self, vectors: Vectors) -> Vectors:
        """Vectors of the right shape and finite, as float16."""
        given = np.asarray(vectors, dtype=np.float16)
        if given.ndim != 2 or given.shape[1] != self.dimension:
            raise BadInput(
                f"The index takes vectors of {self.dimension} dimensions, not shape {given.shape}."
            )
        if not np.isfinite(given).all():
            raise BadInput("A vector holds a value that is not a finite number; embed the text again.")
        return given


def rescored(total: int) -> int:
    """How many of so many rows are scored by their vectors in one search."""
    return max(RESCORE, int(RESCORE_ROOT * total**0.5))


def _all(rows: Rows) -> RowNumbers:
    return np.arange(rows.count, dtype=np.int64)


def _candidates(
    rows: Rows, chosen: RowNumbers | None, queries: Vectors, count: int
) -> list[RowNumbers | None]:
    """For each query, the rows among `chosen` (all when None) whose codes are nearest."""
    total = rows.count if chosen is None else len(chosen)
    if count * MOST_SHARE >= total:
        return [chosen for _ in queries]
    codes = rows.codes if chosen is None else rows.codes[chosen]
    near = nearest_codes(codes, scan_code(queries), count)
    return [part if chosen is None else chosen[part] for part in near]
