"""One pattern that tells whether a text holds any of many words, so that talk without them is done in one look."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

# Rare to frequent in talk; what is not in it is rarer still.
FREQUENCY = "zqxj0123456789$%&@#/\\|<>[]{}()=+*~^_:;\"`-kvbpgywfmculdhrnisoaet' .,!?"


def compile_gate(words: Collection[str]) -> re.Pattern[str]:
    """Search for the rarest character of each word, then look behind it and after it (docs/log.md)."""
    known = frozenset(words)
    lengths = sorted({len(word) for word in known})
    by_anchor: dict[str, list[str]] = {}
    for word in sorted(word for word in known if not holds_another(word, known, lengths)):
        at = min(range(len(word)), key=lambda i: FREQUENCY.find(word[i]))
        behind = f"(?<={re.escape(word[: at + 1])})" if at else ""
        by_anchor.setdefault(word[at], []).append(behind + re.escape(word[at + 1 :]))
    return re.compile("|".join(f"{re.escape(anchor)}(?:{'|'.join(rest)})" for anchor, rest in by_anchor.items()))


def holds_another(word: str, words: Collection[str], lengths: Sequence[int]) -> bool:
    """Whether one of the words, which have these lengths, is a part of this one."""
    return any(
        word[start : start + length] in words
        for length in lengths
        if length < len(word)
        for start in range(len(word) - length + 1)
    )
