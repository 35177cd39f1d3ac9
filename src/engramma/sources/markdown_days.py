"""Times of day in a Markdown chat ("### Ann (10:32)"), on the day that the file states for them.

The day stands in a heading between the turns ("## 2024-05-01"), above the first one ("# Call with Ann, 2024-05-01") or
in the front matter. A clock that goes back past midnight is on the next day. Where turns state no times of day, a day
dates what follows only if its heading is above theirs; else it is somebody's text, as is every date within a turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from .transcript_lines import session_break

_ISO_DAY = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])")
_HALF_A_DAY = timedelta(hours=12)
_BETWEEN_TURNS = re.compile(r"\s{0,3}(?:#{1,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$)")  # a heading or a rule


def clock_time(clock: str) -> time | None:
    """A time of day as it is written: "10:32", "9:05:10 pm"; None where a clock does not show it."""
    hour, minute, second = ([int(part) for part in re.findall(r"[0-9]+", clock)] + [0])[:3]
    if re.search("[AaPp]", clock):
        hour = hour % 12 + (12 if re.search("[Pp]", clock) else 0)
    return time(hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None


def stated_day(row: str) -> date | None:
    """The date of a heading or a rule that says nothing else."""
    broken = session_break(row)
    return _day(broken.time) if broken and broken.time else None


def day_before(rows: Sequence[str], start: int, opener: int, is_clocked: bool) -> int | None:
    """The row of the day between where something starts and the turn after it: only headings and rules stand behind it.

    Where nobody states a time of day (`is_clocked`), its heading has to be above that of the turn.
    """
    for n in range(opener - 1, start, -1):
        if stated_day(rows[n]):
            return n if is_clocked or _is_above(rows[n], rows[opener]) else None
        if rows[n].strip() and not _BETWEEN_TURNS.match(rows[n]):
            return None
    return None


def times_on_days(rows: Sequence[str], clocks: Sequence[tuple[int, str | None]], told: str | None) -> list[str | None]:
    """The written times of turns by the days before them and their times of day, by the row of each turn; `told` is
    the file's own date."""
    first, is_clocked = (clocks[0][0] if clocks else 0), any(clock for _, clock in clocks)
    above = [found for row in rows[:first] if row.startswith("#") and (found := _day(row))] if is_clocked else []
    day = above[0] if above else _day(told or "")
    written: list[str | None] = []
    before, latest = -1, None
    for row, clock in clocks:
        at = day_before(rows, before, row, is_clocked) if row > first or not is_clocked else None
        named = None if at is None else stated_day(rows[at])
        day, before = named or day, row
        shown = clock_time(clock) if clock else None
        if day is None or shown is None:
            written.append(named.isoformat() if named else None)
            continue
        moment = datetime.combine(day, shown)
        if latest and latest - moment > _HALF_A_DAY and not named and day < date.max:
            day += timedelta(days=1)
            moment = datetime.combine(day, shown)
        latest = moment
        written.append(moment.isoformat())
    return written


def _is_above(day: str, opener: str) -> bool:
    """Whether the heading of a day is higher than that of a turn, which may also be bold; a rule always is."""
    levels = [len(row) - len(row.lstrip("#")) for row in (day.strip(), opener.lstrip("> \t"))]
    return not levels[0] or not levels[1] or levels[0] < levels[1]


def _day(text: str) -> date | None:
    found = _ISO_DAY.search(text)
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None
