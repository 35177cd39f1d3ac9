"""What the worker has done, kept in a small file for `status`."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from .folder import DaemonFolder, read_json, write_json


class Counts:
    """What was done, kept in a small file for `status`."""

    def __init__(self, place: DaemonFolder) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._values: dict[str, Any] = {**read_json(place.counts), "pid": os.getpid()}
        self._written = 0.0

    def add(self, **counts: int) -> None:
        with self._lock:
            for name, count in counts.items():
                self._values[name] = int(self._values.get(name, 0)) + count
        self.write()

    def note(self, **values: str) -> None:
        with self._lock:
            self._values.update(values)
        self.write()

    def time(self, name: str) -> float:
        """When something was last done; if never, it counts from now on."""
        with self._lock:
            told = self._values.setdefault(name, datetime.now(UTC).isoformat())
        with suppress(TypeError, ValueError):
            return datetime.fromisoformat(told).timestamp()
        return time.time()

    def write(self, *, now: bool = False) -> None:
        with self._lock:
            if now or time.monotonic() - self._written > 0.5:
                self._written = time.monotonic()
                with suppress(OSError):  # a full disk: the counts are a convenience
                    write_json(self._place.counts, self._values)
