"""Decides when a vector engine that failed is asked again."""

from __future__ import annotations

import time

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds until a failed engine is asked again; doubled each time


class Retry:
    """Waits longer after each failure in a row."""

    def __init__(self) -> None:
        self._failures, self._not_before = 0, 0.0

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._not_before

    def failed(self) -> None:
        self._not_before = time.monotonic() + min(FIRST_WAIT * 2**self._failures, LONGEST_WAIT)
        self._failures += 1

    def now(self) -> None:
        """Ask at once, whatever happened before."""
        self._not_before = 0.0

    def reset(self) -> None:
        """It works: the next failure is the first again."""
        self._failures, self._not_before = 0, 0.0
