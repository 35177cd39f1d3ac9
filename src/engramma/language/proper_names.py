"""Proper names in English text, by their capital letter: "Have you seen Mrs. Adler?"."""

from __future__ import annotations

import re

from .dates.words import MANY_WEEKDAYS, MONTHS, WEEKDAYS

_TITLE = r"\b(?:Mrs?|Ms|Miss|Dr|Prof|Sir|Aunt|Uncle)\b\.?"
_TITLED = re.compile(rf"{_TITLE}\s+([A-Z][^\W\d_]+)")
# A capital within a sentence; behind "Dr." none begins.
_NAME = re.compile(rf"{_TITLED.pattern}|(?:(?<=[^\W_][\s,;])|(?<=[^\W_][,;]\s)|(?<=[\"'“‘(]))[A-Z][^\W\d_]{{2,}}(?!\w)")
_NO_NAMES = {*MONTHS, *WEEKDAYS, *MANY_WEEKDAYS}


def proper_names(text: str) -> list[str]:
    """The words of a text that are names by their capital letter, in order. Days and months are none."""
    found = (one[1] or one[0] for one in _NAME.finditer(text))
    return [name for name in dict.fromkeys(found) if name.lower() not in _NO_NAMES]


def titled_names(text: str) -> list[str]:
    """The names that stand behind a title: "Mrs. Adler"."""
    return _TITLED.findall(text)
