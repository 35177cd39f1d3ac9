"""Times: read once at the border into UTC, kept as whole microseconds, shown without surprises.

A time without a zone is refused unless the caller names the zone: guessing would silently shift
what was said, and "when" is half of what a memory is asked for.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

from ..errors import BadInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
_MARGIN = timedelta(days=3)

# Epoch numbers below this are seconds (up to the year 5138), from here on milliseconds (from 1973),
# and a thousand times more is neither.
MILLISECONDS_FROM = 10**11

# Digits alone, as JSON exporters write them. Eight digits stay an ISO date, so this is asked first:
# fromisoformat would read 1612121212123 as a day in the year 1612.
_EPOCH_DIGITS = re.compile(r"[0-9]{9,13}(\.[0-9]+)?")

_DAY = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
_WEEK = re.compile(r"[0-9]{4}-?W[0-9]{2}(?P<day>-?[1-7])?")  # 2026-W20, 2026-W20-1

_WRITTEN = re.compile(
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})\s*(?P<half>am|pm)\s+on\s+"
    r"(?P<day>[0-9]{1,2})\s+(?P<month>[a-z]{3,9}),?\s+(?P<year>[0-9]{4})",
    re.IGNORECASE,
)
# Spelled out, because strptime's month names follow the machine's locale.
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class _Machine(tzinfo):
    """The zone that this machine is set to, or that the variable TZ names, with its summer times."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        wall = (moment or datetime.now()).replace(tzinfo=None)
        # The clock is only asked well inside the calendar: it looks a day ahead and back.
        asked = min(max(wall, datetime.min + _MARGIN), datetime.max - _MARGIN).replace(fold=wall.fold)
        try:
            offset = asked.astimezone().utcoffset() or timedelta(0)
            _ = wall - offset
        except (OverflowError, ValueError, OSError):  # no such time in UTC, or none that this machine knows
            return timedelta(0)
        return offset

    def dst(self, moment: datetime | None) -> timedelta:
        return timedelta(0)

    def tzname(self, moment: datetime | None) -> str:
        minutes = int(self.utcoffset(moment).total_seconds()) // 60
        hours, rest = divmod(abs(minutes), 60)
        return f"UTC{'-' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"

    def fromutc(self, moment: datetime) -> datetime:
        """The wall time of a moment, and which one of an hour that the clock shows twice."""
        asked = min(max(moment.replace(tzinfo=None), datetime.min + _MARGIN), datetime.max - _MARGIN)
        try:
            offset = asked.replace(tzinfo=UTC).astimezone().utcoffset() or timedelta(0)
            wall = moment + offset
        except (OverflowError, ValueError, OSError):  # it has no wall time here
            return moment.replace(tzinfo=UTC)
        return wall if self.utcoffset(wall) == offset else wall.replace(fold=1)


HERE = _Machine()  # the zone of whoever reads and types at this machine


def parse_time(value: object, zone: tzinfo | None = None) -> datetime:
    """A UTC time from an aware datetime, an ISO 8601 string, or epoch seconds or milliseconds.

    A datetime or string without an offset is read in `zone`, and refused when none is given.
    """
    if isinstance(value, datetime):
        return _to_utc(value, zone)
    if isinstance(value, str):
        text = value.strip()
        if _EPOCH_DIGITS.fullmatch(text):
            return _from_epoch(float(text) if "." in text else int(text))
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{_shown(value)} is not an ISO 8601 time such as 2023-05-08T13:56:00Z") from None
        return _to_utc(moment, zone)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(value)
    raise ValueError(f"a time must be a datetime, a string or a number, not {type(value).__name__}")


def parse_end(value: object, zone: tzinfo | None = None) -> datetime:
    """The end of a span, which does not belong to it: a date without a time means the end of that day in `zone`, a week
    of the year that of its Sunday.

    That is where the next day begins: a day on which the clocks change has 23 or 25 hours.
    """
    found = parse_time(value, zone)
    text = value.strip() if isinstance(value, str) else ""
    week = _WEEK.fullmatch(text)
    if week is None and _DAY.fullmatch(text) is None:
        return found
    length = timedelta(days=7 if week is not None and not week["day"] else 1)
    try:
        return _to_utc(datetime.fromisoformat(text) + length, zone)
    except (OverflowError, ValueError):  # no day comes after it
        return shifted(found, length)


def parse_written_time(text: str, zone: tzinfo | None = None) -> datetime:
    """A UTC time from the written form "1:56 pm on 8 May, 2023", read in `zone`."""
    match = _WRITTEN.fullmatch(text.strip())
    names = [name for name in _MONTHS if match and name.startswith(match["month"].lower())]
    if not match or len(names) != 1 or not 1 <= int(match["hour"]) <= 12:
        raise ValueError(f'{_shown(text)} is not a time such as "1:56 pm on 8 May, 2023"')
    hour = int(match["hour"]) % 12 + (12 if match["half"].lower() == "pm" else 0)
    month = _MONTHS.index(names[0]) + 1
    moment = datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))
    return _to_utc(moment, zone)


def format_time(moment: datetime) -> str:
    """ISO 8601 in UTC: 2023-05-08T13:56:00Z, with microseconds only where there are any."""
    return _to_utc(moment, None).replace(tzinfo=None).isoformat() + "Z"


def readable(moment: datetime) -> str:
    """The minute, for people: 2023-05-08 13:56 (UTC)."""
    return _to_utc(moment, None).isoformat(sep=" ")[:16]


def local_minute(moment: datetime) -> str:
    """The minute as the clock of this machine shows it: 2023-05-08 15:56."""
    return moment.astimezone(HERE).replace(tzinfo=None).isoformat(sep=" ")[:16]


def local_day(moment: datetime) -> str:
    """The day as the calendar on this machine's wall shows it: 2023-05-08."""
    return local_minute(moment)[:10]


def zoned_minute(moment: datetime) -> str:
    """The same where it could be misread: 2023-05-08 15:56 UTC+2."""
    return f"{local_minute(moment)} {moment.astimezone(HERE).tzname()}"


def wall_clock(moment: datetime) -> datetime:
    """What the clock of this machine shows, counted as if in UTC: days that people speak of are days of their clock."""
    return moment.astimezone(HERE).replace(tzinfo=UTC, fold=0)


def from_wall_clock(shown: datetime) -> datetime:
    """The moment at which the clock of this machine shows this; the ends of the calendar are the same everywhere."""
    wall = shown.replace(tzinfo=None)
    if not datetime.min + _MARGIN < wall < datetime.max - _MARGIN:
        return wall.replace(tzinfo=UTC)
    return _to_utc(wall, HERE)


def check_moment(name: str, moment: object) -> None:
    """Refuse what is no time of which everybody knows when it is: `name` is what the caller gave it as."""
    if not isinstance(moment, datetime) or moment.utcoffset() is None:
        raise BadInput(f"{name} must be a datetime with a time zone, such as datetime.now(UTC).")
    try:
        _to_utc(moment, None)
    except ValueError as error:
        raise BadInput(f"{name} cannot be used: {error}.") from None


def to_micros(moment: datetime) -> int:
    """Whole microseconds since 1970 in UTC; exact, because no float is involved."""
    return (_to_utc(moment, None) - EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """The UTC time that `to_micros` turned into this number."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        raise ValueError(f"{micros} microseconds since 1970 are outside the calendar") from None


def from_seconds(seconds: float) -> datetime:
    """The time that a file's date or a clock gives, held at the ends of the calendar: some disks know later years."""
    try:
        return EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return (datetime.max if seconds > 0 else datetime.min).replace(tzinfo=UTC)


def shifted(moment: datetime, by: timedelta) -> datetime:
    """The time moved by a span, held at the ends of the calendar instead of failing there."""
    try:
        return moment + by
    except OverflowError:
        end = datetime.max if by > timedelta(0) else datetime.min
        return end.replace(tzinfo=UTC)


def _to_utc(moment: datetime, zone: tzinfo | None) -> datetime:
    try:
        if moment.utcoffset() is not None:
            return moment.astimezone(UTC)
        if zone is not None:
            return moment.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        raise ValueError("the time is outside the calendar in UTC") from None
    raise ValueError(f"{moment.isoformat()} has no time zone: add Z or an offset such as +02:00")


def _from_epoch(value: int | float) -> datetime:
    size = abs(value)
    # Written so that NaN fails too.
    if not size < MILLISECONDS_FROM * 1000:
        raise ValueError("a number of this size is neither epoch seconds nor milliseconds")
    scale = 1_000_000 if size < MILLISECONDS_FROM else 1_000
    # Whole and fraction apart: their product with the scale in one piece would round twice.
    whole = int(value)
    return from_micros(whole * scale + round((value - whole) * scale))


def _shown(text: str) -> str:
    """A foreign string, short enough for a message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
