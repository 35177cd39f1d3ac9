"""Segments with those around them in their sessions, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..store.database import Row
from ..store.store import Store, encode_keys

REACH = 2  # steps along a session

# Seven rows: key, session, place in it, tie, when it was said, whether it is an exchange, the conversation's number.
Columns = NDArray[np.int64]


@dataclass(frozen=True)
class Near:
    """Segments in the order of session and place, so that neighbours stand next to each other."""

    keys: NDArray[np.int64]
    sessions: NDArray[np.int64]
    places: NDArray[np.int64]
    ties: NDArray[np.int64]
    said_at: NDArray[np.int64]
    is_exchange: NDArray[np.bool_]
    conversations: NDArray[np.int64]

    def rows_of(self, keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the keys stand; every one of them is there."""
        asked = np.asarray(keys, np.int64)
        order = self.by_key
        return order[np.searchsorted(self.keys, asked, sorter=order)]

    @cached_property
    def by_key(self) -> NDArray[np.int64]:
        """The rows in the order of their keys."""
        return np.argsort(self.keys)

    def at(self, rows: NDArray[np.int64], step: int) -> NDArray[np.int64]:
        """The rows so many steps further in the same session; -1 where there is none."""
        other = np.minimum(np.maximum(rows + step, 0), len(self.keys) - 1)
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
    return as_near(
        in_sessions(columns_of(store.all("segments_around", keys=encode_keys(keys), reach=REACH), {})), index
    )


def columns_of(rows: Sequence[Row], talks: dict[str, int]) -> Columns:
    """Rows of places as columns; a conversation that has no number among `talks` yet gets the next one."""
    *numbers, names = zip(*rows, strict=True) if rows else ((),) * 7
    return np.array([*numbers, [talks.setdefault(name, len(talks)) for name in names]], np.int64)


def in_sessions(columns: Columns) -> Columns:
    """Columns of places in the order of session and place."""
    return columns[:, np.lexsort((columns[2], columns[1]))]


def as_near(columns: Columns, index: VectorIndex) -> Near:
    """Columns of places without what was set aside, which stands beside nobody."""
    found, sessions, places, ties, said_at, is_exchange, conversations = columns[:, index.holds(columns[0])]
    return Near(found, sessions, places, ties, said_at, is_exchange > 0, conversations)
