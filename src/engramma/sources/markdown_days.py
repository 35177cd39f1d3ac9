"""Times of day in a Markdown chat ("### Ann (10:32)"), on the day that the file states for them.

The day stands in a heading between the turns ("## 2024-05-01"), above the first one ("# Call with Ann, 2024-05-01") or
in the front matter. A clock that goes back past midnight is on the next day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from .transcript_lines import session_break

_ISO_DAY = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])")
_HALF_A_DAY = timedelta(hours=12)


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


def times_on_days(rows: Sequence[str], clocks: Sequence[tuple[int, str | None]], told: str | None) -> list[str | None]:
    """The written times of turns that state a time of day, by the row of each turn; `told` is the file's own date."""
    first = clocks[0][0] if clocks else 0
    above = [found for row in rows[:first] if row.startswith("#") and (found := _day(row))]
    day = above[0] if above else _day(told or "")
    written: list[str | None] = []
    before, latest = 0, None
    for row, clock in clocks:
        named = [found for line in rows[before:row] if (found := stated_day(line))] if row > first else []
        day, before = named[-1] if named else day, row + 1
        shown = clock_time(clock) if clock else None
        if day is None or shown is None:
            written.append(None)
            continue
        moment = datetime.combine(day, shown)
        if latest and latest - moment > _HALF_A_DAY and not named and day < date.max:
            day += timedelta(days=1)
            moment = datetime.combine(day, shown)
        latest = moment
        written.append(moment.isoformat())
    return written


def _day(text: str) -> date | None:
    found = _ISO_DAY.search(text)
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None
