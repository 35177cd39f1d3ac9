"""Looking around in a memory without a question: what was said when, and by whom."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from .errors import BadInput
from .memory import Memory
from .records import Segment, SegmentKind
from .times import from_micros, to_micros

MOST = 1_000  # segments at a time


@dataclass(frozen=True, slots=True)
class Talks:
    """A conversation that somebody spoke in: how much of it, and when."""

    conversation: str
    title: str | None
    turns: int
    first_said_at: datetime
    last_said_at: datetime


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who spoke: by which name, how often, when."""

    name: str
    turns: int
    conversations: int
    first_said_at: datetime
    last_said_at: datetime


def segments_between(
    memory: Memory,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    speaker: str | None = None,
    conversation: str | None = None,
    session: str | None = None,
    kind: SegmentKind | None = None,
    newest_first: bool = False,
    limit: int = 50,
    offset: int = 0,
) -> list[Segment]:
    """Live segments within bounds, in the order in which they were said. A speaker's name is taken in any case."""
    if type(limit) is not int or not 1 <= limit <= MOST or type(offset) is not int or not 0 <= offset < 2**62:
        raise BadInput(f"limit must be from 1 to {MOST:,} and offset from 0.")
    with memory.store.snapshot():
        names = None if speaker is None else json.dumps(spellings(memory, speaker))
        keys = memory.store.keys(
            "browse_segments",
            since=None if since is None else to_micros(since),
            until=None if until is None else to_micros(until),
            speaker=names,
            conversation=conversation,
            session=session,
            kind=kind,
            newest=int(newest_first),
            limit=limit,
            offset=offset,
        ).tolist()
        found = memory.store.hydrate(keys)
    return [found[key] for key in keys if key in found]


def people(memory: Memory) -> list[Person]:
    """Everybody who spoke, whoever spoke most first."""
    return [
        Person(
            row["speaker"],
            row["turns"],
            row["conversations"],
            from_micros(row["first_at"]),
            from_micros(row["last_at"]),
        )
        for row in memory.store.all("browse_people")
    ]


def talks_of(memory: Memory, speaker: str) -> list[Talks]:
    """The conversations that somebody spoke in, the latest first."""
    return [
        Talks(
            row["conversation"], row["title"], row["turns"], from_micros(row["first_at"]), from_micros(row["last_at"])
        )
        for row in memory.store.all("browse_talks_of", speaker=json.dumps(spellings(memory, speaker)))
    ]


def spellings(memory: Memory, speaker: str) -> list[str]:
    """The names of those who spoke that are this one but for the case of its letters."""
    wanted = speaker.strip().casefold()
    return [row["speaker"] for row in memory.store.all("browse_people") if row["speaker"].strip().casefold() == wanted]
