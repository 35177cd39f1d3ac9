"""Times of a sentence: "yesterday" as the day it was, seen from when it was said."""

from __future__ import annotations

import re
from calendar import month_name
from datetime import UTC, datetime

from engramma.language.dates import EARLIEST, LATEST, Interval, intervals
from engramma.language.times import wall_clock

from .tense import times_of

# Only a sentence with one of these is read for times: reading costs more than all the rest.
_HINT = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this|since|until|till|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|spring|summer|autumn|fall|winter|weekend|christmas|easter|halloween|thanksgiving"
    r"|new year|week|month|in \d{4}|(?:19|20)\d\d|\d+(?:st|nd|rd|th)|first of|in (?:a|an|one|two|three|four|five|six)"
    r")\b",
    re.IGNORECASE,
)
_MONTHS = tuple(month_name)[1:]
# How long somebody has done something: "for three years now". The reference counts back.
_LASTING = re.compile(
    r"\bfor (?:about |around |almost |nearly |over |just under |more than |the (?:last|past) )?"
    r"(a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) (day|week|month|year)s?\b(?! old)",
    re.IGNORECASE,
)


def times_in(text: str, said_at: datetime, ahead: bool) -> tuple[Interval, ...]:
    """The times that a sentence names; what is planned looks ahead for its Friday, all else as its verbs tell."""
    if not _HINT.search(text):
        return ()
    here = wall_clock(said_at)
    found = intervals(text, here, "future") if ahead else times_of(text, here)
    return tuple(time for time in found if time.grain not in ("minute",))


def since_in(text: str, said_at: datetime) -> datetime | None:
    """When it began, if a sentence tells for how long it has lasted."""
    match = _LASTING.search(text) if " for " in text else None
    if not match:
        return None
    number = match[1].replace("an", "one") if match[1].lower() == "an" else match[1]
    found = intervals(f"{number} {match[2]}s ago", wall_clock(said_at))
    return bounds(found[0])[0] if found else None


def bounds(time: Interval) -> tuple[datetime | None, datetime | None]:
    """When it began and ended, as coarsely as it was said: "two years ago" is that whole year."""
    start, end = time.start, time.end
    if time.grain == "year" and (end - start).days < 200:
        start, end = _year(start.year), _year(start.year + 1)
    elif time.grain == "month" and (end - start).days < 20:
        first = start.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        start, end = first, _month_after(first)
    return (None if start == EARLIEST else start), (None if end == LATEST else end)


def _year(year: int) -> datetime:
    return datetime(min(max(year, 1), 9999), 1, 1, tzinfo=UTC)


def _month_after(first: datetime) -> datetime:
    if first.year == 9999 and first.month == 12:
        return first.replace(day=31)
    return first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)


def describe_time(start: datetime | None, end: datetime | None) -> str:
    """A time in words: "7 May 2023", "May 2023", "2022", "1 to 7 May 2023"; "" without a beginning."""
    if start is None:
        return ""
    if end is None:
        return f"since {_day(start)}"
    days = (end - start).days
    if days <= 1:
        return _day(start)
    if start.day == 1 and start.month == 1 and days in (365, 366):
        return str(start.year)
    if start.day == 1 and 28 <= days <= 31:
        return f"{_MONTHS[start.month - 1]} {start.year}"
    return (
        f"{_day(start)} to {_day(datetime.fromtimestamp(end.timestamp() - 1, UTC))}" if end.year < 9999 else _day(start)
    )


def _day(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
