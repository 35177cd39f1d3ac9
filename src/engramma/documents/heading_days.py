"""The days of a diary: what stands under "## 28 June 2026" was written then, and not when the file was last changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from ..language.dates import intervals

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_MIDDAY = timedelta(hours=12)  # nobody says at which hour; so it is the same day in most time zones


def written_on(headings: Sequence[str], changed: datetime) -> datetime:
    """When a part of a document was written: on the day that its innermost dated heading states, year and all, else
    when the file was changed. A day after that is a plan, not a date."""
    local = changed.astimezone()
    for heading in reversed(headings):
        days = [one for one in intervals(heading, local) if one.end - one.start <= timedelta(days=1, hours=2)]
        if len(days) != 1 or not _YEAR.search(heading):
            continue
        day = days[0].start.astimezone(local.tzinfo).replace(hour=0, minute=0, second=0, microsecond=0)
        return day + _MIDDAY if day <= local else changed
    return changed
