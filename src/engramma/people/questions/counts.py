"""What a question counts, and how many of it a text tells: "four projects", or "my 5th project"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...language.lexical import told_stems
from ...patterns import late
from .question_form import NUMBER

_COUNTED = late(
    r"\s*how many (?P<what>(?:[\w'’-]+ ){0,3}?[\w'’-]+?)(?= (?:do|does|did|have|has|had|am|are|is|was|were|can|will"
    r"|would|could|should|of|in|on|at|with|for|from|to|there|that|i|we|you|he|she|they)\b)",
    re.IGNORECASE,
)
_NUMBERED = late(
    rf"(?<![\w.,$€£-])(?P<number>a single|{NUMBER}|\d+(?:st|nd|rd|th))(?=(?P<after>(?: [\w'’-]+){{1,3}}))",
    re.IGNORECASE,
)
_ORDINAL = late(r"(\d+)(?:st|nd|rd|th)")
_VAGUE = frozenset(("dozen", "dozens", "couple", "few", "several", "half", "once", "twice", "both"))
# What says nothing of what is counted: "four times", "two days".
_UNITS = ("time", "second", "minute", "hour", "day", "night", "week", "month", "year")
_UNCOUNTED = frozenset((*_UNITS, *(f"{unit}s" for unit in _UNITS), "people"))
# What was counted on one occasion does not grow: "How many fish did I catch on the trip?"
_ONCE = late(
    r"\b(?:did|was|were|had)\b.*\b(?:on|at|in|during|from|for) (?:my|the|our|his|her|their|this|that|last)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def counted_thing(question: str) -> tuple[str, frozenset[str]]:
    """The stem of what a question counts, and those of all words for it: "sweet cherries"; "" if it counts nothing,
    times or people only, or what was there once."""
    found = None if _ONCE.search(question) else _COUNTED.match(question)
    words = found["what"].lower().split() if found else [""]
    return "" if words[-1] in _UNCOUNTED else next(iter(told_stems(words[-1])), ""), told_stems(" ".join(words))


def count_in(text: str, counted: str) -> str:
    """How many of a thing a text tells; "" if it tells none, or several numbers of it."""
    found = {
        "one" if one["number"].lower() == "a single" else _ORDINAL.sub(r"\1", one["number"].lower())
        for one in _NUMBERED.finditer(text)
        if one["number"].lower() not in _VAGUE and _counts(one["after"].lower().split(), counted)
    }
    return found.pop() if len(found) == 1 else ""


def _counts(words: Sequence[str], counted: str) -> bool:
    """Whether words after a number are of a thing, and not of hours of it."""
    told = next((n for n, word in enumerate(words) if counted in told_stems(word)), None)
    return told is not None and _UNCOUNTED.isdisjoint(words[:told])
