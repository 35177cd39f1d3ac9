"""Segments with those around them in their sessions, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..store.store import Store, encode_keys

REACH = 2  # steps along a session


@dataclass(frozen=True, slots=True)
class Near:
    """Segments in the order of session and place, so that neighbours stand next to each other."""

    keys: NDArray[np.int64]
    sessions: NDArray[np.int64]
    places: NDArray[np.int64]
    ties: NDArray[np.int64]
    said_at: NDArray[np.int64]
    is_exchange: NDArray[np.bool_]
    conversations: NDArray[np.int64]
    vectors: NDArray[np.float32]

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the keys stand; every one of them is there."""
        order = np.argsort(self.keys)
        return order[np.searchsorted(self.keys, keys, sorter=order)]

    def at(self, rows: NDArray[np.int64], step: int) -> NDArray[np.int64]:
        """The rows so many steps further in the same session; -1 where there is none."""
        other = np.clip(rows + step, 0, len(self.keys) - 1)
        is_next = (self.sessions[other] == self.sessions[rows]) & (self.places[other] == self.places[rows] + step)
        return np.where(is_next, other, -1)

    def shifted(self, values: NDArray[Any], step: int) -> NDArray[Any]:
        """For every segment, what the one so many steps further has; nothing where there is none."""
        other = self.at(np.arange(len(self.keys)), step)
        there = (other >= 0).astype(values.dtype)
        found: NDArray[Any] = values[other] * (there[:, None] if values.ndim > 1 else there)
        return found


def near_to(store: Store, index: VectorIndex, keys: Sequence[int]) -> Near:
    """Some segments and those up to REACH steps before and after them."""
    rows = store.all("segments_around", keys=encode_keys(keys), reach=REACH)
    talks = {name: number for number, name in enumerate(dict.fromkeys(row["conversation"] for row in rows))}
    numbers = [(*tuple(row)[:6], talks[row["conversation"]]) for row in rows]
    columns = np.array(numbers, np.int64).reshape(len(rows), 7)
    columns = columns[index.holds(columns[:, 0])]  # what was set aside stands beside nobody
    columns = columns[np.lexsort((columns[:, 2], columns[:, 1]))]
    found = columns[:, 0]
    vectors = index.vectors(found).astype(np.float32) if len(found) else np.zeros((0, 1), np.float32)
    _, sessions, places, ties, said_at, is_exchange, conversations = columns.T
    return Near(found, sessions, places, ties, said_at, is_exchange > 0, conversations, vectors)
