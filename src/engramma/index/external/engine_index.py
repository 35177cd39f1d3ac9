"""An index whose candidates come from another engine, and whose vectors come from the database."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...store.store import Store, encode_keys
from ..live import FreshIndex
from ..scan import EXACT_LIMIT, FaissIndex
from ..vector_index import Keys, Similarities, Vectors
from .sync import Follower

# Asked for beyond what is wanted, so that what an engine puts in a slightly other order is still among it.
OVERFETCH, SPARE = 2, 32

# Engines compute in float32. What they leave out may be better than the last they bring by so much at most.
MARGIN = 1e-4

# An engine whose similarities are further off than this answers something else than what was asked.
SANE = 0.02


class FreshBacked:
    """Hands out an index that an engine answers for, as long as it does; else the built-in scan."""

    def __init__(self, scan: FreshIndex, follower: Follower, store: Store) -> None:
        self._scan, self.follower, self._store = scan, follower, store

    def fresh(self) -> tuple[BackedIndex | FaissIndex, int]:
        """The index, and the change up to which it knows the store."""
        with self._store.snapshot():
            if not self.follower.ready():
                return self._scan.fresh()
            seq = max(self._store.last_change(), self.follower.reached)
        return BackedIndex(self._store, self._scan, self.follower, self._scan.dimension), seq

    def written(self) -> None:
        """Hand over what was just stored; where only one process may have the engine open, only that one does."""
        if self.follower.is_open or not self.follower.is_private:
            self.follower.ready()


class BackedIndex:
    """A `VectorIndex` over what is live. Read it in the snapshot it was made in."""

    def __init__(self, store: Store, scan: FreshIndex, follower: Follower, dimension: int) -> None:
        self._store, self._scan, self._follower, self._dimension = store, scan, follower, dimension
        self._count: int | None = None

    @property
    def dimension(self) -> int:
        return self._dimension

    def search(
        self, query: Vectors, k: int, *, allowed: Keys | None = None, excluded: Keys | None = None
    ) -> tuple[Keys, Similarities]:
        """The k nearest rows to one query, among `allowed` (all when None) and not in `excluded`.

        Few allowed rows are scored one by one: an engine that searches all of them might find none.
        """
        wanted = np.asarray(query, dtype=np.float16).reshape(-1)
        if allowed is not None and len(allowed) <= EXACT_LIMIT:
            few = FaissIndex(self._dimension)
            few.add(*self._rows(np.unique(np.asarray(allowed, dtype=np.int64))))
            return few.search(wanted, k, excluded=excluded)
        found = None if k <= 0 else self._asked(wanted, k, allowed, excluded)
        if found is not None:
            return found
        return self._scan.fresh()[0].search(wanted, k, allowed=allowed, excluded=excluded)

    def within(self, query: Vectors, floor: float) -> tuple[Keys, Similarities]:
        """Every row at least `floor` similar to one query: always the built-in scan's answer."""
        return self._scan.fresh()[0].within(query, floor)

    def within_many(self, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
        """`within` for each of several queries."""
        return self._scan.fresh()[0].within_many(queries, floor)

    def vectors(self, keys: Keys) -> Vectors:
        """The stored vectors of known keys, in the order asked; KeyError for a key that is not there."""
        asked = np.asarray(keys, dtype=np.int64)
        known, vectors = self._rows(np.unique(asked))
        missing = np.setdiff1d(asked, known)
        if len(missing):
            raise KeyError(int(missing[0]))
        return vectors[np.searchsorted(known, asked)]

    def singles(self, keys: Keys) -> NDArray[np.float32]:
        """The same as float32."""
        return self.vectors(keys).astype(np.float32)

    def holds(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of the keys are there."""
        asked = np.asarray(keys, dtype=np.int64)
        return np.isin(asked, self._store.keys("backed_keys", keys=encode_keys(np.unique(asked))))

    def __contains__(self, key: int) -> bool:
        return bool(self.holds(np.array([key], dtype=np.int64))[0])

    def __len__(self) -> int:
        if self._count is None:
            row = self._store.one("backed_count")
            assert row is not None
            self._count = int(row[0])
        return self._count

    def _rows(self, keys: Keys) -> tuple[Keys, Vectors]:
        return self._store.vectors("backed_by_keys", self._dimension, keys=encode_keys(keys))

    def _asked(
        self, query: Vectors, k: int, allowed: Keys | None, excluded: Keys | None
    ) -> tuple[Keys, Similarities] | None:
        """What the engine proposes, scored exactly; None where the built-in scan has to answer.

        More is asked for until the last of the k stands clear of all that was not brought.
        """
        if not (total := len(self)):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        fetch = OVERFETCH * k + SPARE + (0 if excluded is None else len(excluded))
        while min(fetch, total) <= self._follower.most:
            if (proposed := self._follower.nearest(query, min(fetch, total))) is None:
                return None
            keys, similarities = self._scored(query, *proposed)
            if keys is None or len(keys) < min(fetch, total):
                return None
            lowest = similarities[-1]
            good = np.ones(len(keys), dtype=bool) if allowed is None else np.isin(keys, allowed)
            good &= True if excluded is None else ~np.isin(keys, excluded)
            keys, similarities = keys[good][:k], similarities[good][:k]
            if fetch >= total or (len(keys) == k and similarities[-1] > lowest + MARGIN):
                return keys, similarities
            fetch *= 4
        return None

    def _scored(self, query: Vectors, keys: Keys, told: Similarities) -> tuple[Keys | None, Similarities]:
        """Exact similarities of proposed rows, best first; no keys where they cannot have been asked for."""
        order = np.argsort(keys)
        known, vectors = self._rows(keys[order])
        if len(known) != len(keys):
            self._follower.distrust(f"it returned {len(keys) - len(known)} segments that do not exist")
            return None, told
        exact = np.einsum("ij,j->i", vectors.astype(np.float64), query.astype(np.float64))
        if len(exact) and float(np.abs(exact - told[order]).max()) > SANE:
            self._follower.distrust("its similarities do not match the vectors it was given")
            return None, told
        self._follower.trust()
        ranked = np.lexsort((known, -exact))
        return known[ranked], exact[ranked]
