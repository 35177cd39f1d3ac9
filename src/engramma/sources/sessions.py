"""Turns in time: times that a format leaves out, and sittings in a thread that knows none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from ..records import Problem, Session, Turn
from ..times import format_time, shifted

SECOND = timedelta(seconds=1)


def fill_times(
    stated: Sequence[datetime | None], *, start: datetime | None, step: timedelta = SECOND
) -> list[datetime | None]:
    """Every time, the missing ones placed so that the order of the file remains the order in time.

    A missing time is the one before plus `step`, but not later than the next one that is stated.
    Missing ones at the front count back from the first that is stated. `start` counts only when
    none is stated; without it, too, all stay None.
    """
    first = next((n for n, time in enumerate(stated) if time is not None), None)
    if first is None:
        return [None if start is None else shifted(start, step * n) for n in range(len(stated))]
    following: list[datetime | None] = []
    upcoming = None
    for time in reversed(stated):
        following.append(upcoming)
        upcoming = time or upcoming
    following.reverse()

    filled: list[datetime] = []
    for n, time in enumerate(stated):
        limit = following[n]
        if time is None and n < first and limit is not None:
            time = shifted(limit, -step * (first - n))
        elif time is None:
            time = shifted(filled[-1], step)
            if limit is not None and filled[-1] <= limit < time:
                time = limit
        filled.append(time)
    return list(filled)


def split_by_gap(turns: Iterable[Turn], gap: timedelta) -> list[list[Turn]]:
    """The turns in sittings: a new one where more than `gap` passed since the latest turn so far.

    Turns that go back in time, or have none, stay in the sitting in which the file has them.
    """
    sittings: list[list[Turn]] = []
    latest: datetime | None = None
    for turn in turns:
        if not sittings or (latest and turn.said_at and turn.said_at - latest > gap):
            sittings.append([])
        sittings[-1].append(turn)
        if turn.said_at and (latest is None or turn.said_at > latest):
            latest = turn.said_at
    return sittings


def numbered(conversation_id: str, sittings: Iterable[Iterable[Turn]]) -> tuple[Session, ...]:
    """Sessions named "<conversation>-1", "-2" and so on by their order.

    By order and not by time: a conversation grows at its end, where order is stable, and a time
    may be a fallback that differs between two copies of the same file.
    """
    return tuple(Session(f"{conversation_id}-{n}", tuple(turns)) for n, turns in enumerate(sittings, start=1))


def no_times(path: str, conversations: int, fallback_time: datetime | None) -> Problem:
    """The note that conversations of a file state no time, and what was done about it."""
    placed = (
        "their turns are left without a time: give a date for the import"
        if fallback_time is None
        else f"their turns are placed from {format_time(fallback_time)} on, a second apart"
    )
    return Problem(path, "times", f"conversations that state no time: {conversations}; {placed}")
