"""Dates and months as they are written, and what all rules for date expressions share.

A rule looks at one place of the text and answers with the part that begins there, or with nothing.
Rules look a bounded number of words ahead and never back at what another rule found, so reading is
linear in the text. `longest` remembers what it found at a place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, datetime

from engramma.language.dates.calendar import Grain, Prefer, Span, closest, date_span, day_span, months_span, nearest
from engramma.language.dates.words import (
    MONTHS,
    MONTHS_IN_DOUBT,
    PREPOSITIONS,
    RANGE_WORDS,
    RELATIVE,
    WEEKDAYS,
    WEEKDAYS_IN_DOUBT,
    DateWords,
    list_date_words,
    month_day,
    year_number,
)

# Two digits of a year mean the past, except for the next few years.
YEARS_AHEAD = 20
# After these a name such as June is a month only when another month stands before them: in May and June.
_LOOSE = list_date_words("for about around , ( and or on to -")
_VERBS = list_date_words("may march mar")
_BEFORE_NUMBERS = PREPOSITIONS - {"for", ",", "(", "or", "and", "in"}


@dataclass(frozen=True, slots=True)
class DatePart:
    """A span that was read, the place after it, and the same in another year where the text names none."""

    stop: int
    start: datetime
    end: datetime
    grain: Grain
    is_relative: bool = False
    in_year: Callable[[int], Span] | None = None

    def of(self, year: int) -> DatePart:
        """The same in this year, unless the text named one."""
        if self.in_year is None:
            return self
        start, end = self.in_year(year)
        return replace(self, start=start, end=end)

    def shaped(self, change: Callable[[Span], Span], grain: Grain | None = None) -> DatePart:
        """The part with its span changed, in other years too."""
        start, end = change((self.start, self.end))
        make = self.in_year
        in_year = None if make is None else lambda year: change(make(year))
        return replace(self, start=start, end=end, grain=grain or self.grain, in_year=in_year)


@dataclass(frozen=True, slots=True)
class DateScene:
    """What the rules look at: the words, the moment of speaking and which way an open year is settled."""

    words: DateWords
    now: datetime
    prefer: Prefer
    found: dict[tuple[str, int], DatePart | None] = field(default_factory=dict)

    @property
    def today(self) -> datetime:
        return day_span(self.now)[0]


Rule = Callable[[DateScene, int], DatePart | None]


def longest(s: DateScene, i: int, name: str, rules: tuple[Rule, ...]) -> DatePart | None:
    """The longest part that one of the rules finds here; of equals the first."""
    key = name, i
    if key not in s.found:
        best: DatePart | None = None
        for rule in rules:
            try:
                part = rule(s, i)
            except (ValueError, OverflowError):
                continue  # no such day: 30 February, the year 0
            if part and part.start < part.end and (best is None or part.stop > best.stop):
                best = part
        s.found[key] = best
    return s.found[key]


def yearly(s: DateScene, stop: int, make: Callable[[int], Span], grain: Grain) -> DatePart:
    """What recurs each year, in the year that follows in the text or else the nearest."""
    year = year_after(s, stop)
    if year:
        start, end = make(year[0])
        return DatePart(year[1], start, end, grain, year[2])
    start, end = nearest(make, s.today, s.prefer)
    return DatePart(stop, start, end, grain, True, make)


def year_after(s: DateScene, i: int) -> tuple[int, int, bool] | None:
    """A year at the end of a date, the place after it, and whether it is told from today: 2023, '23, of last year."""
    w = s.words
    j = w.skip(w.skip(i, ","), "of", "in", "-", "/", "during")
    if found := year_number(w, j):
        return *found, False
    if w.word(j - 1) == "of" and w.at(j).kind == "number" and len(w.word(j)) == 2 and w.at(j).value > 31:
        return full_year(s, w.at(j).value), j + 1, False
    if w.word(j) == "'" and w.at(j + 1).kind == "number" and len(w.word(j + 1)) == 2:
        return full_year(s, w.at(j + 1).value), j + 2, False
    if w.word(j) == "the" and w.word(j + 1) == "year":
        found = year_number(w, w.skip(j + 2, "of"))
        return (*found, False) if found else None
    j = w.skip(w.skip(i, ","), "of", "in", "the")
    if w.word(j) in RELATIVE and w.word(j + 1) == "year":
        return s.now.year + RELATIVE[w.word(j)], j + 2, True
    return None


def full_year(s: DateScene, two: int) -> int:
    century = s.now.year // 100 * 100
    return century + two if century + two <= s.now.year + YEARS_AHEAD else century - 100 + two


def month_at(s: DateScene, i: int) -> tuple[int, int] | None:
    """A month's name and the place after it and its point."""
    w = s.words
    month = MONTHS.get(w.word(i))
    if month is None:
        return None
    is_short = len(w.word(i)) <= 4 and w.word(i) not in ("may", "june", "july")
    return month, w.skip(i + 1, ".") if is_short or w.at(i + 2).kind in ("number", "ordinal") else i + 1


def weekday_at(s: DateScene, i: int) -> int | None:
    """A weekday's name; the short forms that are other words too need a date's words around them."""
    w = s.words
    if w.word(i) in WEEKDAYS_IN_DOUBT:
        follows = w.at(w.skip(w.skip(i + 1, "."), ",", "the"))
        if w.word(i - 1) not in PREPOSITIONS - {",", "to"} and (
            follows.kind not in ("number", "ordinal") and follows.word not in MONTHS
        ):
            return None
    return WEEKDAYS.get(w.word(i))


def numeric_date(s: DateScene, i: int) -> DatePart | None:
    """2023-05-08, 5/8/2023, 21/04/16, 4/22, 2023-05, 11/2016: month before day unless that is impossible; 8.5.2023."""
    w = s.words
    a, mark, b = w.at(i), w.word(i + 1), w.at(i + 2)
    if a.kind != "number" or b.kind not in ("number", "ordinal") or mark not in ("-", "/", "."):
        return None
    is_tight = w.is_joined(i) and w.is_joined(i + 1)
    if len(a.word) == 4 or len(b.word) == 4:
        year, other = (a, b) if len(a.word) == 4 else (b, a)
        if year is a and is_tight and w.word(i + 3) == mark and w.at(i + 4).kind == "number" and len(b.word) <= 2:
            return DatePart(i + 5, *date_span(a.value, b.value, w.at(i + 4).value), "day")
        if 1000 <= year.value <= 2999 and len(other.word) <= 2 and (is_tight or mark != "."):
            return DatePart(i + 3, *months_span(year.value, _month(other.value)), "month")
        return None
    if not is_tight or len(a.word) > 2 or len(b.word) > 2:
        return None
    month, day = (b.value, a.value) if mark == "." else (a.value, b.value)
    month, day = (month, day) if month <= 12 else (day, month)
    c, k = w.at(i + 4), w.word(i + 3)
    is_year = c.kind == "number" and (len(c.word) == 4 or (len(c.word) == 2 and mark != "."))
    if is_year and (k == mark or k == ",") and (w.is_joined(i + 3) or len(c.word) == 4):
        number = c.value if len(c.word) == 4 else full_year(s, c.value)
        return DatePart(i + 5, *date_span(number, month, day), "day")
    before = w.word(i - 1)
    is_range = w.word(i + 3) in RANGE_WORDS and w.word(i + 5) == mark
    is_asked = before in _BEFORE_NUMBERS or before in WEEKDAYS or is_range
    is_plain = mark == "/" and (max(a.value, b.value) > 12 or a.word[0] == "0") and (a.value, b.value) != (24, 7)
    if not is_plain and not is_asked:
        return None
    return yearly(s, i + 3, lambda year: date_span(year, month, day), "day") if 1 <= month <= 12 else None


def _month(n: int) -> int:
    if not 1 <= n <= 12:
        raise ValueError("no such month")
    return n


def read_written_date(s: DateScene, i: int) -> DatePart | None:
    """8 May 2023, May 8th, the 8th of May, 2019-sep-1, May 2023, 2023 May, and the 8 of "8 and 9 May 2023"."""
    w = s.words
    j = w.skip(i, "the")
    if day := month_day(w, j):
        k = w.skip(w.skip(day[1], ".", "-", "/"), "of", "in")
        if (month := month_at(s, k)) and not _is_verb(s, k, j):
            return _month_and_day(s, month[0], day[0], month[1])
        other = month_day(w, w.skip(day[1] + 1, "the")) if w.word(day[1]) in ("and", "or") else None
        if other and (month := month_at(s, w.skip(other[1], "of"))):
            return replace(_month_and_day(s, month[0], day[0], month[1]), stop=day[1])
    if j > i:
        return None
    if w.at(i).kind == "number":
        return _year_first(s, i)
    month = month_at(s, i)
    if not month:
        return None
    number, k = month
    day = month_day(w, w.skip(w.skip(k, "-", "/", "."), "the"))
    year = year_after(s, k)
    if day and not _goes_on(w, day[1]) and not (year and year[1] > day[1]):
        return _month_and_day(s, number, day[0], day[1])
    if year:
        return DatePart(year[1], *months_span(year[0], number), "month", year[2])
    if w.at(k).kind == "number" and len(w.word(k)) == 2 and w.at(k).value > 31:
        return DatePart(k + 1, *months_span(full_year(s, w.at(k).value), number), "month")
    return None


def _month_and_day(s: DateScene, month: int, day: int, stop: int) -> DatePart:
    return yearly(s, stop, lambda year: date_span(year, month, day), "day")


def _year_first(s: DateScene, i: int) -> DatePart | None:
    """2019-sep-1, 2023 May."""
    w = s.words
    year = year_number(w, i)
    k = w.skip(year[1], ",", "-", "/", ".") if year else i
    month = month_at(s, k)
    if not year or not month or _is_verb(s, k, i):
        return None
    day = month_day(w, w.skip(month[1], "-", "/", "."))
    if day:
        return DatePart(day[1], *date_span(year[0], month[0], day[0]), "day")
    return DatePart(month[1], *months_span(year[0], month[0]), "month")


def _is_verb(s: DateScene, i: int, before: int) -> bool:
    """Whether "may" or "march" at this place after a number is the verb: the 8 may come."""
    w = s.words
    if w.word(i) not in _VERBS or w.at(i).is_capital or w.at(before).kind == "ordinal":
        return False
    return w.word(before - 1) not in PREPOSITIONS and not w.ends(i + 1) and w.at(i + 1).kind == "word"


def _goes_on(w: DateWords, i: int) -> bool:
    """Whether the number before this place is a time, a share or a decimal."""
    if w.word(i) in (":", "%", "am", "pm"):
        return True
    return w.word(i) == "." and w.at(i + 1).kind == "number" and w.is_joined(i)


def lone_month(s: DateScene, i: int) -> DatePart | None:
    """In May, last May, the May of "May and June 2023"; some names need a date's word before them."""
    w = s.words
    j = i + 1 if w.word(i) in RELATIVE else i
    month = month_at(s, j)
    if not month or (w.word(j) in MONTHS_IN_DOUBT and not _is_month(s, j)):
        return None

    def make(year: int) -> Span:
        return months_span(year, month[0])

    listed = year_after(s, j + 3) if w.word(j + 1) in ("and", "or") and w.word(j + 2) in MONTHS else None
    if listed:
        return DatePart(j + 1, *make(listed[0]), "month", listed[2])
    if j > i:
        return DatePart(j + 1, *stepped(s, make, RELATIVE[w.word(i)]), "month", True)
    return DatePart(j + 1, *nearest(make, s.today, s.prefer), "month", True, make)


def _is_month(s: DateScene, i: int) -> bool:
    """Whether a word such as may or june stands where a month does."""
    w = s.words
    before = w.word(i - 1)
    if (w.word(i + 1) in RANGE_WORDS or w.word(i + 1) in ("and", "or")) and w.word(i + 2) in MONTHS:
        return w.at(i).is_capital or w.word(i) not in _VERBS
    if before in _LOOSE:
        if not any(w.word(k) in MONTHS for k in (i - 2, i - 3)):
            return False
    elif before not in PREPOSITIONS:
        return False
    if w.at(i).is_capital or w.word(i) not in _VERBS:
        return True
    return before not in _LOOSE and before != "this" and w.ends(i + 1)


def stepped(s: DateScene, make: Callable[[int], Span], step: int) -> Span:
    """What recurs each year: the last that is over, the closest, or the next to begin."""
    if step == 0:
        return closest(make, s.today)
    years = range(max(1, s.now.year - 2), min(MAXYEAR, s.now.year + 2) + 1)
    spans = [make(year) for year in years]
    if step < 0:
        return max(span for span in spans if span[1] <= s.today)
    return min(span for span in spans if span[0] > s.today)
