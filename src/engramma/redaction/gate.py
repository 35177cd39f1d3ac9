"""One pattern that tells whether a text holds any of many words, so that talk without them is done in one look."""

from __future__ import annotations

import re
from collections.abc import Collection

# Rare to frequent in talk; what is not in it is rarer still.
FREQUENCY = "zqxj0123456789$%&@#/\\|<>[]{}()=+*~^_:;\"`-kvbpgywfmculdhrnisoaet' .,!?"


def gate(words: Collection[str]) -> re.Pattern[str]:
    """Search for the rarest character of each word, then look behind it and after it (docs/log.md)."""
    least = [word for word in words if not any(other != word and other in word for other in words)]
    by_anchor: dict[str, list[str]] = {}
    for word in sorted(least):
        at = min(range(len(word)), key=lambda i: FREQUENCY.find(word[i]))
        behind = f"(?<={re.escape(word[: at + 1])})" if at else ""
        by_anchor.setdefault(word[at], []).append(behind + re.escape(word[at + 1 :]))
    return re.compile("|".join(f"{re.escape(anchor)}(?:{'|'.join(rest)})" for anchor, rest in by_anchor.items()))
