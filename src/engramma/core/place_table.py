"""Keeps where the segments of a namespace stand, so that a recall does not ask the database for it again."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..index.rows import IndexRows
from ..index.scan import FaissIndex
from ..index.vector_index import VectorIndex
from ..store.store import Store, encode_keys
from .windows import REACH, Columns, LearntWords, MixedVectors, Near, as_near, columns_of, in_sessions, near_to

MOST_KEPT = 20_000  # segments, 1.1 MB; of more, a recall reads the few hundred that it needs
# A recall asks twice at first, for the background and for its pool, then once: for a single question of a process the
# table is not worth its reading.
READ_FROM = 3
MOST_CHANGES = 1_000  # after more of them all is read again
MOST_MIXED = 8_000_000  # numbers of mixed vectors that are kept: of 20,000 segments, 31 MB once all were looked at


@dataclass(frozen=True)
class PlaceTable:
    """The places of all segments as of one change, in the order of session and place."""

    seq: int
    columns: Columns
    talks: Mapping[str, int]  # the number of each conversation
    learnt: LearntWords = field(default_factory=LearntWords)

    @cached_property
    def by_key(self) -> NDArray[np.int64]:
        return np.argsort(self.columns[0])

    def find(self, keys: Sequence[int]) -> NDArray[np.int64] | None:
        """Where the keys stand; None if one of them is not there."""
        asked, own = np.array(keys, np.int64), self.columns[0]
        places = np.searchsorted(own, asked, sorter=self.by_key)
        rows = self.by_key[np.minimum(places, len(own) - 1)] if len(own) else places
        return rows if len(own) and (own[rows] == asked).all() else None

    def around(self, rows: NDArray[np.int64]) -> Columns:
        """Some rows and those up to REACH steps before and after them."""
        _, sessions, places, *_ = self.columns
        is_near = np.zeros(len(sessions), bool)
        is_near[rows] = True
        for step in (step for step in range(-REACH, REACH + 1) if step):
            other = np.minimum(np.maximum(rows + step, 0), len(sessions) - 1)
            beside = (sessions[other] == sessions[rows]) & (np.abs(places[other] - places[rows]) <= REACH)
            is_near[other[beside]] = True
        return self.columns[:, is_near]


class KeptPlaces:
    """The places of one namespace's segments, brought up to date by the change sequence."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._table: PlaceTable | None = None
        self._whole: tuple[PlaceTable, IndexRows, Near] | None = None
        self._asked = 0
        self._lock = threading.Lock()

    def near_to(self, index: VectorIndex, keys: Sequence[int]) -> Near:
        """Some segments and those up to REACH steps before and after them, in the state that the caller looks at."""
        with self._store.snapshot():
            return self._near_to(index, keys, self._fresh() if len(index) <= MOST_KEPT else None)

    def whole_or_near(self, index: VectorIndex, keys: NDArray[np.int64]) -> Near:
        """The whole namespace with what was learnt of it, where that is kept for an index; else as `near_to`."""
        with self._store.snapshot():
            table = self._fresh() if len(index) <= MOST_KEPT else None
            if table is not None and isinstance(index, FaissIndex):
                whole = self._whole_of(table, index)
                if whole.has_all(keys):
                    return whole
            return self._near_to(index, keys.tolist(), table)

    def _near_to(self, index: VectorIndex, keys: Sequence[int], table: PlaceTable | None) -> Near:
        rows = None if table is None else table.find(keys)
        if table is None or rows is None:
            return near_to(self._store, index, keys)
        return as_near(table.around(rows), index)

    def _whole_of(self, table: PlaceTable, index: FaissIndex) -> Near:
        rows, known = index.rows, self._whole
        if known is None or known[0] is not table or known[1] is not rows:
            near = as_near(table.columns, index)
            is_kept = len(near.keys) * index.dimension <= MOST_MIXED
            count = 2 * len(near.keys)
            made = (np.empty((count, index.dimension), np.float32), np.zeros(count, bool))
            whole = replace(near, learnt=table.learnt, mixed=MixedVectors(*made) if is_kept else None)
            self._whole = known = (table, rows, whole)
        return known[2]

    def _fresh(self) -> PlaceTable | None:
        """The table as of the state that is looked at; None while another thread reads it, or has a newer one."""
        if self._store.database.is_writing:
            return None  # what is being written may yet be undone
        seq, table = self._store.last_change(), self._table
        if table is not None and table.seq == seq:
            return table
        if not self._lock.acquire(blocking=False):
            return None
        try:
            self._asked += 1
            if self._asked < READ_FROM:
                return None
            table = self._table
            if table is None:
                self._table = table = self._read(seq)
            elif table.seq < seq:
                self._table = table = self._caught_up(table, seq)
            return table if table.seq == seq else None
        finally:
            self._lock.release()

    def _read(self, seq: int) -> PlaceTable:
        talks = dict[str, int]()
        return PlaceTable(seq, in_sessions(columns_of(self._store.all("places_all"), talks)), talks)

    def _caught_up(self, table: PlaceTable, seq: int) -> PlaceTable:
        """The table with those sessions read anew in which something changed."""
        changed = sorted({int(row["key"]) for row in self._store.all("changes_since", seq=table.seq)})
        if len(changed) > MOST_CHANGES:
            return self._read(seq)
        before = table.columns[1, np.isin(table.columns[0], np.array(changed, np.int64))].tolist()
        rows = self._store.all("sessions_of_keys", keys=encode_keys(changed))
        sessions = sorted({*before, *(int(row["session"]) for row in rows)})
        talks = dict(table.talks)
        new = columns_of(self._store.all("places_of_sessions", sessions=encode_keys(sessions)), talks)
        kept = table.columns[:, ~np.isin(table.columns[1], np.array(sessions, np.int64))]
        columns = in_sessions(np.concatenate([kept, new], axis=1))
        return PlaceTable(seq, columns, talks, table.learnt.without(changed, sessions))
