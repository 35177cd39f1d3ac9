"""The days of a diary: what stands under "## 28 June 2026", or in "2026-06-28.md", was written then, and not when the
file was last changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Literal

from ..language.dates import intervals
from ..language.detect import language_of
from ..language.times import HERE
from ..records import Document

SlashOrder = Literal["day", "month"]

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
# 03.04.2025, 3/4/2025, 3-4-2025, 3/4/25 and 03.04.25; the short year of "1.2.25" may as well be part of a version.
_NUMERIC = re.compile(
    r"(?<![\w./-])(?=\d{1,2}(?P<mark>[./-])\d{1,2}(?P=mark)\d{4}(?!\d)|\d{1,2}/\d{1,2}/\d\d(?!\d)|\d\d\.\d\d\.\d\d(?!\d))"
    r"(\d+)([./-])(\d+)[./-](\d+)(?![\w/-]|\.\d)"
)
_KOREAN = re.compile(r"(?<![\w.])(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?(?![\w.])")  # 2025. 4. 3.
# The "1 to" of "1 to 3 May 2026", and the same of "1. bis 3. Mai 2026", "1.-3.5.2026" and "1 & 2 May 2026".
_BEFORE_ANOTHER = re.compile(r"(?<!\d)\d{1,2}\.?\s?(?:[-–&+]|[^\W\d_]{1,4}\s)\s?\Z")
# 2026-10-11.md, 2026_10_11.md, 2026-10-11 Title.md: what daily notes of Obsidian and Logseq are called.
_NAMED = re.compile(r"(\d{4})([-_])(\d{2})\2(\d{2})(?!\d|[-_.]+\d)(?:[ _.,-].*)?", re.DOTALL)
_FRONT_DAY = re.compile(
    r"---\n(?:.+\n)*?(?:date|created(?:[_ ]at)?):\s*[\"']?(\d{4})(-)(\d\d)-(\d\d)(?!\d)", re.IGNORECASE
)
_MIDDAY = 12  # nobody says at which hour; so it is the same day in most time zones
_BLOCKS = 20  # that tell the language of a document
_QUOTED = 3  # headings in a note


def written_on(
    headings: Sequence[str], changed: datetime, order: SlashOrder = "month", named: datetime | None = None
) -> datetime:
    """When a part of a document was written: on the day that its innermost dated heading states, year and all, else
    that the file's name states, else when the file was changed. A day after that is a plan, not a date."""
    for heading in reversed(headings):
        if moment := heading_time(heading, changed, order):
            return moment if moment.date() <= changed.astimezone(HERE).date() else named or changed
    return named or changed


def name_day(document: Document, changed: datetime) -> datetime | None:
    """Noon of the day that the name of a note begins with, if it is one day, or else that its front matter states, if
    the file was not changed before it."""
    name, _, _ = document.name.rpartition(".")
    found = _NAMED.fullmatch(name)
    if found is None and document.blocks:
        found = _FRONT_DAY.match(document.blocks[0].text)
    elif found is not None and _NAMED.search(name, found.end(4)):
        return None
    if found is None or document.kind == "code":
        return None
    try:
        day = date(*(int(found[part]) for part in (1, 3, 4)))
    except ValueError:
        return None
    moment = datetime(day.year, day.month, day.day, _MIDDAY, tzinfo=HERE)
    return moment if day <= changed.astimezone(HERE).date() else None


def heading_time(heading: str, changed: datetime, order: SlashOrder) -> datetime | None:
    """The one day that a heading states, at the time that it states or at noon; None where it is not one day."""
    plain = _KOREAN.sub(r"\1-\2-\3", _NUMERIC.sub(lambda found: _iso_date(found, order), heading))
    if not _YEAR.search(plain):
        return None
    times = [one for one in intervals(plain, changed.astimezone(HERE)) if not one.is_relative]
    days = [one for one in times if one.end - one.start <= timedelta(days=1, hours=2)]
    if len(days) != 1 or _BEFORE_ANOTHER.search(plain[: days[0].span[0]]):
        return None
    start = days[0].start.astimezone(HERE)
    return start if days[0].grain == "minute" else start.replace(hour=_MIDDAY, minute=0)


def slash_order(document: Document) -> tuple[SlashOrder, bool]:
    """Whether the day or the month comes first in headings such as "03/04/2025", and whether the file tells it.

    A number over 12 is a day. Where there is none, a diary goes on in time, or back: the reading that turns less often
    is right. Where both turn as often, the language decides.
    """
    dates = [date for heading in _all_headings(document) for date in _slashed(heading)]
    first, second = (sum(12 < date[place] <= 31 for date in dates) for place in (0, 1))
    if first != second:
        return ("day" if first > second else "month"), True
    by_day, by_month = _turns([(year, b, a) for a, b, year in dates]), _turns([(year, a, b) for a, b, year in dates])
    if by_day != by_month:
        return ("day" if by_day < by_month else "month"), True
    text = " ".join(block.text for block in document.blocks[:_BLOCKS])
    return ("day" if language_of(text) else "month"), all(a == b for a, b, _ in dates)


def heading_notes(document: Document, changed: datetime) -> list[str]:
    """What somebody should know of a diary's days: how its dates were read where that is open, and which headings state
    no day though others beside them do."""
    headings, notes = list(_all_headings(document)), list[str]()
    order, is_told = slash_order(document)
    if not is_told:
        shown = next(heading for heading in headings if any(_slashed(heading)))
        notes.append(f'nothing tells day from month in "{shown}" and the like; read as {order} first')
    dated = {heading for heading in headings if heading_time(heading, changed, order)}
    levels = {len(path) for path in _paths(document) if path[-1] in dated}
    unread = [
        path[-1]
        for path in _paths(document)
        if len(path) in levels and dated.isdisjoint(path) and any(map(str.isdigit, path[-1]))
    ]
    if unread:
        quoted = ", ".join(f'"{heading}"' for heading in unread[:_QUOTED]) + (", …" if len(unread) > _QUOTED else "")
        notes.append(
            f"{len(unread)} could not be read as a day with a year, as others of this file could ({quoted}); what "
            f"stands there is dated by the file's {'name' if name_day(document, changed) else 'last change'}"
        )
    return notes


def _iso_date(found: re.Match[str], order: SlashOrder) -> str:
    """A date in digits with the year first; points always put the day first."""
    _, first, mark, second, year = found.groups()
    is_day_first = mark == "." or order == "day"
    month, day = (second, first) if is_day_first else (first, second)
    if int(month) > 12:
        month, day = day, month
    return f"{int(year) + (2000 if len(year) == 2 else 0):04}-{int(month):02}-{int(day):02}"


def _slashed(heading: str) -> Iterator[tuple[int, int, int]]:
    """The numbers of dates in which the day or the month may come first."""
    for _, first, mark, second, year in _NUMERIC.findall(heading):
        if mark != ".":
            yield int(first), int(second), int(year)


def _turns(dates: Sequence[tuple[int, int, int]]) -> int:
    """How often a row of dates goes against its own direction."""
    steps = [later > earlier for earlier, later in pairwise(dates) if later != earlier]
    return min(sum(steps), len(steps) - sum(steps))


def _paths(document: Document) -> dict[tuple[str, ...], None]:
    """Every heading with those above it, in order."""
    return dict.fromkeys(
        block.headings[:depth] for block in document.blocks for depth in range(1, len(block.headings) + 1)
    )


def _all_headings(document: Document) -> Iterator[str]:
    return (path[-1] for path in _paths(document))
