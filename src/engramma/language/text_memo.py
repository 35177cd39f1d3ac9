"""Remembers what follows from a text without remembering the text: recall meets the same texts again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class TextMemo(Generic[T]):
    """A function of a text whose last results are kept, each under the hash and the length of its text.

    A result follows from the text alone, so it is never out of date, and it is found only by who has the text: what
    was purged, or belongs to another namespace, cannot come out of here. Python hashes texts with 64 bits and a seed
    of its own in each process, so that two texts of one length do not share a result. Where results grow with their
    texts, `most_characters` says how long these may be together.
    """

    def __init__(self, make: Callable[[str], T], most: int, most_characters: int | None = None) -> None:
        self._make, self._most, self._most_characters = make, most, most_characters
        self._characters = 0
        self._known: dict[tuple[int, int], T] = {}

    def __call__(self, text: str) -> T:
        key = hash(text), len(text)
        found = self._known.get(key)
        if found is None:
            found = self._make(text)
            while len(self._known) >= self._most or self._is_long(len(text)):
                oldest = next(iter(self._known), key)
                if self._known.pop(oldest, None) is not None:  # another thread may have been faster
                    self._characters -= oldest[1]
            self._characters = len(text) + (self._characters if self._known else 0)
            self._known[key] = found
        return found

    def _is_long(self, more: int) -> bool:
        """Whether the texts would be too long together, and there are any."""
        return (
            self._most_characters is not None and bool(self._known) and self._characters + more > self._most_characters
        )

    def __len__(self) -> int:
        return len(self._known)
