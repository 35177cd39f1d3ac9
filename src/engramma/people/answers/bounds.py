"""What a question bounds by itself: a time ("last May", "in 2023"). A quote of another one answers something else.
English.
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
_NAMED = re.compile(  # what a time is told by that is the same whenever it is asked for, but for the year
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|\b(?:19|20)\d\d\b|\d[./-]\d", re.IGNORECASE
)
_LONGEST = timedelta(days=400)  # of a time that bounds anything: "since 2019" does not
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class QuestionBounds:
    """The times that a question names."""

    times: tuple[Interval, ...]
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


def _moved(day: datetime, years: int) -> datetime:
    try:
        return day.replace(year=day.year + years)
    except ValueError:  # 29 February, or beyond the calendar
        return day


def read_bounds(question: str, now: datetime) -> QuestionBounds:
    """What a question bounds; "yesterday" is the day before `now`, which is when something was last said: the clock
    would make another answer of the same memory tomorrow."""
    times = tuple(one for one in times_of(question, now) if one.end - one.start < _LONGEST)
    return QuestionBounds(times, _YEAR.search(question) is not None)


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
    return bounds.has_time_of(one.turn.text, one.turn.said_at)
