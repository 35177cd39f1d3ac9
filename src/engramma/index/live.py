"""Keeps one namespace's index in sync with the database, whichever process writes to it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..encryption import keys_in
from ..errors import StoreError
from ..store.store import ADDED, RELISTED, REMOVED, Store, encode_keys
from . import cache
from .scan import EXACT_LIMIT, FaissIndex
from .union import JoinedIndex
from .vector_index import VectorIndex

SAVE_AFTER = 20_000  # changes beyond the cache file that make a new one worth its writing


class FreshIndex:
    """An index that catches up from the change sequence each time it is asked for."""

    def __init__(self, store: Store, dimension: int, embedder_sha: str, folder: Path) -> None:
        self._store = store
        self._dimension = dimension
        self.embedder_sha = embedder_sha
        self._path = folder / f"{store.ns}.vectors"
        self._index: FaissIndex | None = None
        self._seq = 0
        self._saved_seq = 0
        self._reach = ReachMemo(store)
        self._lock = threading.RLock()

    def fresh(self) -> tuple[FaissIndex, int]:
        """The index as it stands, and the change up to which it knows the store; other threads may move on."""
        with self._lock:
            if self._index is None:
                self._load()
            self._catch_up()
            assert self._index is not None
            return copy(self._index), self._seq  # its rows are never changed, only replaced by others

    @property
    def reach(self) -> ReachMemo:
        return self._reach

    @property
    def dimension(self) -> int:
        return self._dimension

    def save(self) -> None:
        """Write the cache file when the index is large and has moved on; losing it costs only time."""
        with self._lock:
            index = self._index
            if index is None or len(index) <= EXACT_LIMIT or self._seq - self._saved_seq < SAVE_AFTER:
                return
            try:
                self._store.check_place()  # of a namespace that was deleted meanwhile nothing may be left
                self._path.parent.mkdir(exist_ok=True)
                cache.save(index, self._path, stamp=self._stamp(self._seq), key=self._key())
                self._saved_seq = self._seq
            except (OSError, StoreError):
                return  # a full or read-only disk: the database has everything

    def drop(self) -> None:
        """Delete the cache file: it may hold what has to be gone."""
        with self._lock:
            self._path.unlink(missing_ok=True)
            self._saved_seq = 0

    # --- steps -------------------------------------------------------------------------------

    def _stamp(self, seq: int) -> dict[str, int | str]:
        born = self._store.meta("store_id")
        return {"seq": seq, "ns": self._store.ns, "embedder": self.embedder_sha, "store": str(born)}

    def _key(self) -> bytes | None:
        """The key of an encrypted store's cache files."""
        keys = keys_in(self._path.parents[1])
        return None if keys is None else keys.of("index")

    def _load(self) -> None:
        loaded = cache.load_index(self._path, self._dimension, key=self._key())
        if loaded is not None:
            index, stamp = loaded
            seq = stamp.get("seq")
            if isinstance(seq, int) and stamp == self._stamp(seq) and seq <= self._store.last_change():
                self._index, self._seq, self._saved_seq = index, seq, seq
                return
        with self._store.snapshot():
            self._seq = self._store.last_change()
            keys, vectors = self._store.vectors("embeddings_all", self._dimension)
        index = FaissIndex(self._dimension)
        index.add(keys, vectors)
        self._index = index  # whole: one that an interruption left empty would seem to know the store

    def _catch_up(self) -> None:
        assert self._index is not None
        if self._store.last_change() <= self._seq:  # less: the caller looks at an older state than another thread did
            return
        with self._store.snapshot():
            changes = self._store.all("changes_since", seq=self._seq)
            if not changes:  # a standby that is a little behind the one that was just asked
                return
            last = {row["key"]: row["op"] for row in changes if row["op"] != RELISTED}
            added = [key for key, op in last.items() if op == ADDED]
            keys, vectors = self._store.vectors("embeddings_by_keys", self._dimension, keys=encode_keys(added))
        removed = [row["key"] for row in changes if row["op"] == REMOVED]
        self._index.remove(np.array(removed, dtype=np.int64))
        self._index.add(keys, vectors)
        self._reach.forget([row["key"] for row in changes if row["op"] == RELISTED])
        self._seq = changes[-1]["seq"]


class Fresh(Protocol):
    """Whatever hands out an index that knows the store up to a change."""

    def fresh(self) -> tuple[VectorIndex, int]: ...


class WideIndex:
    """A fresh index together with what was set aside, for one view of it; loaded anew after each change."""

    def __init__(self, live: Fresh, store: Store, view: Mapping[str, int]) -> None:
        self._live = live
        self._store = store
        self._view = view
        self._loaded: tuple[int, FaissIndex] | None = None

    def fresh(self) -> tuple[JoinedIndex, int]:
        index, seq = self._live.fresh()
        loaded = self._loaded
        if loaded is None or loaded[0] != seq:
            apart = FaissIndex(index.dimension)
            keys = self._store.keys("keys_apart", **self._view)
            apart.add(*self._store.vectors("embeddings_by_keys", index.dimension, keys=encode_keys(keys.tolist())))
            self._loaded = loaded = (seq, apart)
        return JoinedIndex(index, loaded[1]), seq


class ReachMemo:
    """Which weight may still enter which near list, as far as this process knows.

    Lists only tighten as segments come, so an old value is too low at worst and lets a partner be
    looked at in vain. Where one loosens, the change sequence says so and the value is forgotten.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, int] | None = None

    def __call__(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        known = self._loaded()
        return np.fromiter((known.get(key, 0) for key in keys.tolist()), dtype=np.int64, count=len(keys))

    def learn(self, reaches: Mapping[int, int]) -> None:
        self._loaded().update(reaches)

    def forget(self, keys: list[int] | None = None) -> None:
        """Forget some keys, or everything (a transaction was rolled back)."""
        if keys is None or self._known is None:
            self._known = None
            return
        for key in keys:
            self._known.pop(key, None)

    def _loaded(self) -> dict[int, int]:
        if self._known is None:
            self._known = {row["key"]: row["reach"] for row in self._store.all("near_reaches")}
        return self._known
