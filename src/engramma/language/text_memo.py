"""Remembers what follows from a text without remembering the text: recall meets the same texts again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class TextMemo(Generic[T]):
    """A function of a text whose last results are kept, each under the hash and the length of its text.

    A result follows from the text alone, so it is never out of date, and it is found only by who has the text: what
    was purged, or belongs to another namespace, cannot come out of here. Python hashes texts with 64 bits and a seed
    of its own in each process, so that two texts of one length do not share a result.
    """

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        self._make, self._most = make, most
        self._known: dict[tuple[int, int], T] = {}

    def __call__(self, text: str) -> T:
        key = hash(text), len(text)
        found = self._known.get(key)
        if found is None:
            found = self._make(text)
            while len(self._known) >= self._most:
                self._known.pop(next(iter(self._known), key), None)  # the oldest; another thread may have been faster
            self._known[key] = found
        return found

    def __len__(self) -> int:
        return len(self._known)
