"""MyActivity.html, the other form of Google Takeout: a card an activity, its date in words.

<div class="outer-cell …"><p class="mdl-typography--title">Gemini Apps<br></p>
<div class="content-cell … body-1">Prompted Why …?<br>Jul 25, 2026, 11:07:57 PM PDT<br><p>Because …</p></div>
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from itertools import pairwise

from .documents import html

_CARD = re.compile(r'<div class="outer-cell\b')
_TITLE = re.compile(r'<p class="mdl-typography--title">(.*?)</p>', re.DOTALL)
_BODY = re.compile(
    r'<div class="content-cell[^"]*mdl-typography--body-1">(.*?)(?=<div class="content-cell|\Z)', re.DOTALL
)
_HREF = re.compile(r'href="([^"]{1,500})"')
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPACE = "[ \u00a0\u202f]"
_MONTH_DAY = rf"(?P<month>[A-Za-z]{{3,9}})\.?{_SPACE}(?P<day>[0-9]{{1,2}}),"
_DAY_MONTH = rf"(?P<day2>[0-9]{{1,2}}){_SPACE}(?P<month2>[A-Za-z]{{3,9}})\.?,?"
_DATE = re.compile(
    rf"(?:^|<br ?/?>)\s*(?:{_MONTH_DAY}|{_DAY_MONTH}){_SPACE}(?P<year>[0-9]{{4}}),{_SPACE}"
    rf"(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}}):(?P<second>[0-9]{{2}})(?:{_SPACE}?(?P<half>[AaPp][Mm]))?"
    rf"(?:{_SPACE}(?P<zone>[A-Z]{{1,5}}(?:[+-][0-9:]{{1,5}})?))?\s*(?=<|$)"
)
# What an abbreviation means anywhere in the world; others are read in the zone of the import.
_HOURS = {
    **{"UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3},
    **{"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "BRT": -3, "JST": 9, "KST": 9},
    **{"AKST": -9, "AKDT": -8, "HST": -10, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13},
}
_OFFSET = re.compile(r"(?:UTC|GMT)([+-])([0-9]{1,2})(?::?([0-9]{2}))?")


@dataclass(frozen=True, slots=True)
class Activity:
    """An entry of either form: whose it is, what was done, when, the answer as text, and addresses in it."""

    header: str
    title: str
    time: object
    answer: str
    links: str


def activities(page: str, zone: tzinfo) -> Iterator[tuple[str, Activity]]:
    """The cards of a page, each read alone: one that is damaged does not touch the others."""
    starts = [found.start() for found in _CARD.finditer(page)]
    for number, (begin, end) in enumerate(pairwise([*starts, len(page)]), start=1):
        card = page[begin:end]
        title, body = _TITLE.search(card), _BODY.search(card)
        content = body[1] if body else ""
        date = _DATE.search(content)
        prompt, answer = (content[: date.start()], content[date.end() :]) if date else (content, "")
        links = " ".join(_HREF.findall(card))
        header = as_text(title[1]) if title else ""
        yield f"card {number}", Activity(header, as_text(prompt), date and _time(date, zone), as_text(answer), links)


def as_text(markup: str) -> str:
    """The words of a piece of HTML, headings included."""
    shown: list[str] = []
    above: tuple[str, ...] = ()
    for block in html.read_html(markup).blocks:
        common = 0
        while common < min(len(above), len(block.headings)) and above[common] == block.headings[common]:
            common += 1
        shown += block.headings[common:]
        shown.append(block.text)
        above = block.headings
    return "\n\n".join(shown)


def _time(date: re.Match[str], zone: tzinfo) -> datetime | None:
    """The moment that a date in English names; None for a day that does not exist."""
    month = (date["month"] or date["month2"]).lower()[:3]
    hour = int(date["hour"])
    if date["half"]:
        hour = hour % 12 + (12 if date["half"].lower() == "pm" else 0)
    try:
        day = int(date["day"] or date["day2"])
        clock = (hour, int(date["minute"]), int(date["second"]))
        return datetime(int(date["year"]), _MONTHS.index(month) + 1, day, *clock, tzinfo=_zone(date["zone"], zone))
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None, zone: tzinfo) -> tzinfo:
    if name in _HOURS:
        return timezone(timedelta(hours=_HOURS[name]))
    if offset := _OFFSET.fullmatch(name or ""):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(ahead if offset[1] == "+" else -ahead)
    return zone
