"""Sets of words, written as one text."""

from __future__ import annotations


def wordset(text: str) -> frozenset[str]:
    """The words of a text that stand between spaces."""
    return frozenset(text.split())
