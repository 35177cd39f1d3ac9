"""The rows of one index at one moment: keys in order, their codes, and where their vectors lie.

A `IndexRows` is never changed once it is published: writers make the next one, so a search that runs
meanwhile keeps reading the one it began with. Vectors are the bulk and never move: `slots` says
which place in the mapped file or in memory a row's vector has. Arrays grow in place beyond the
rows an older `IndexRows` can see, so appending costs no copy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .codes import Codes, RowNumbers, long_code, long_width, short_code, short_width
from .vector_index import Keys, Vectors

Floats = NDArray[np.float32]

# Room to grow: a half more each time keeps appending amortised without doubling a gigabyte.
GROWTH = 1.5
FIRST_ROOM = 64

# Vectors of removed rows stay where they are until they outnumber both the rows in use and this.
MOST_DEAD = 4_096

# Rows gathered at once, where all of them pass through memory.
CHUNK = 8_192


@dataclass(frozen=True, slots=True)
class IndexRows:
    """A snapshot. `room_*` arrays have spare places at the end; the properties show what is in use."""

    dimension: int
    count: int
    room_keys: Keys
    room_shorts: Codes
    room_longs: Codes
    room_slots: NDArray[np.int64]
    mapped: Vectors  # read-only vectors from a cache file: slots 0 to len(mapped) - 1
    tail: Vectors  # vectors in memory: the slots after those
    tail_used: int
    floats: Floats | None  # the tail as float32: as long as there are no more rows than are scanned whole

    @property
    def keys(self) -> Keys:
        return self.room_keys[: self.count]

    @property
    def shorts(self) -> Codes:
        return self.room_shorts[: self.count]

    @property
    def longs(self) -> Codes:
        return self.room_longs[: self.count]

    @property
    def slots(self) -> NDArray[np.int64]:
        return self.room_slots[: self.count]

    def vectors(self, rows: RowNumbers | slice) -> Vectors:
        """The vectors of some rows, copied."""
        slots = self.slots[rows]
        if not len(self.mapped):
            return self.tail.take(slots, axis=0)
        old = slots < len(self.mapped)
        if old.all():
            return self.mapped.take(slots, axis=0)
        found = np.empty((len(slots), self.dimension), dtype=np.float16)
        found[old] = self.mapped.take(slots[old], axis=0)
        found[~old] = self.tail.take(slots[~old] - len(self.mapped), axis=0)
        return found

    def singles(self, rows: RowNumbers) -> Floats:
        """The same as float32: where they are kept so, nothing has to be converted, which takes ten times as long."""
        return (
            self.vectors(rows).astype(np.float32) if self.floats is None else self.floats.take(self.slots[rows], axis=0)
        )

    def find(self, keys: Keys) -> RowNumbers:
        """The rows of those keys that are present, in ascending order, each once."""
        if (keys[1:] <= keys[:-1]).any():  # most callers hand over what the database gave in order
            keys = np.unique(keys)
        rows, present = self.locate(keys)
        return rows[present]

    def locate(self, keys: Keys) -> tuple[RowNumbers, NDArray[np.bool_]]:
        """Where each key stands or would stand, and whether it is there."""
        rows = np.searchsorted(self.keys, keys)
        present = rows < self.count
        present[present] = self.keys[rows[present]] == keys[present]
        return rows, present


def empty(dimension: int) -> IndexRows:
    """No rows yet."""
    return IndexRows(
        dimension=dimension,
        count=0,
        room_keys=np.empty(0, dtype=np.int64),
        room_shorts=np.empty((0, short_width(dimension)), dtype=np.uint8),
        room_longs=np.empty((0, long_width(dimension)), dtype=np.uint8),
        room_slots=np.empty(0, dtype=np.int64),
        mapped=np.empty((0, dimension), dtype=np.float16),
        tail=np.empty((0, dimension), dtype=np.float16),
        tail_used=0,
        floats=np.empty((0, dimension), dtype=np.float32),
    )


def restored(keys: Keys, shorts: Codes, longs: Codes, mapped: Vectors) -> IndexRows:
    """Rows as a file holds them, keys in order, their vectors left where they are."""
    return replace(
        empty(mapped.shape[1]),
        count=len(keys),
        room_keys=keys,
        room_shorts=shorts,
        room_longs=longs,
        room_slots=np.arange(len(keys), dtype=np.int64),
        mapped=mapped,
        floats=None,
    )


def with_added(rows: IndexRows, keys: Keys, vectors: Vectors, small: int) -> IndexRows:
    """The rows with more of them; a key present already is replaced, and the last of a key wins."""
    if (keys[1:] <= keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        order = order[np.append(keys[order][1:] != keys[order][:-1], True)]
        keys, vectors = keys[order], vectors[order]
    at, present = rows.locate(keys)
    if present.any():
        rows = remove_rows(rows, at[present], small)
        at = np.searchsorted(rows.keys, keys)
    used, count = rows.tail_used, rows.count + len(keys)
    floats = rows.floats if count <= small else None
    slots = np.arange(used, used + len(keys), dtype=np.int64) + len(rows.mapped)
    shorts, longs = short_code(vectors), long_code(vectors)
    if not rows.count or keys[0] > rows.keys[-1]:
        room_keys = _appended(rows.room_keys, rows.count, keys)
        room_shorts = _appended(rows.room_shorts, rows.count, shorts)
        room_longs = _appended(rows.room_longs, rows.count, longs)
        room_slots = _appended(rows.room_slots, rows.count, slots)
    else:
        room_keys = np.insert(rows.keys, at, keys)
        room_shorts = np.insert(rows.shorts, at, shorts, axis=0)
        room_longs = np.insert(rows.longs, at, longs, axis=0)
        room_slots = np.insert(rows.slots, at, slots)
    return replace(
        rows,
        count=count,
        room_keys=room_keys,
        room_shorts=room_shorts,
        room_longs=room_longs,
        room_slots=room_slots,
        tail=_appended(rows.tail, used, vectors),
        tail_used=used + len(keys),
        floats=None if floats is None else _appended(floats, used, vectors.astype(np.float32)),
    )


def remove_rows(rows: IndexRows, gone: RowNumbers, small: int) -> IndexRows:
    """The rows less some of them."""
    stay = np.delete(np.arange(rows.count, dtype=np.int64), gone)
    rows = replace(
        rows,
        count=len(stay),
        room_keys=rows.keys.take(stay),
        room_shorts=rows.shorts.take(stay, axis=0),
        room_longs=rows.longs.take(stay, axis=0),
        room_slots=rows.slots.take(stay),
    )
    dead = len(rows.mapped) + rows.tail_used - rows.count
    became_small = rows.floats is None and rows.count <= small
    return compacted(rows, small) if became_small or dead > max(MOST_DEAD, rows.count) else rows


def compacted(rows: IndexRows, small: int) -> IndexRows:
    """The same rows with their vectors together in memory, none of them mapped or left over."""
    tail = np.empty((rows.count, rows.dimension), dtype=np.float16)
    for start in range(0, rows.count, CHUNK):
        tail[start : start + CHUNK] = rows.vectors(slice(start, start + CHUNK))
    return replace(
        rows,
        room_slots=np.arange(rows.count, dtype=np.int64),
        mapped=np.empty((0, rows.dimension), dtype=np.float16),
        tail=tail,
        tail_used=rows.count,
        floats=tail.astype(np.float32) if rows.count <= small else None,
    )


def _appended(room: NDArray[Any], used: int, more: NDArray[Any]) -> NDArray[Any]:
    """Put rows behind the first `used`, in the spare room or in a larger copy."""
    needed = used + len(more)
    if needed > len(room):
        size = max(FIRST_ROOM, needed, int(len(room) * GROWTH))
        larger = np.empty((size, *room.shape[1:]), dtype=room.dtype)
        larger[:used] = room[:used]
        room = larger
    room[used:needed] = more
    return room
