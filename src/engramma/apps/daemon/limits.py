"""Limits each user's request rate with a token bucket."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

RATE = 20.0  # requests a second that a user may make in the long run, at one daemon
BURST = 100  # and in a burst, after a silence


class Limits:
    """The buckets of a daemon's users; a rate of 0 limits nobody."""

    def __init__(self, rate: float = RATE, burst: int = BURST, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}  # how much is in it, and when that was so

    def wait(self, name: str) -> float:
        """0, and one is taken; or the seconds until there is one to take."""
        if not self._rate:
            return 0.0
        now = self._now()
        with self._lock:
            full, at = self._buckets.get(name, (float(self._burst), now))
            full = min(float(self._burst), full + (now - at) * self._rate)
            if full < 1:
                self._buckets[name] = (full, now)
                return (1 - full) / self._rate
            self._buckets[name] = (full - 1, now)
            return 0.0
