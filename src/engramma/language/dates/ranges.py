"""Times told from a date, and ranges: the week before 9 June, two days after Easter, from May to July, since March."""

from __future__ import annotations

from dataclasses import replace
from datetime import MAXYEAR, timedelta

from engramma.language.dates.calendar import (
    DAY,
    FIRST,
    LAST,
    Span,
    add_months,
    add_units,
    date_span,
    day_span,
    moved,
    unit_span,
    week_start,
    weekday_from,
    years_span,
)
from engramma.language.dates.date_parts import shaped
from engramma.language.dates.relative_times import counted, day_part, duration, grain_of, read_single_time
from engramma.language.dates.words import (
    DAY_PARTS,
    MANY_WEEKDAYS,
    RANGE_WORDS,
    STARTING,
    UNITS,
    WEEKDAYS,
    amount,
    list_date_words,
    month_day,
    year_number,
)
from engramma.language.dates.written_dates import DatePart, DateScene, Rule, longest, year_after

_SIDES = {"before": -1, "preceding": -1, "prior": -1, "after": 1, "following": 1, "from": 1}
_NEIGHBOURS = list_date_words("day week fortnight weekend month year decade")
_NOW = list_date_words("now date present")


# Told from another date


def side(s: DateScene, i: int) -> tuple[int, int] | None:
    """Before or after, as -1 or 1, and the place after it."""
    w = s.words
    sign = _SIDES.get(w.word(i))
    return (sign, w.skip(i + 1, "to") if w.word(i) == "prior" else i + 1) if sign else None


def away(s: DateScene, i: int) -> DatePart | None:
    """Two days before 3 March 2023, three weeks after Christmas, two Fridays before 15 July."""
    w = s.words
    if found := duration(s, i):
        parts, j = found
        to = side(s, j)
        anchor = shaped(s, to[1]) if to else None
        if not to or not anchor:
            return None
        if anchor.grain == "day" and w.word(j) == "from" and any(unit in ("minute", "hour") for _, unit in parts):
            return None  # "25 hours from Monday": so many a week, from then on
        part = counted(s, parts, to[0], anchor.stop, (anchor.start, anchor.end))
        return replace(part, is_relative=anchor.is_relative)
    number = amount(w, i)
    if not number or w.word(number[1]) not in MANY_WEEKDAYS:
        return None
    return _weekday_away(s, MANY_WEEKDAYS[w.word(number[1])], number[0], number[1] + 1)


def _weekday_away(s: DateScene, weekday: int, n: int, i: int) -> DatePart | None:
    to = side(s, i)
    anchor = shaped(s, to[1]) if to else None
    if not to or not anchor or s.words.word(i) == "from":
        return None
    day = anchor.start if to[0] < 0 else max(anchor.start, moved(anchor.end, -DAY))
    return DatePart(anchor.stop, *day_span(weekday_from(day, weekday, to[0] * n)), "day", anchor.is_relative)


def _beside(s: DateScene, i: int) -> DatePart | None:
    """The week before 9 June, the weekend after Christmas, the Friday before 15 July, the day before yesterday."""
    w = s.words
    j = w.skip(i, "the")
    word = w.word(j)
    if word in WEEKDAYS:
        return _weekday_away(s, WEEKDAYS[word], 1, j + 1)
    if word in DAY_PARTS:
        to = side(s, j + 1)
        anchor = shaped(s, to[1]) if to and j > i else None
        if not to or not anchor:
            return None
        day = DatePart(anchor.stop, *unit_span(anchor.start, "day", to[0]), "day", anchor.is_relative)
        return day_part(day, word, anchor.stop)
    unit = UNITS.get(word, "")
    to = side(s, j + 1)
    if unit not in _NEIGHBOURS or word != unit or not to or w.word(j + 1) == "from":
        return None
    anchor = shaped(s, to[1])
    if not anchor:
        return None
    start, end = _neighbour((anchor.start, anchor.end), unit, to[0], anchor.grain == unit)
    return DatePart(anchor.stop, start, end, grain_of(unit), anchor.is_relative)


def _neighbour(anchor: Span, unit: str, sign: int, is_same: bool) -> Span:
    """The span beside the anchor: for weeks the seven days that touch it, for longer units those of the calendar."""
    if unit == "week" and not is_same:
        return (moved(anchor[0], -7 * DAY), anchor[0]) if sign < 0 else (anchor[1], moved(anchor[1], 7 * DAY))
    if unit == "fortnight":
        return (moved(anchor[0], -14 * DAY), anchor[0]) if sign < 0 else (anchor[1], moved(anchor[1], 14 * DAY))
    if unit == "weekend":
        saturday = moved(week_start(anchor[0]), -2 * DAY) if sign < 0 else weekday_from(moved(anchor[1], -DAY), 5, 1)
        return saturday, moved(saturday, 2 * DAY)
    return unit_span(anchor[0] if sign < 0 else moved(anchor[1], -timedelta(minutes=1)), unit, sign)


def _lasting(s: DateScene, i: int) -> DatePart | None:
    """Three days starting tomorrow, for 1 week from 20 December."""
    w = s.words
    found = duration(s, w.skip(i, "for"))
    if not found:
        return None
    j = w.skip(found[1], ",")
    is_from = w.word(j) == "from" and (w.word(i) == "for" or w.word(i - 1) == "for")
    if w.word(j) not in STARTING and not is_from:
        return None
    first = shaped(s, w.skip(j + 1, "on", "from"))
    if not first or first.grain != "day":
        return None
    end = first.start
    for n, unit in found[0]:
        end = add_units(end, n, unit)
    return DatePart(first.stop, first.start, end, "range", first.is_relative)


def within_of(s: DateScene, i: int) -> DatePart | None:
    """Within two weeks of 5 May (on both sides), within two weeks after 5 May."""
    w = s.words
    found = duration(s, i + 1) if w.word(i) == "within" else None
    to = side(s, found[1]) if found else None
    if found and w.word(found[1]) == "of":
        to = 0, found[1] + 1
    anchor = shaped(s, to[1]) if to else None
    if not found or not to or not anchor:
        return None
    start, end = anchor.start, anchor.end
    for n, unit in found[0]:
        start = add_units(start, -n, unit) if to[0] <= 0 else start
        end = add_units(end, n, unit) if to[0] >= 0 else end
    return DatePart(anchor.stop, start, end, "range", anchor.is_relative)


ANCHORED: tuple[Rule, ...] = (shaped, away, _beside, _lasting, within_of)


def anchored(s: DateScene, i: int) -> DatePart | None:
    return longest(s, i, "anchored", ANCHORED)


# Ranges and open ends


def ranged(s: DateScene, i: int) -> DatePart | None:
    """From May 3 to June 4, between May and July 2022, 4 to 22 January 1995, November 19-20, 2014-2018."""
    w = s.words
    lead = w.word(i) if w.word(i) in ("from", "between") else ""
    j = i + 1 if lead else i
    first = anchored(s, j)
    if first and first.grain not in ("minute", "hour"):
        last = _range_end(s, first.stop, lead)
        if last and w.word(last) in _NOW and (lead or w.word(last) == "date"):
            return _joined(first, DatePart(last + 1, *day_span(s.today), "day", True))
        second = anchored(s, last) if last else None
        number = month_day(w, w.skip(last, "the")) if last and first.grain == "day" else None
        if number and (not second or second.stop == number[1]):
            return _until_number(s, first, number)
        bare = month_day(w, w.skip(j, "the"))
        if second and second.grain not in ("minute", "hour") and not (bare and bare[1] == first.stop):
            return _joined(first, second)
    if lead and w.word(j) == "now" and (last := _range_end(s, j + 1, lead)) and (second := anchored(s, last)):
        return _joined(DatePart(j + 1, *day_span(s.today), "day", True), second)
    if year := year_number(w, j):
        last = _range_end(s, year[1], lead)
        other = year_number(w, last) if last else None
        if other and other[0] > year[0] and abs(other[0] - year[0]) <= 500:
            return DatePart(other[1], years_span(year[0])[0], years_span(other[0])[1], "range")
    number = month_day(w, w.skip(j, "the"))
    last = _range_end(s, number[1], lead) if number else None
    second = anchored(s, last) if last else None
    if not number or not second or second.grain != "day" or (w.at(j).kind == "word" and not lead):
        return _numbers_in_month(s, j, lead)
    month = add_months(second.start, 0 if number[0] < second.start.day else -1).replace(day=1)
    start = min(moved(month, (number[0] - 1) * DAY), add_months(month, 1) - DAY)  # "the 31st" of a shorter month
    return DatePart(second.stop, start, second.end, "range", second.is_relative)


def _range_end(s: DateScene, i: int, lead: str) -> int | None:
    """The place after the word that leads to a range's end."""
    w = s.words
    i = w.skip(i, ",") if lead else i
    if w.word(i) in RANGE_WORDS or (lead == "between" and w.word(i) == "and"):
        return i + 1
    return None


def _numbers_in_month(s: DateScene, i: int, lead: str) -> DatePart | None:
    """4 to 22 this month; 4 to 22 January is read as 4 and 22 January."""
    w = s.words
    number = month_day(w, w.skip(i, "the"))
    last = _range_end(s, number[1], lead) if number else None
    other = month_day(w, w.skip(last, "the")) if last else None
    if not number or not other or other[0] < number[0]:
        return None
    month = read_single_time(s, w.skip(w.skip(other[1], "of", "in"), "the"))
    if not month or month.grain != "month":
        return None

    def make(first: Span) -> Span:
        return first[0].replace(day=number[0]), moved(first[0].replace(day=other[0]), DAY)

    return month.shaped(make, "range")


def _until_number(s: DateScene, first: DatePart, number: tuple[int, int]) -> DatePart | None:
    """The end of a range such as May 3 to 5, 2023."""
    year = year_after(s, number[1]) if first.in_year else None
    if year:
        first = replace(first.of(year[0]), is_relative=year[2])
    month = first.start if number[0] >= first.start.day else add_months(first.start, 1)
    _, end = date_span(month.year, month.month, number[0])
    return DatePart(year[1] if year else number[1], first.start, end, "range", first.is_relative)


def _joined(first: DatePart, second: DatePart) -> DatePart | None:
    """Both ends counted in; a year that one of them names holds for the other, and the end follows the start."""
    is_relative = first.is_relative or second.is_relative
    if first.in_year and not second.in_year:
        first = first.of(second.start.year)
        if first.start > second.start and first.start.year > 1:
            first = first.of(first.start.year - 1)
        is_relative = second.is_relative
    elif second.in_year:
        year = first.start.year
        second = second.of(year)
        if second.start < first.start and year < MAXYEAR:
            second = second.of(year + 1)
        is_relative = first.is_relative
    elif first.grain == second.grain == "day" and second.is_relative and second.start < first.start:
        while second.start < first.start and (first.start - second.start) < 8 * DAY:
            second = replace(second, start=moved(second.start, 7 * DAY), end=moved(second.end, 7 * DAY))
    return DatePart(second.stop, first.start, second.end, "range", is_relative) if second.end > first.start else None


def open_ended(s: DateScene, i: int) -> DatePart | None:
    """Since March, before 2020, after June 2023, until Friday, from May on, starting on Friday, 1 May or later."""
    w = s.words
    word, j = w.word(i), i + 1
    if word == "no" and w.word(j) in ("later", "earlier") and w.word(j + 1) == "than":
        word, j = ("until" if w.word(j) == "later" else "since"), j + 2
    elif word in ("prior", "later", "earlier"):
        if w.word(j) not in ("to", "than"):
            return None
        word, j = ("after" if word == "later" else "before"), j + 1
    if word in ("since", "after", "before", "until", "till", "from", *STARTING):
        if word in STARTING:
            j = w.skip(j, "on", "from")
        part = anchored(s, j)
        if not part or (word in STARTING and j == i + 1):
            return None
        if word == "since" and part.in_year and part.start > s.today:
            part = part.of(part.start.year - 1)
        bound = w.word(w.skip(j, "the"))
        if (word, bound) == ("before", "end") or (word, bound) == ("after", "beginning"):
            word = "until" if bound == "end" else "since"
        if word == "from":
            k = w.skip(part.stop, "on", "onward", "onwards", "forward")
            return replace(part, end=LAST, grain="range", stop=k, in_year=None) if k > part.stop else None
        if word in ("before", "until", "till"):
            end = part.start if word == "before" else part.end
            return replace(part, start=FIRST, end=end, grain="range", in_year=None)
        start = part.end if word == "after" else part.start
        return replace(part, start=start, end=LAST, grain="range", in_year=None)
    part = anchored(s, i)
    if part and w.word(part.stop) in ("and", "or"):
        follows = w.word(part.stop + 1)
        if follows in ("later", "after", "onwards") and w.ends(part.stop + 2):
            return replace(part, end=LAST, grain="range", stop=part.stop + 2, in_year=None)
        if follows in ("earlier", "before") and w.ends(part.stop + 2):
            return replace(part, start=FIRST, grain="range", stop=part.stop + 2, in_year=None)
    return None


WHOLE: tuple[Rule, ...] = (anchored, ranged, open_ended)


def read_longest_time(s: DateScene, i: int) -> DatePart | None:
    """The longest expression of any kind that begins here."""
    return longest(s, i, "whole", WHOLE)
