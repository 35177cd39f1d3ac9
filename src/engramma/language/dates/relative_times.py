"""Times told from today: yesterday, last week, the past few months, two days ago, Monday, the 15th."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import MAXYEAR, timedelta

from engramma.language.dates.calendar import (
    DAY,
    HOLIDAYS,
    Grain,
    Span,
    add_units,
    date_span,
    day_span,
    month_start,
    moved,
    season_span,
    unit_span,
    weekday_from,
)
from engramma.language.dates.named_times import decade, holiday, holiday_at, lone_year, quarter, season
from engramma.language.dates.words import (
    AFTER,
    BEFORE,
    DAY_PARTS,
    DAYS,
    MANY_WEEKDAYS,
    RELATIVE,
    SEASONS,
    UNITS,
    WEEKDAYS,
    amount,
    cardinal,
    list_date_words,
    month_day,
    ordinal,
)
from engramma.language.dates.written_dates import (
    DatePart,
    DateScene,
    Rule,
    lone_month,
    longest,
    numeric_date,
    read_written_date,
    stepped,
    weekday_at,
)

_GRAINS: dict[str, Grain] = {
    **{"minute": "minute", "hour": "hour", "day": "day", "week": "week", "month": "month", "quarter": "quarter"},
    **{"year": "year", "fortnight": "week"},
}
_CALENDAR = ("week", "weekend", "month", "quarter", "year", "decade", "century")
_HALVES = {
    **{"hour": (30, "minute"), "day": (12, "hour"), "week": (3, "day"), "month": (15, "day"), "year": (6, "month")},
    **{"decade": (5, "year"), "century": (50, "year")},
}
# In the last year: the twelve months up to today rather than the calendar's.
_ROLLING = list_date_words("in over within during for")
# We haven't met in two weeks; the first time in a year; once in a month.
_NOT_AHEAD = list_date_words("haven hasn hadn havent hasnt never time times once twice much many")
_WEEKDAYS = {**MANY_WEEKDAYS, **WEEKDAYS}
_OUTER = frozenset({*BEFORE, *AFTER})
_WEEKEND_COMES = list_date_words("over on at during for of in")
_LEADS = list_date_words("of before after in")
_NUMBER_GOES_ON = list_date_words("- / : of % '")
_COUNTED = list_date_words("am pm a p o hr hrs min mins people men women children degrees km kg st nd rd th")
_NEAR_NUMBER = 45  # days within which "wed 23" is looked for
_DAY_COMES = list_date_words("on by since until till before after from to between through of and around")

Duration = tuple[tuple[tuple[int, str], ...], int]
"""Numbers with their units, and the place after them."""


def grain_of(unit: str) -> Grain:
    return _GRAINS.get(unit, "range")


def duration(s: DateScene, i: int) -> Duration | None:
    """Two weeks; 1 month and 21 days; a couple of days; half a year; a year and a half; two and a half years."""
    w = s.words
    parts: list[tuple[int, str]] = []
    j = i
    if w.word(i) == "half" and w.word(i + 1) in ("a", "an") and UNITS.get(w.word(i + 2)) in _HALVES:
        return (_HALVES[UNITS[w.word(i + 2)]],), i + 3
    while len(parts) < 4 and (found := amount(w, w.skip(w.skip(j, ","), "and") if parts else j)):
        n, k = found
        has_half = _is_half(s, k)
        unit = UNITS.get(w.word(k + 3 if has_half else k))
        if unit is None:
            break
        parts.append((n, unit))
        j = k + 4 if has_half else k + 1
        if unit in _HALVES and (has_half or _is_half(s, j)):
            return (*parts, _HALVES[unit]), j if has_half else j + 3
    return (tuple(parts), j) if parts else None


def _is_half(s: DateScene, i: int) -> bool:
    w = s.words
    return (w.word(i), w.word(i + 1), w.word(i + 2)) == ("and", "a", "half")


def counted(
    s: DateScene, parts: tuple[tuple[int, str], ...], sign: int, stop: int, anchor: Span | None = None
) -> DatePart:
    """The day (of hours and minutes: the minute) so far from now or from an anchor; its grain is the smallest unit's.

    Someone who says "two years ago" means no single day: the grain tells how coarse the number was.
    """
    units = [unit for _, unit in parts]
    is_short = any(unit in ("minute", "hour") for unit in units)
    if anchor is None:
        moment = s.now if is_short else s.today
    else:
        moment = anchor[0] if sign < 0 or is_short else max(anchor[0], moved(anchor[1], -DAY))
    if units == ["weekend"]:
        return DatePart(stop, *unit_span(moment, "weekend", sign * parts[0][0]), "range", True)
    for n, unit in parts:
        moment = add_units(moment, sign * n, unit)
    size = "minute" if is_short else "day"
    return DatePart(stop, *unit_span(moment, size), grain_of(units[-1]), anchor is None)


def named_day(s: DateScene, i: int) -> DatePart | None:
    """Today, yesterday, tomorrow; tonight; this morning; last night."""
    w = s.words
    word, follows = w.word(i), w.word(i + 1)
    if word in DAYS:
        return DatePart(i + 1, *unit_span(s.today, "day", DAYS[word]), "day", True)
    if word == "tonight":
        return day_part(DatePart(i + 1, *day_span(s.today), "day", True), "night", i + 1)
    if follows in DAY_PARTS and word in ("this", "last"):
        day = unit_span(s.today, "day", -1 if word == "last" else 0)
        return day_part(DatePart(i + 2, *day, "day", True), follows, i + 2)
    return None


def day_part(day: DatePart, name: str, stop: int) -> DatePart:
    first, last = DAY_PARTS[name]
    start = moved(day.start, timedelta(hours=first))
    return DatePart(stop, start, moved(day.start, timedelta(hours=last)), "hour", day.is_relative)


def relative_period(s: DateScene, i: int) -> DatePart | None:
    """Last week, this quarter, the next 3 days, the past few months, the week after next, last Monday, last summer."""
    w = s.words
    j = w.skip(i, "the", "these", "my", "our")
    if w.word(j) == "this" and w.word(j + 1) in ("past", "coming", "upcoming"):
        j += 1
    word = w.word(j)
    is_last = w.ends(j + 1) and w.word(j + 1) not in _LEADS
    if word == "weekend" and is_last and w.word(i - 1) in _WEEKEND_COMES:
        return _weekend(s, j + 1)
    if UNITS.get(word) in _CALENDAR and w.word(j + 1) in ("before", "after"):
        k = w.skip(j + 2, "the")
        step = {("before", "last"): -2, ("after", "next"): 2}.get((w.word(j + 1), w.word(k)))
        return DatePart(k + 1, *unit_span(s.now, UNITS[word], step), grain_of(UNITS[word]), True) if step else None
    if (w.word(j + 1), w.word(j + 2)) == ("before", "last") and (word in SEASONS or word in WEEKDAYS):
        return _before_last(s, word, j + 3)
    if word not in RELATIVE:
        number = amount(w, j)
        if not number or w.word(number[1]) not in _OUTER:
            return None
        n, k = number
        unit = UNITS.get(w.word(k + 1))
        is_many = n > 1 and w.word(k + 1) != unit
        return stretch(s, n, unit, RELATIVE[w.word(k)], k + 2) if unit and is_many else None
    step, k = RELATIVE[word], j + 1
    follows = w.word(k)
    if step and (number := amount(w, k)) and w.word(number[1]) in UNITS:
        return stretch(s, number[0], UNITS[w.word(number[1])], step, number[1] + 1)
    is_rolling = word == "past" or (word in ("last", "next") and w.word(j - 1) == "the" and w.word(j - 2) in _ROLLING)
    if step and (follows in ("fortnight", "hour") or (is_rolling and follows in ("week", "month", "year"))):
        return stretch(s, 1, follows, step, k + 1)
    unit = UNITS.get(follows)
    if unit in _CALENDAR and follows == unit:
        return DatePart(k + 1, *unit_span(s.now, unit, step), grain_of(unit), True)
    weekday = WEEKDAYS.get(follows)
    if weekday is not None:
        if step < 0 or word in ("coming", "upcoming"):
            day = weekday_from(s.today, weekday, step)
        else:
            day = moved(unit_span(s.now, "week", step)[0], weekday * DAY)
        return DatePart(k + 1, *day_span(day), "day", True)
    if follows in SEASONS:
        return DatePart(k + 1, *stepped(s, lambda year: season_span(year, SEASONS[follows]), step), "season", True)
    if found := holiday_at(s, k):
        name, stop = found
        return DatePart(stop, *stepped(s, HOLIDAYS[name], step), "day", True)
    return None


def _before_last(s: DateScene, word: str, stop: int) -> DatePart:
    """The summer before last, the Friday before last."""
    if word in WEEKDAYS:
        return DatePart(stop, *day_span(weekday_from(s.today, WEEKDAYS[word], -2)), "day", True)
    last, _ = stepped(s, lambda year: season_span(year, SEASONS[word]), -1)
    return DatePart(stop, *season_span(last.year - 1, SEASONS[word]), "season", True)


def _weekend(s: DateScene, stop: int) -> DatePart:
    """The weekend: the latest that has begun, or the next that is not over."""
    start, end = unit_span(s.now, "weekend")
    if s.prefer == "past" and start > s.today:
        start, end = unit_span(s.now, "weekend", -1)
    return DatePart(stop, start, end, "range", True)


def stretch(s: DateScene, n: int, unit: str, step: int, stop: int) -> DatePart | None:
    """The last or next n units: today belongs to those that are past, and to none that come."""
    if unit in ("minute", "hour"):
        ends = sorted((s.now, add_units(s.now, step * n, unit)))
        return DatePart(stop, ends[0], ends[1], "range", True)
    if unit in ("decade", "century", "quarter"):
        first, last = (1, n) if step > 0 else (-n, -1)
        return DatePart(stop, unit_span(s.now, unit, first)[0], unit_span(s.now, unit, last)[1], "range", True)
    tomorrow = moved(s.today, DAY)
    if step < 0:
        return DatePart(stop, add_units(s.today, -n, unit), tomorrow, "range", True)
    return DatePart(stop, tomorrow, add_units(tomorrow, n, unit), "range", True)


def ago(s: DateScene, i: int) -> DatePart | None:
    """Two days ago, three weeks from now, in a month, two Sundays ago."""
    w = s.words
    j = w.skip(i, "in")
    if found := duration(s, j):
        parts, k = found
        if w.word(k) == "ago":
            return counted(s, parts, -1, k + 1)
        if w.word(k) == "from" and w.word(k + 1) in ("now", "today"):
            return counted(s, parts, 1, k + 2)
        if w.word(k) == "hence":
            return counted(s, parts, 1, k + 1)
        is_saying = w.word(j) == "a" and parts == ((1, "day"),)
        if j > i and not is_saying and not any(w.word(n) in _NOT_AHEAD for n in range(max(0, i - 5), i)):
            return counted(s, parts, 1, w.skip(k, "time"))
        return None
    number = amount(w, i)
    weekday = _WEEKDAYS.get(w.word(number[1])) if number else None
    if number and weekday is not None:
        k = number[1] + 1
        if w.word(k) == "ago":
            return DatePart(k + 1, *day_span(weekday_from(s.today, weekday, -number[0])), "day", True)
        if w.word(k) == "from" and w.word(k + 1) == "now":
            return DatePart(k + 2, *day_span(weekday_from(s.today, weekday, number[0])), "day", True)
    return None


def _within(s: DateScene, i: int) -> DatePart | None:
    """Within two weeks: from today on."""
    w = s.words
    if w.word(i) != "within":
        return None
    j = w.skip(w.skip(i + 1, "the"), *AFTER)
    found = duration(s, j)
    if not found:
        return None
    end = s.today
    for n, unit in found[0]:
        end = add_units(end, n, unit)
    return DatePart(found[1], s.today, moved(end, DAY), "range", True)


def weekday(s: DateScene, i: int) -> DatePart | None:
    """Monday; Monday the 21st; Monday, 21 May; Monday next week; next week on Monday."""
    w = s.words
    if w.word(i) in RELATIVE and w.word(i + 1) == "week":
        day = WEEKDAYS.get(w.word(w.skip(w.skip(i + 2, ","), "on")))
        if day is None:
            return None
        start = moved(unit_span(s.now, "week", RELATIVE[w.word(i)])[0], day * DAY)
        return DatePart(w.skip(w.skip(i + 2, ","), "on") + 1, *day_span(start), "day", True)
    j = w.skip(i, *RELATIVE)
    day = weekday_at(s, j)
    if day is None or w.word(j - 1) in ("every", "each"):
        return None
    j = w.skip(j + 1, ".")
    k = w.skip(w.skip(w.skip(j, ","), "the"), "on")
    for rule in (numeric_date, read_written_date):
        if (dated := longest(s, w.skip(j, ","), rule.__name__, (rule,))) and dated.grain == "day":
            return _in_year_of(s, day, dated)
    is_numbered = w.word(k - 1) != "," and (w.word(k - 1) == "the" or w.word(k + 1) in ("", ".", "!", "?"))
    if (number := month_day(w, k)) and (w.at(k).kind == "ordinal" or (is_numbered and w.ends(number[1]))):
        return _weekday_numbered(s, day, number[0], number[1])
    near = _weekday_numbered(s, day, *number) if number and k == j and not _counts(s, number[1]) else None
    if near and abs(near.start - s.today) <= _NEAR_NUMBER * DAY:
        return near  # "back wed 23 late": the day of that number is one
    k = w.skip(w.skip(j, ","), "of", "in")
    if w.word(k) in RELATIVE and w.word(k + 1) == "week":
        start = moved(unit_span(s.now, "week", RELATIVE[w.word(k)])[0], day * DAY)
        return DatePart(k + 2, *day_span(start), "day", True)
    if w.word(i) in RELATIVE:
        return None
    stop = j - 1 if w.word(j - 1) == "." else j
    return DatePart(stop, *day_span(weekday_from(s.today, day, -1 if s.prefer == "past" else 1)), "day", True)


def _in_year_of(s: DateScene, weekday: int, dated: DatePart) -> DatePart:
    """A date without its year, in the nearest one in which it falls on this weekday, if there is one."""
    if dated.in_year is None:
        return dated
    spans = list[Span]()
    for year in range(max(1, s.now.year - 1), min(MAXYEAR, s.now.year + 1) + 1):
        with suppress(ValueError):  # 29 February
            spans.append(dated.in_year(year))
    fitting = [span for span in spans if span[0].weekday() == weekday]
    if not fitting:
        return dated
    start, end = min(fitting, key=lambda span: abs(span[0] - s.today))
    return replace(dated, start=start, end=end, in_year=None)


def _counts(s: DateScene, i: int) -> bool:
    """Whether the word at this place makes the number before it a time or a count: 8 am, 19 people, 5 hours."""
    word, kind = s.words.word(i), s.words.at(i).kind
    if s.words.ends(i):
        return word in _NUMBER_GOES_ON
    return kind not in ("word", "number") or word in _COUNTED or word in UNITS or (len(word) > 3 and word[-1] == "s")


def _weekday_numbered(s: DateScene, weekday: int, number: int, stop: int) -> DatePart | None:
    """The nearest month in which this number falls on this weekday."""
    months = [month_start(s.now.year, s.now.month + n) for n in range(-14, 15)]
    days = [(month, moved(month, (number - 1) * DAY)) for month in months]
    found = [day for month, day in days if day.month == month.month and day.weekday() == weekday]
    return DatePart(stop, *day_span(min(found, key=lambda day: abs(day - s.today))), "day", True) if found else None


def numbered_day(s: DateScene, i: int) -> DatePart | None:
    """The 15th; the 15th of last month; on the second; on 15."""
    w = s.words
    j = w.skip(i, "the")
    found = ordinal(w, j) or (cardinal(w, j) if w.word(i - 1) in ("on", "for") else None)
    if not found or not 1 <= found[0] <= 31 or (w.at(j).kind == "number" and len(w.word(j)) > 2):
        return None
    number, k = found
    m = w.skip(w.skip(k, "of", "in"), "the")
    if w.word(m) in RELATIVE and w.word(m + 1) == "month":
        start = unit_span(s.now, "month", RELATIVE[w.word(m)])[0]
        return DatePart(m + 2, *date_span(start.year, start.month, number), "day", True)
    if not w.ends(k) or w.word(k) in _NUMBER_GOES_ON:
        return None
    before = w.word(i - 1)
    if w.at(j).kind == "ordinal":
        is_asked = before != "in" and (j > i or before in _DAY_COMES)
    else:
        is_asked = before in ("on", "for") and w.word(k) in ("", ".", "?", "!", ",")
    return _nearest_number(s, number, k) if is_asked else None


def _nearest_number(s: DateScene, number: int, stop: int) -> DatePart | None:
    """The day of this number in the nearest month that has it."""
    step = -1 if s.prefer == "past" else 1
    for n in range(4):
        start = month_start(s.now.year, s.now.month + step * n)
        day = moved(start, (number - 1) * DAY)
        if day.month == start.month and (day <= s.today if step < 0 else day >= s.today):
            return DatePart(stop, *day_span(day), "day", True)
    return None


PLAIN: tuple[Rule, ...] = (
    *(numeric_date, read_written_date, weekday, lone_month, named_day, relative_period, ago, _within, holiday, season),
    *(quarter, decade, numbered_day, lone_year),
)


def read_single_time(s: DateScene, i: int) -> DatePart | None:
    """The longest single expression here."""
    return longest(s, i, "plain", PLAIN)
