"""Memories that are loaded when first asked for: a client that starts a server waits for its first answer."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ...memory import Memory
    from ..daemon.memories import Memories


class Opens(Protocol):
    """Whatever opens the memory of a namespace: the daemon's memories, or these."""

    def get(self, namespace: str = "default", *, create: bool = False) -> Memory:
        """The memory of a namespace."""

    def close(self) -> None:
        """Let go of all."""


class LateMemories:
    """The memories of a store; importing what they need, most of the start-up time, waits until then."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._memories: Memories | None = None
        self._lock = threading.Lock()

    def get(self, namespace: str = "default", *, create: bool = False) -> Memory:
        with self._lock:
            if self._memories is None:
                from ..daemon.memories import Memories

                self._memories = Memories(self._store)
        return self._memories.get(namespace, create=create)

    def close(self) -> None:
        with self._lock:
            if self._memories is not None:
                self._memories.close()
