"""An index that includes segments without vectors yet: they are found by words but not by meaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .vector_index import Keys, Similarities, VectorIndex, Vectors


@dataclass(frozen=True, slots=True)
class PaddedIndex:
    """Knows the keys that wait, and answers for each with the usual vector: as near to a question as others are."""

    inner: VectorIndex
    waiting: Keys
    usual: NDArray[np.float16]

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    def search(
        self, query: Vectors, k: int, *, allowed: Keys | None = None, excluded: Keys | None = None
    ) -> tuple[Keys, Similarities]:
        """The k nearest rows that have a vector."""
        return self.inner.search(query, k, allowed=allowed, excluded=excluded)

    def within(self, query: Vectors, floor: float) -> tuple[Keys, Similarities]:
        """Every row with a vector at least `floor` similar to one query."""
        return self.inner.within(query, floor)

    def within_many(self, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
        """`within` for each of several queries."""
        return self.inner.within_many(queries, floor)

    def vectors(self, keys: Keys) -> Vectors:
        """The stored vectors of known keys, and the usual one of those that wait; KeyError for any other."""
        asked = np.asarray(keys, dtype=np.int64)
        waits = np.isin(asked, self.waiting)
        found = np.empty((len(asked), self.dimension), dtype=np.float16)
        found[waits] = self.usual
        found[~waits] = self.inner.vectors(asked[~waits])
        return found

    def singles(self, keys: Keys) -> NDArray[np.float32]:
        """The same as float32."""
        asked = np.asarray(keys, dtype=np.int64)
        waits = np.isin(asked, self.waiting)
        found = np.empty((len(asked), self.dimension), dtype=np.float32)
        found[waits] = self.usual
        found[~waits] = self.inner.singles(asked[~waits])
        return found

    def holds(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of the keys are there, with a vector or without one."""
        return self.inner.holds(keys) | np.isin(keys, self.waiting)

    def __contains__(self, key: int) -> bool:
        return key in self.inner or bool(np.isin(key, self.waiting))

    def __len__(self) -> int:
        return len(self.inner) + len(self.waiting)
