"""The quality score of a note: how often it was recalled, fading since it was last of use."""

from __future__ import annotations

from math import log2

HALF_LIFE_DAYS = 30.0  # of a note whose content is worth nothing
GROWTH = 2.0  # the best content lasts three times as long
DAY = 86_400_000_000  # microseconds


def half_life(content_quality: float) -> float:
    """Days until a note's score halves; the better its content, from 0 to 1, the longer."""
    return HALF_LIFE_DAYS * (1 + content_quality * GROWTH)


def quality_score(hits: int, max_hits: int, days_since_active: float, half_life: float) -> float:
    """From 0 to 1: recalls on a logarithmic scale against the most recalled note, halved every half-life.

    Where nobody was ever recalled it is 0.
    """
    if max_hits < 1:
        return 0.0
    signal = log2(hits + 1) / log2(max_hits + 1)
    return float(signal * 0.5 ** (days_since_active / half_life))


def days_since(then: int, now: int) -> float:
    """Days from one time to another, in microseconds each; what lies ahead is no days ago."""
    return max(0, now - then) / DAY
