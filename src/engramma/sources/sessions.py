"""Turns in time: times that a format leaves out, and sittings in a thread that knows none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ..language.times import format_time, shifted
from ..records import Conversation, Problem, Session, Turn

SECOND = timedelta(seconds=1)

# From so much on, a conversation is handed over in pieces: some megabytes are held, not gigabytes.
PIECE_TURNS = 4000
PIECE_CHARS = 4 * 1024 * 1024


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


def timed(turns: Iterable[Turn], start: datetime | None) -> Iterator[Turn]:
    """The turns with the times of `fill_times`; only those that wait for the next stated time are held."""
    before: datetime | None = None
    waiting: list[Turn] = []
    for turn in turns:
        waiting.append(turn)
        if turn.said_at is not None:
            yield from _placed(waiting, before, start)
            before = turn.said_at
            waiting = []
    yield from _placed(waiting, before, start)


def _placed(turns: list[Turn], before: datetime | None, start: datetime | None) -> Iterator[Turn]:
    stated = [turn.said_at for turn in turns]
    times = fill_times(stated if before is None else [before, *stated], start=start)
    for turn, time in zip(turns, times[len(times) - len(turns) :], strict=True):
        yield turn if turn.said_at == time else replace(turn, said_at=time)


def split_by_gap(turns: Iterable[Turn], gap: timedelta) -> list[list[Turn]]:
    """The turns in sittings, as `sittings` gives them one by one."""
    return list(sittings(turns, gap))


def sittings(turns: Iterable[Turn], gap: timedelta) -> Iterator[list[Turn]]:
    """The turns in sittings: a new one where more than `gap` passed since the latest turn so far.

    Turns that go back in time, or have none, stay in the sitting in which the file has them.
    """
    sitting: list[Turn] = []
    latest: datetime | None = None
    for turn in turns:
        if sitting and latest and turn.said_at and turn.said_at - latest > gap:
            yield sitting
            sitting = []
        sitting.append(turn)
        if turn.said_at and (latest is None or turn.said_at > latest):
            latest = turn.said_at
    if sitting:
        yield sitting


def numbered(conversation_id: str, sittings: Iterable[Iterable[Turn]], first: int = 1) -> tuple[Session, ...]:
    """Sessions named "<conversation>-1", "-2" and so on by their order.

    By order and not by time: a conversation grows at its end, where order is stable, and a time
    may be a fallback that differs between two copies of the same file.
    """
    return tuple(Session(f"{conversation_id}-{n}", tuple(turns)) for n, turns in enumerate(sittings, first))


def cut_conversation(whole: Conversation, sessions: Iterable[Session]) -> Iterator[Conversation]:
    """The conversation with these sessions, cut between them where it is too long to be held."""
    held: list[Session] = []
    turns = size = 0
    for session in sessions:
        if turns > PIECE_TURNS or size > PIECE_CHARS:
            yield replace(whole, sessions=tuple(held))
            whole = replace(whole, continues=True)
            held, turns, size = [], 0, 0
        held.append(session)
        turns += len(session.turns)
        size += sum(len(turn.text) for turn in session.turns)
    if held:
        yield replace(whole, sessions=tuple(held))


def no_times(path: str, conversations: int, fallback_time: datetime | None) -> Problem:
    """The note that conversations of a file state no time, and what was done about it."""
    placed = (
        "their turns are left without a time: give a date for the import"
        if fallback_time is None
        else f"their turns are dated from {format_time(fallback_time)} on, a second apart"
    )
    return Problem(path, "times", f"conversations without a time: {conversations}; {placed}")
