"""The interface of nearest-neighbour search: one index per namespace, a cache of the database."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]
Vectors = NDArray[np.float16]
Similarities = NDArray[np.float64]


class VectorIndex(Protocol):
    """Unit vectors under integer keys.

    Similarity is the dot product of float16 unit vectors, summed in float64: every product and
    partial sum is exact there, so the value does not depend on the order of rows or on threads.
    Results are ordered by similarity, then by key.
    """

    @property
    def dimension(self) -> int: ...

    def search(
        self, query: Vectors, k: int, *, allowed: Keys | None = None, excluded: Keys | None = None
    ) -> tuple[Keys, Similarities]:
        """The k nearest rows to one query, among `allowed` (all when None) and not in `excluded`."""

    def within(self, query: Vectors, floor: float) -> tuple[Keys, Similarities]:
        """Every row at least `floor` similar to one query (above the exact limit: those the scan finds)."""

    def within_many(self, queries: Vectors, floor: float) -> list[tuple[Keys, Similarities]]:
        """`within` for each of several queries, in one pass where that is faster."""

    def vectors(self, keys: Keys) -> Vectors:
        """The stored vectors of known keys, in the order asked; KeyError for a key that is not there."""

    def singles(self, keys: Keys) -> NDArray[np.float32]:
        """The same as float32, to be reckoned with."""

    def holds(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of the keys are there."""

    def __contains__(self, key: int) -> bool: ...

    def __len__(self) -> int: ...
