"""What a question bounds by itself: a time ("last May", "in 2023") and numbers ("for 40 people"). A quote of another
time, or one with other numbers, answers something else. English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...language.dates import Interval
from ...language.times import wall_clock
from ..grammar.tense import times_of
from .latest import ALIKE, LEAST_SETTLED
from .read_turns import ReadTurn

TOLD_LATER = timedelta(days=45)  # after a time, within which what happened then is still told
NEAR = 4.0  # of the best score: at 6 no more was right in LoCoMo, and two more questions were left open
_NUMBER = re.compile(r"(?<![\w.,:/£$€-])\d{1,4}(?![\w:/%-]|[.,]\d)")
_COUNTS = re.compile(r"(?<![\w.,:/£$€-])(\d{1,4})(?=\s+[a-z])")  # "40 people", not "the Charge 3"
_NAME = re.compile(r"(?<=\s)\w*[A-Z]\w*\s+\d{1,4}\b")
_NAMED = re.compile(  # what a time is told by that is the same whenever it is asked for, but for the year
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|\b(?:19|20)\d\d\b|\d[./-]\d", re.IGNORECASE
)
_LONGEST = timedelta(days=400)  # of a time that bounds anything: "since 2019" does not
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class QuestionBounds:
    """The times and the numbers that a question names."""

    times: tuple[Interval, ...]
    numbers: frozenset[str]
    has_year: bool

    def has_time_of(self, text: str, said_at: datetime) -> bool:
        """Whether something was said in one of the times, or soon after, or tells one; True where none is named."""
        if not self.times:
            return True
        said = wall_clock(said_at)
        told = [(one.start, one.end) for one in times_of(text, said) if one.end - one.start < _LONGEST]
        told.append((said - TOLD_LATER, said))
        return any(self._meets(one, start, end) for one in self.times for start, end in told)

    def _meets(self, one: Interval, start: datetime, end: datetime) -> bool:
        if self.has_year or one.grain == "year" or not _NAMED.search(one.text):
            return start < one.end and one.start <= end
        years = range(start.year - one.start.year - 1, end.year - one.start.year + 2)
        return any(start < _moved(one.end, n) and _moved(one.start, n) <= end for n in years)

    def has_number_of(self, text: str) -> bool:
        """Whether a text has a number that is asked for, or none at all; True where none is asked for."""
        said = set(_NUMBER.findall(text))
        return not self.numbers or not said or not said.isdisjoint(self.numbers)


def _moved(day: datetime, years: int) -> datetime:
    try:
        return day.replace(year=day.year + years)
    except ValueError:  # 29 February, or beyond the calendar
        return day


def read_bounds(question: str, now: datetime) -> QuestionBounds:
    """What a question bounds; "yesterday" is the day before `now`, which is when something was last said: the clock
    would make another answer of the same memory tomorrow."""
    found = times_of(question, now)
    times = tuple(one for one in found if one.end - one.start < _LONGEST)
    text = question
    for one in sorted(found, key=lambda one: -one.span[0]):
        text = text[: one.span[0]] + " " + text[one.span[1] :]
    return QuestionBounds(times, frozenset(_COUNTS.findall(_NAME.sub(" ", text))), _YEAR.search(question) is not None)


def within_first(read: Sequence[ReadTurn], bounds: QuestionBounds) -> Sequence[ReadTurn]:
    """The turns that were read; where the best is outside of what the question bounds, the best one within it first."""
    if not read or _is_within(read[0], bounds):
        return read
    first = read[0]
    least = max(first.share - ALIKE, LEAST_SETTLED)
    near = (one for one in read if first.score - one.score <= NEAR and one.share >= least)
    best = next((one for one in near if _is_within(one, bounds)), first)
    return [best, *(one for one in read if one is not best)]


def _is_within(one: ReadTurn, bounds: QuestionBounds) -> bool:
    return bounds.has_time_of(one.turn.text, one.turn.said_at) and bounds.has_number_of(one.sentence.text)
