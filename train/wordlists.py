"""Lists of words, written as running text."""

from __future__ import annotations


def word_list(text: str) -> tuple[str, ...]:
    """The words, in their order."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words, to look up."""
    return frozenset(text.split())
