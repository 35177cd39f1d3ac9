"""Times as a file writes them. What a clock on the wall showed becomes a moment last of all, behind the readers.

The zone of an import is somebody's word, not the file's: the same file may be read again with another one. So
readers never see it. A time without a zone keeps the figures it is written with, ids and sessions come from these,
and only what leaves this layer is placed in the zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from ..language.times import parse_time
from ..records import Conversation, Extra, Problem, Session, Turn


class _Wall(tzinfo):
    """Of times that name no zone: counted as if in UTC, and told from those that are."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        return timedelta(0)

    def dst(self, moment: datetime | None) -> timedelta:
        return timedelta(0)

    def tzname(self, moment: datetime | None) -> str:
        return "as written"


WALL = _Wall()


def written_time(value: object) -> datetime:
    """A time as `parse_time` reads it; one without a zone keeps its figures, in WALL."""
    if isinstance(value, datetime) and value.tzinfo is WALL:
        return value
    try:
        return parse_time(value)
    except ValueError:
        return parse_time(value, UTC).replace(tzinfo=WALL)


def placed(found: Iterable[Conversation | Problem | Extra], zone: tzinfo) -> Iterator[Conversation | Problem | Extra]:
    """The stream with every time that names no zone read in this one."""
    for item in found:
        if isinstance(item, Conversation):
            item = replace(item, sessions=tuple(_session(session, zone) for session in item.sessions))
        yield item


def _session(session: Session, zone: tzinfo) -> Session:
    if not any(turn.said_at and turn.said_at.tzinfo is WALL for turn in session.turns):
        return session
    return replace(session, turns=tuple(_turn(turn, zone) for turn in session.turns))


def _turn(turn: Turn, zone: tzinfo) -> Turn:
    if turn.said_at is None or turn.said_at.tzinfo is not WALL:
        return turn
    try:
        moment = turn.said_at.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:  # at either end of the calendar
        moment = turn.said_at.replace(tzinfo=UTC)
    return replace(turn, said_at=moment)
