"""The memories a daemon has open: one a namespace, shared by all threads, with one encoder for all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import StoreNotFound
from ...memory import Memory
from ...models.embed import Embedder


class Memories:
    """Opens a namespace when it is first asked for."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._open: dict[str, Memory] = {}
        self._embedder: Embedder | None = None
        self._lock = threading.Lock()

    def get(self, namespace: str = "default", *, create: bool = False) -> Memory:
        """The memory of a namespace; StoreNotFound if there is none and none is to be made."""
        with self._lock:
            if (memory := self._open.get(namespace)) is not None:
                try:
                    memory.admin.check_place()
                except StoreNotFound:  # deleted or renamed meanwhile
                    self._open.pop(namespace).close()
                else:
                    return self._current(memory)
            memory = Memory.open(self.store, namespace, create=create, embedder=self._embedder)
            self._open[namespace] = memory
            return self._current(memory)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Let go of the store: all memories are closed, and whoever asks for one waits until this ends."""
        with self._lock:
            self._close_all()
            yield

    def close(self) -> None:
        with self._lock:
            self._close_all()

    def _close_all(self) -> None:
        for memory in self._open.values():
            memory.close()
        self._open.clear()

    def _current(self, memory: Memory) -> Memory:
        """With the encoder that the store is embedded with now: it may have been reindexed meanwhile."""
        stored = memory.admin.embedder_sha256
        if self._embedder is not None and stored != self._embedder.sha256:
            self._embedder = None
            for one in self._open.values():
                one.admin.drop_caches()
        if self._embedder is None and stored is not None:
            self._embedder = memory.admin.embedder
        return memory
