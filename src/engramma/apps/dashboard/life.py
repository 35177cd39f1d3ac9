"""Paths below /api/dashboard about a life by months: how much was said, which talks stand out, what began for whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from fastapi import APIRouter

from ...language.text import DOCUMENTS
from ...memory import Memory
from ...recall.session_pages import SessionLine
from ..http.request import Asked, FewItems, Offset
from ..http.response_models import JsonAnswer, paged

EPOCH = date(1970, 1, 1)
LOOKED_AT = 40  # sessions of a month, the latest; of them the longest are shown
TALKS, MOMENTS, PEOPLE = 3, 4, 4  # shown of a month; those whose lives are told

routes = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that began to hold of somebody, with the words that say so."""

    person: str
    about: str
    value: str
    at: datetime
    source: dict[str, Any]
    is_first_told: bool  # then it was told first, and nobody said when it began


@dataclass(frozen=True, slots=True)
class Month:
    """A month: how much was said in it, on how many days, in how many sessions, in which documents, what began."""

    month: str
    turns: int
    days: int
    sessions: int
    documents: int
    talks: tuple[SessionLine, ...]
    moments: tuple[Moment, ...]


@routes.get("/life")
def life(where: Asked, offset: Offset = 0, limit: FewItems = 12) -> JsonAnswer:
    """The months in which something was said, or of which something was said, the latest first."""
    memory = where.memory
    moments = moments_of(memory)
    with memory.browse.snapshot():
        said = turns_by_month(memory.admin.figures()["activity"])
        months = sorted({*said, *(one.at.date().replace(day=1) for one in moments)}, reverse=True)
        page = months[offset : offset + limit]
        shown = [month_of(memory, month, *said.get(month, (0, 0)), moments) for month in page]
    most = max((turns for turns, _ in said.values()), default=0)
    return JsonAnswer({**paged(shown, len(months), offset, limit), "most": most})


def turns_by_month(activity: list[list[int]]) -> dict[date, tuple[int, int]]:
    """Turns, and days on which there were any, by the first day of each month."""
    found: dict[date, tuple[int, int]] = {}
    for day, turns in activity:
        first = (EPOCH + timedelta(days=day)).replace(day=1)
        known, days = found.get(first, (0, 0))
        found[first] = known + turns, days + 1
    return found


def month_of(memory: Memory, month: date, turns: int, days: int, moments: list[Moment]) -> Month:
    since = datetime(month.year, month.month, 1, tzinfo=UTC)
    until = datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)
    lines, total = memory.browse.session_page(since=since, until=until, limit=LOOKED_AT)
    told = [line for line in lines if line.conversation != DOCUMENTS]  # a document is no talk of one month
    longest = sorted(told, key=lambda line: -line.turns)[:TALKS]
    talks = tuple(sorted(longest, key=lambda line: line.started_at))
    documents = memory.browse.session_page(since=since, until=until, source=DOCUMENTS, limit=0)[1]
    own = tuple(one for one in moments if since <= one.at < until)[:MOMENTS]
    return Month(f"{month:%Y-%m}", turns, days, total - documents, documents, talks, own)


def moments_of(memory: Memory) -> list[Moment]:
    """What began to hold when, of those who are named most; each thing once."""
    found: dict[tuple[str, str, str], Moment] = {}
    for person in memory.profiles.page(None, PEOPLE)[0]:
        told = memory.profiles.get(person["name"])
        for lane in told["lanes"] if told is not None else ():
            for period in lane["periods"]:
                if period["sources"]:
                    known = (person["name"], lane["group"], period["value"].casefold())
                    value, at, source = period["value"], period["since"], period["sources"][0]
                    is_first_told = at == source["said_at"]
                    found.setdefault(known, Moment(person["name"], lane["group"], value, at, source, is_first_told))
    return sorted(found.values(), key=lambda one: one.at)
