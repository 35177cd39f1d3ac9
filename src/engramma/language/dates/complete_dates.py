"""Dates that are complete in any language: a day, a month's name and a year beside each other ("4. Oktober 2024").

No other word is needed to tell the language of such a date, so it is read where a text is too short to tell it: in
headings, labels and short questions. No month's name means different months in two languages.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from engramma.language.dates.calendar import date_span
from engramma.language.dates.languages import fold, read_table
from engramma.language.dates.words import LONGEST, MONTHS, WEEKDAYS
from engramma.language.dates.written_dates import DatePart
from engramma.language.lexical import STOP_WORDS
from engramma.patterns import late

_NAME = r"[^\W\d_][^\s\d.,;:!?/()\[\]–-]{1,14}"
_GAP = r"(?:\s{0,3}[.,/-]\s{0,3}|\s{1,3})"
_OF = r"(?:(?:de|del|of)\s{1,3})?"
_ORDINAL = r"(?:st|nd|rd|th|er|[ºª°])?"
_DATE = late(
    rf"(?<![\w.,:/-])(?:"
    rf"(?P<day>\d{{1,2}}){_ORDINAL}{_GAP}{_OF}(?P<month>{_NAME})\.?{_GAP}{_OF}(?P<year>\d{{4}})"
    rf"|(?P<month2>{_NAME})\.?\s{{1,3}}(?P<day2>\d{{1,2}}){_ORDINAL}{_GAP}(?P<year2>\d{{4}})"
    rf"|(?P<year3>\d{{4}}){_GAP}(?P<month3>{_NAME})\.?{_GAP}(?P<day3>\d{{1,2}}){_ORDINAL}"
    rf")(?![\w%]|[.,:/-]\d)"
)
_WEEKDAY = late(rf"(?<!\w)({_NAME})[.,]?\s{{1,3}}\Z")
_LONGEST_WEEKDAY = 20
_YEAR = late(r"\d{4}")


class CompleteDate(NamedTuple):
    """A complete date: where it stands, with the weekday before it; where its month's name does; the day."""

    start: int
    end: int
    month_at: int
    languages: frozenset[str]
    part: DatePart


def read_complete_dates(text: str) -> list[CompleteDate]:
    """The complete dates among the first 4,000 characters."""
    text, found = text[:LONGEST], list[CompleteDate]()
    if _YEAR.search(text) is None:
        return found
    names = _months()
    for match in _DATE.finditer(text):
        which = next(which for which in ("", "2", "3") if match["month" + which])
        word = fold(match["month" + which].rstrip("॰"))
        if word not in names or (word in STOP_WORDS and len(text.split()) > len(match[0].split()) + 1):
            continue  # "out" is a month in Portuguese; beside a date and a weekday it is nothing else
        number, languages = names[word]
        try:
            span = date_span(int(match["year" + which]), number, int(match["day" + which]))
        except ValueError:
            continue  # no such day: 30 February
        start = _with_weekday(text, match.start())
        part = DatePart(match.end(), *span, "day")
        found.append(CompleteDate(start, match.end(), match.start("month" + which), languages, part))
    return found


def _with_weekday(text: str, start: int) -> int:
    """Where the weekday before a date begins, else the date."""
    first = max(0, start - _LONGEST_WEEKDAY)
    before = _WEEKDAY.search(text[first:start])
    return first + before.start() if before and fold(before[1]) in _weekdays() else start


@cache
def _months() -> dict[str, tuple[int, frozenset[str]]]:
    """The names of months, long and short: their numbers, and the languages that have them."""
    found: dict[str, tuple[int, frozenset[str]]] = {
        word: (number, frozenset({"en"})) for word, number in MONTHS.items()
    }
    for code, raw in read_table().items():
        for key in ("months", "short_months"):
            for number, names in enumerate(raw.get(key, ()), 1):
                for name in names:
                    word = fold(name.rstrip("॰"))
                    found[word] = number, found.get(word, (number, frozenset()))[1] | {code}
    return found


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(WEEKDAYS) | {
        fold(name) for raw in read_table().values() for names in raw["weekdays"] for name in names
    }
