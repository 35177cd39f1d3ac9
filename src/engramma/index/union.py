"""Combines two indexes: the live segments, and the archived or retired ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .vector_index import Keys, Similarities, VectorIndex, Vectors


@dataclass(frozen=True, slots=True)
class JoinedIndex:
    """Answers as one index with the rows of both would, as long as no key is in both."""

    live: VectorIndex
    apart: VectorIndex

    @property
    def dimension(self) -> int:
        return self.live.dimension

    def search(
        self, query: Vectors, k: int, *, allowed: Keys | None = None, excluded: Keys | None = None
    ) -> tuple[Keys, Similarities]:
        """The k nearest rows of both to one query."""
        keys, similarities = self._merged(
            *(part.search(query, k, allowed=allowed, excluded=excluded) for part in (self.live, self.apart))
        )
        return keys[:k], similarities[:k]

    def within(self, query: Vectors, floor: float) -> tuple[Keys, Similarities]:
        """Every row of both at least `floor` similar to one query."""
        return self._merged(self.live.within(query, floor), self.apart.within(query, floor))

    def within_many(self, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
        """`within` for each of several queries."""
        both = zip(self.live.within_many(queries, floor), self.apart.within_many(queries, floor), strict=True)
        return [self._merged(one, other) for one, other in both]

    def vectors(self, keys: Keys) -> Vectors:
        """The stored vectors of known keys, in the order asked; KeyError for a key that is not there."""
        asked = np.asarray(keys, dtype=np.int64)
        is_live = self.live.holds(asked)
        found = np.empty((len(asked), self.dimension), dtype=np.float16)
        found[is_live] = self.live.vectors(asked[is_live])
        found[~is_live] = self.apart.vectors(asked[~is_live])
        return found

    def singles(self, keys: Keys) -> NDArray[np.float32]:
        """The same as float32."""
        asked = np.asarray(keys, dtype=np.int64)
        is_live = self.live.holds(asked)
        found = np.empty((len(asked), self.dimension), dtype=np.float32)
        found[is_live] = self.live.singles(asked[is_live])
        found[~is_live] = self.apart.singles(asked[~is_live])
        return found

    def holds(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of the keys are there."""
        return self.live.holds(keys) | self.apart.holds(keys)

    def __contains__(self, key: int) -> bool:
        return key in self.live or key in self.apart

    def __len__(self) -> int:
        return len(self.live) + len(self.apart)

    @staticmethod
    def _merged(*parts: tuple[Keys, Similarities]) -> tuple[Keys, Similarities]:
        keys = np.concatenate([part[0] for part in parts])
        similarities = np.concatenate([part[1] for part in parts])
        order = np.lexsort((keys, -similarities))
        return keys[order], similarities[order]
