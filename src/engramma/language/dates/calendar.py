"""The calendar behind date expressions: days, weeks, seasons and feasts as half-open spans of naive time."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import MAXYEAR, datetime, timedelta
from typing import Literal

Grain = Literal["minute", "hour", "day", "week", "month", "season", "quarter", "year", "range"]
Prefer = Literal["past", "future"]
Span = tuple[datetime, datetime]

FIRST, LAST = datetime.min, datetime.max
DAY = timedelta(days=1)
# A leap day is at most eight years away (1896 to 1904).
_YEARS_TO_TRY = 9


def moved(moment: datetime, by: timedelta) -> datetime:
    """The time moved by a span, held at the ends of the calendar."""
    try:
        return moment + by
    except OverflowError:
        return LAST if by > timedelta(0) else FIRST


def month_start(year: int, month: int) -> datetime:
    """The first of a month, whose number may run beyond the year; held at the ends of the calendar."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if year < 1:
        return FIRST
    return LAST if year > MAXYEAR else datetime(year, month, 1)


def add_months(moment: datetime, n: int) -> datetime:
    """The same day n months on, or the month's last day where it has no such day."""
    first = month_start(moment.year, moment.month + n)
    if first in (FIRST, LAST):
        return first
    return moment.replace(first.year, first.month, min(moment.day, monthrange(first.year, first.month)[1]))


def day_span(moment: datetime) -> Span:
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return start, moved(start, DAY)


def date_span(year: int, month: int, day: int) -> Span:
    return day_span(datetime(year, month, day))


def months_span(year: int, month: int, n: int = 1) -> Span:
    return month_start(year, month), month_start(year, month + n)


def years_span(year: int, n: int = 1) -> Span:
    return months_span(year, 1, 12 * n)


def week_start(moment: datetime) -> datetime:
    """The Monday of this week."""
    return moved(day_span(moment)[0], -moment.weekday() * DAY)


def unit_span(moment: datetime, unit: str, n: int = 0) -> Span:
    """The calendar's week, month, decade and so on that holds this moment, or the n-th after it."""
    if unit in ("minute", "hour"):
        size = timedelta(minutes=1) if unit == "minute" else timedelta(hours=1)
        start = moment.replace(second=0, microsecond=0, minute=0 if unit == "hour" else moment.minute)
        return moved(start, n * size), moved(start, (n + 1) * size)
    if unit == "day":
        return day_span(moved(moment, n * DAY))
    if unit in ("week", "weekend"):
        start = moved(week_start(moment), 7 * n * DAY)
        return (start if unit == "week" else moved(start, 5 * DAY)), moved(start, 7 * DAY)
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}[unit]
    count = moment.year * 12 + moment.month - 1
    return months_span(0, (count // months + n) * months + 1, months)


def add_units(moment: datetime, n: int, unit: str) -> datetime:
    """The moment n units on."""
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
    if unit in months:
        return add_months(moment, n * months[unit])
    sizes = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": DAY, "fortnight": 14 * DAY}
    return moved(moment, n * sizes.get(unit, 7 * DAY))


def weekday_from(moment: datetime, weekday: int, n: int) -> datetime:
    """The n-th such weekday after the day (n above 0) or before it (n below 0), the day itself not counted."""
    day = day_span(moment)[0]
    if n > 0:
        return moved(day, ((weekday - day.weekday() - 1) % 7 + 1 + 7 * (n - 1)) * DAY)
    return moved(day, -((day.weekday() - weekday - 1) % 7 + 1 - 7 * (n + 1)) * DAY)


def nth_weekday(span: Span, weekday: int, n: int) -> datetime | None:
    """The n-th such weekday within the span, counted from its end when n is negative."""
    found = weekday_from(moved(span[0], -DAY), weekday, n) if n > 0 else weekday_from(span[1], weekday, n)
    return found if span[0] <= found < span[1] else None


def nth_week(span: Span, n: int) -> Span:
    """The n-th week whose Thursday lies within the span (ISO 8601's rule for years), from the end when negative."""
    thursday = nth_weekday(span, 3, n)
    if thursday is None:
        raise ValueError("the period has no such week")
    return unit_span(thursday, "week")


def season_span(year: int, first_month: int) -> Span:
    """Three whole months, north of the equator; a winter has the year it begins in."""
    return months_span(year, first_month, 3)


def nearest(make: Callable[[int], Span], today: datetime, prefer: Prefer) -> Span:
    """What recurs each year, in the latest year that has begun it or the first that has not ended it."""
    past = prefer == "past"
    years = (
        range(today.year, today.year - _YEARS_TO_TRY, -1) if past else range(today.year - 1, today.year + _YEARS_TO_TRY)
    )
    for year in years:
        if not 1 <= year <= MAXYEAR:
            continue
        try:
            span = make(year)
        except ValueError:
            continue
        if span[0] <= today if past else span[1] > today:
            return span
    raise ValueError("no such day within the calendar")


def closest(make: Callable[[int], Span], today: datetime) -> Span:
    """What recurs each year, at its smallest distance from today."""
    spans = [make(year) for year in range(today.year - 1, today.year + 2) if 1 <= year <= MAXYEAR]
    return min(spans, key=lambda span: max(span[0] - today, today - span[1], timedelta(0)))


def easter(year: int) -> datetime:
    """Easter Sunday by the Gregorian computus (Meeus, Jones and Butcher)."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), g = divmod(b, 4), (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    (i, k), m = divmod(c, 4), (a + 11 * h) // 319
    r = (2 * e + 2 * i - k - h + m + 32) % 7
    month = (h - m + r + 90) // 25
    return datetime(year, month, (h - m + r + month + 19) % 32)


def _fixed(month: int, day: int, days: int = 1) -> Callable[[int], Span]:
    return lambda year: (datetime(year, month, day), moved(datetime(year, month, day), days * DAY))


def _weekday(month: int, weekday: int, n: int, later: int = 0) -> Callable[[int], Span]:
    """The n-th weekday of a month, and so many days later."""

    def span(year: int) -> Span:
        found = nth_weekday(months_span(year, month), weekday, n)
        if found is None:
            raise ValueError("the year is outside the calendar")
        return day_span(moved(found, later * DAY))

    return span


def _from_easter(days: int) -> Callable[[int], Span]:
    return lambda year: day_span(moved(easter(year), days * DAY))


# By name in lower case, without 's and the marks.
HOLIDAYS: dict[str, Callable[[int], Span]] = {
    **dict.fromkeys(("new year", "new year day", "new years", "new years day"), _fixed(1, 1)),
    **dict.fromkeys(("new year eve", "new years eve", "nye"), _fixed(12, 31)),
    **dict.fromkeys(("mlk day", "martin luther king day", "martin luther king jr day"), _weekday(1, 0, 3)),
    "groundhog day": _fixed(2, 2),
    **dict.fromkeys(("valentine day", "valentines day", "valentine", "valentines"), _fixed(2, 14)),
    **dict.fromkeys(("presidents day", "president day", "presidents ' day"), _weekday(2, 0, 3)),
    **dict.fromkeys(("women day", "international women day"), _fixed(3, 8)),
    **dict.fromkeys(("st patrick day", "st patricks day", "saint patrick day", "st paddy day"), _fixed(3, 17)),
    **dict.fromkeys(("april fools", "april fool day", "april fools day", "april fools ' day"), _fixed(4, 1)),
    "earth day": _fixed(4, 22),
    **dict.fromkeys(("mardi gras", "shrove tuesday", "pancake day"), _from_easter(-47)),
    "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7),
    **dict.fromkeys(("maundy thursday", "holy thursday"), _from_easter(-3)),
    "good friday": _from_easter(-2),
    "holy saturday": _from_easter(-1),
    **dict.fromkeys(("easter", "easter sunday", "easter day"), _from_easter(0)),
    "easter monday": _from_easter(1),
    "ascension day": _from_easter(39),
    **dict.fromkeys(("pentecost", "whit sunday"), _from_easter(49)),
    "may day": _fixed(5, 1),
    "cinco de mayo": _fixed(5, 5),
    **dict.fromkeys(("mother day", "mothers day", "mothers ' day"), _weekday(5, 6, 2)),
    "memorial day": _weekday(5, 0, -1),
    **dict.fromkeys(("father day", "fathers day", "fathers ' day"), _weekday(6, 6, 3)),
    "juneteenth": _fixed(6, 19),
    "independence day": _fixed(7, 4),
    **dict.fromkeys(("labor day", "labour day"), _weekday(9, 0, 1)),
    **dict.fromkeys(("columbus day", "indigenous peoples day", "indigenous people day"), _weekday(10, 0, 2)),
    **dict.fromkeys(("halloween", "hallowe ' en"), _fixed(10, 31)),
    "bonfire night": _fixed(11, 5),
    **dict.fromkeys(("veterans day", "veteran day", "remembrance day"), _fixed(11, 11)),
    **dict.fromkeys(("thanksgiving", "thanksgiving day"), _weekday(11, 3, 4)),
    "black friday": _weekday(11, 3, 4, later=1),
    "cyber monday": _weekday(11, 3, 4, later=4),
    **dict.fromkeys(("christmas eve", "xmas eve"), _fixed(12, 24)),
    **dict.fromkeys(("christmas", "christmas day", "xmas", "xmas day"), _fixed(12, 25)),
    "boxing day": _fixed(12, 26),
}
HOLIDAY_STARTS = frozenset(name.split()[0] for name in HOLIDAYS)
