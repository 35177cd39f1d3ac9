"""A time of day on a date, and parts of something longer: 3pm on 5 May, late May, the first Friday of July."""

from __future__ import annotations

from datetime import timedelta

from engramma.language.dates.calendar import (
    DAY,
    Span,
    add_months,
    add_units,
    day_span,
    moved,
    nth_week,
    nth_weekday,
    unit_span,
    years_span,
)
from engramma.language.dates.relative_times import day_part, grain_of, read_single_time
from engramma.language.dates.words import DAY_PARTS, EDGES, STARTING, UNITS, WEEKDAYS, amount, cardinal, ordinal
from engramma.language.dates.written_dates import DatePart, DateScene, Rule, longest, year_after

_COUNTED = ("day", "week", "month")
_LONG = ("month", "quarter", "season", "year")


def clock(s: DateScene, i: int) -> tuple[int, bool, int] | None:
    """A time of day in minutes, whether minutes were given, and the place after it: 3pm, 3:30 pm, 15:00, noon."""
    w = s.words
    if w.word(i) in ("noon", "midday", "midnight"):
        return (0 if w.word(i) == "midnight" else 720), False, i + 1
    number = cardinal(w, i)
    if not number or number[0] > 24:
        return None
    hour, j = number
    minute, has_minutes = 0, False
    if w.word(j) == ":" and w.at(j + 1).kind == "number" and len(w.word(j + 1)) == 2 and w.at(j + 1).value < 60:
        minute, has_minutes, j = w.at(j + 1).value, True, j + 2
        if w.word(j) == ":" and w.at(j + 1).kind == "number":
            j += 2
            if w.word(j) == "." and w.at(j + 1).kind == "number" and w.is_joined(j):
                j += 2
        j = w.skip(j, "z")
    half = w.word(j)
    if half in ("am", "pm") and 1 <= hour <= 12:
        return (hour % 12 + 12 * (half == "pm")) * 60 + minute, has_minutes, j + 1
    if half == "o'clock":
        return hour % 24 * 60, False, j + 1
    return (hour * 60 + minute, True, j) if has_minutes and hour < 24 else None


def with_time(s: DateScene, i: int) -> DatePart | None:
    """5 May 2023 at 3pm, 3pm on 5 May, Friday night, the morning of 5 May."""
    w = s.words
    if time := clock(s, i):
        day = read_single_time(s, w.skip(w.skip(time[2], ","), "on", "of"))
        return _timed(day, time, day.stop) if day and day.grain == "day" else None
    j = w.skip(i, "the")
    if w.word(j) in DAY_PARTS:
        day = read_single_time(s, w.skip(j + 1, "of", "on")) if w.word(j + 1) in ("of", "on") else None
        return day_part(day, w.word(j), day.stop) if day and day.grain == "day" else None
    day = read_single_time(s, i)
    if not day or day.grain != "day":
        return None
    j = w.skip(day.stop, "t" if w.is_joined(day.stop - 1) else ",", ",")
    if time := clock(s, w.skip(j, "at", "@", "around", "about", "by")):
        return _timed(day, time, time[2])
    k = w.skip(w.skip(day.stop, "in", "at"), "the")
    return day_part(day, w.word(k), k + 1) if w.word(k) in DAY_PARTS else None


def _timed(day: DatePart, time: tuple[int, bool, int], stop: int) -> DatePart:
    start = moved(day.start, timedelta(minutes=time[0]))
    end = moved(start, timedelta(minutes=1 if time[1] else 60))
    return DatePart(stop, start, end, "minute" if time[1] else "hour", day.is_relative)


def edge(s: DateScene, i: int) -> DatePart | None:
    """Early May 2023, mid-June, the end of 2022, late last week, earlier this year, the rest of the month."""
    w = s.words
    j = w.skip(i, "the")
    if w.word(j) in ("earlier", "later", "rest", "remainder"):
        k = w.skip(j + 1, "of", "in", "on")
        whole = read_single_time(s, k) or (_current(s, k) if k > j + 1 else None)
        if not whole or not whole.start <= s.today < whole.end:
            return None
        if w.word(j) == "earlier":
            return DatePart(whole.stop, whole.start, s.today if whole.start < s.today else whole.end, "range", True)
        return DatePart(whole.stop, s.today, whole.end, "range", True)
    which = EDGES.get(w.word(j))
    if which is None:
        return None
    if w.word(j) in ("early", "mid", "late"):
        k = w.skip(j + 1, "-", "in")
    elif w.word(j + 1) == "of":
        k = j + 2
    else:
        return None
    whole = read_single_time(s, k) or read_single_time(s, w.skip(k, "the")) or _current(s, k)
    if not whole or whole.grain in ("minute", "hour", "day"):
        return None
    return whole.shaped(lambda span: _edge_of(span, which, w.word(j) in ("early", "late")))


def _current(s: DateScene, i: int) -> DatePart | None:
    """The week, the month, the year: those of today."""
    j = s.words.skip(i, "the", "my")
    unit = s.words.word(j)
    return DatePart(j + 1, *unit_span(s.now, unit), grain_of(unit), True) if unit in ("week", "month", "year") else None


def _edge_of(span: Span, which: str, is_half: bool) -> Span:
    """The first or last half of a week or month, the first or last half or third of a longer time, its middle."""
    start, end = span
    days = (end - start) / DAY
    if days < 8:
        a, b = {"first": (0, 3), "middle": (1, 5), "last": (3, 7)}[which]
        return moved(start, a * DAY), min(end, moved(start, b * DAY))
    if days < 32:
        a, b = {"first": (0, 15), "middle": (9, 20), "last": (15, 31)}[which]
        return moved(start, a * DAY), min(end, moved(start, b * DAY))
    months = round(days / 30.44)
    size = months // 2 if is_half and months >= 12 else months // 3
    if which == "first":
        return start, add_months(start, size)
    if which == "last":
        return add_months(start, months - size), end
    return add_months(start, months // 3), add_months(start, months - months // 3)


def piece(s: DateScene, i: int) -> DatePart | None:
    """The first Friday of July, the last week of 2015, the third week next year, the third month of 2021."""
    w = s.words
    j = w.skip(i, "the")
    found = (-1, j + 1) if w.word(j) == "last" else ordinal(w, j)
    if not found:
        return None
    n, k = found
    kind = w.word(k)
    if w.word(j) in ("first", "last") and (many := amount(w, k)) and UNITS.get(w.word(many[1])) in _COUNTED:
        return _pieces(s, n, many[0], UNITS[w.word(many[1])], many[1] + 1)
    if kind not in WEEKDAYS and kind not in ("week", "weekend", "day", "month"):
        return None
    m = w.skip(k + 1, "of", "in")
    whole = read_single_time(s, m) or (_current(s, m) if w.word(m) == "the" else None)
    if not whole or whole.grain not in _LONG:
        return None

    def make(span: Span) -> Span:
        if kind == "week":
            return nth_week(span, n)
        if kind == "month":
            start = add_months(span[0], n - 1) if n > 0 else add_months(span[1], n)
            return unit_span(start, "month")
        if kind == "day":
            return day_span(moved(span[0], (n - 1) * DAY) if n > 0 else moved(span[1], n * DAY))
        day = nth_weekday(span, WEEKDAYS.get(kind, 5), n)
        if day is None:
            raise ValueError("no such weekday")
        return (day, moved(day, 2 * DAY)) if kind == "weekend" else day_span(day)

    return whole.shaped(make, grain_of("day" if kind in WEEKDAYS else kind))


def _pieces(s: DateScene, n: int, many: int, unit: str, i: int) -> DatePart | None:
    """The first or last days, weeks or months of something longer."""
    j = s.words.skip(i, "of", "in")
    whole = read_single_time(s, j) or _current(s, j) if j > i else None
    if not whole or whole.grain not in _LONG:
        return None

    def make(span: Span) -> Span:
        if unit == "week":
            first, last = sorted((nth_week(span, n), nth_week(span, n * many)))
            return first[0], last[1]
        if n > 0:
            return span[0], min(span[1], add_units(span[0], many, unit))
        return max(span[0], add_units(span[1], -many, unit)), span[1]

    return whole.shaped(make, "range")


def _around(s: DateScene, i: int) -> DatePart | None:
    """The week of 5 May, the weekend of 5 May, the week starting 5 May, the month of May, week 31 of 2018."""
    w = s.words
    j = w.skip(i, "the")
    unit, k = w.word(j), j + 2
    if unit == "w" and w.word(j + 1) == "/" and w.word(j + 2) in ("c", "b"):
        unit, k = "week", j + 3
    elif unit == "week" and w.at(j + 1).kind == "number" and 1 <= w.at(j + 1).value <= 53:
        year = year_after(s, j + 2)
        span = nth_week(years_span(year[0] if year else s.now.year), w.at(j + 1).value)
        return DatePart(year[1] if year else j + 2, *span, "week", year is None or year[2])
    elif unit not in ("week", "weekend", "month", "year") or w.word(j + 1) not in ("of", *STARTING):
        return None
    whole = read_single_time(s, w.skip(k, "on", "from"))
    if not whole or (whole.grain != "day" and unit != whole.grain):
        return None
    if unit == "week" and w.word(j + 1) != "of" and whole.grain == "day":
        return whole.shaped(lambda span: (span[0], moved(span[0], 7 * DAY)), "week")
    return whole.shaped(lambda span: unit_span(span[0], unit), grain_of(unit))


SHAPED: tuple[Rule, ...] = (read_single_time, with_time, edge, piece, _around)


def shaped(s: DateScene, i: int) -> DatePart | None:
    return longest(s, i, "shaped", SHAPED)
