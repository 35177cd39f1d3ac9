"""Questions for the time between two events that they name: "How many days before the party did I order the gift?" """

from __future__ import annotations

import re
from dataclasses import dataclass

from ...language.question_language import question_language

LONGEST_QUESTION = 300  # characters: the patterns below stay quick
_UNITS = r"(?:how many (?P<unit>day|week|month|year)s?|how long|how much time)\b"
_PASSED = r"(?:\s+(?:had|have|has|did|do|it|passed?|elapsed?|gone|went|go|by|are|were|was|is|there|lie|lay))*"
_SHAPES = tuple(
    (order, re.compile(rf"\b{_UNITS}{rest}\s*\?*\s*$", re.IGNORECASE))
    for order, rest in (
        ("", rf"{_PASSED}\s+between\s+(?P<one>.+?)\s+and\s+(?P<other>.+?)"),
        ("other first", r"\s+(?:before|prior to)\s+(?P<one>.+?)\s+(?:did|was|were|had)\s+(?P<other>.+?)"),
        ("one first", r"\s+after\s+(?P<one>.+?)\s+(?:did|was|were|had)\s+(?P<other>.+?)"),
        ("one first", rf"{_PASSED}\s+since\s+(?P<one>.+?)\s+(?:when|before|until)\s+(?P<other>.+?)"),
        ("one first", r"\s+ago\s+did\s+(?P<one>.+?)\s+when\s+(?P<other>.+?)"),
        ("one first", r"\s+did\s+it\s+take\s+(?:for\s+)?(?:me|us|\w+)?\s*to\s+(?P<other>.+?)\s+after\s+(?P<one>.+?)"),
    )
)
_DAY_OF = re.compile(
    r"^(?:the\s+)?(?:day|time|date|moment|week|month)\s+(?:that\s+|when\s+|on\s+which\s+|of\s+)?|^(?:when|that)\s+",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|them|one|him|her)$", re.IGNORECASE)
_DO = re.compile(r"^(?:I|we|you)\s+", re.IGNORECASE)
_VERB_FIRST = re.compile(r"^[a-z]+\s+")


@dataclass(frozen=True, slots=True)
class TimeBetween:
    """Two events, and the unit in which the time between them is asked for; "" if in none."""

    one: str
    other: str
    unit: str
    order: str = ""  # which of them the question holds for the first: "one first", "other first"


def find_time_between(question: str) -> TimeBetween | None:
    """The two events of such a question; None if it is none."""
    text = " ".join(question[: 2 * LONGEST_QUESTION].split())
    if len(text) > LONGEST_QUESTION or question_language(text):
        return None
    for order, shape in _SHAPES:
        found = shape.search(text)
        if found is not None:
            one, other = _event(found["one"]), _event(found["other"])
            one, other = _whole(one, other), _whole(other, one)
            unit = (found["unit"] or "").lower()
            return TimeBetween(one, other, unit, order) if one and other and one != other else None
    return None


def _event(text: str) -> str:
    return _DO.sub("", _DAY_OF.sub("", text.strip(" ,.?!"))).strip()


def _whole(event: str, other: str) -> str:
    """ "received it" beside "bought my new racket" -> "received my new racket"."""
    return _PRONOUN.sub(_VERB_FIRST.sub("", other), event)
