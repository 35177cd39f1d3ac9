"""Sessions and their turns, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..core.core import Core
from ..language.lexical import terms
from ..language.text import segment_id
from ..language.times import from_micros
from ..store.database import Row
from ..store.store import encode_keys

MOST_SPEAKERS = 12  # named of a session


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session that is there, under the names it is stored by."""

    key: int
    conversation: str
    id: str
    started_at: datetime
    closed: bool

    @classmethod
    def of_row(cls, row: Row) -> Sitting:
        return cls(row["key"], row["conversation"], row["id"], from_micros(row["started_at"]), bool(row["closed"]))


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in a list: how it begins, who speaks, how long it is."""

    conversation: str
    session: str
    title: str | None
    source: str | None
    started_at: datetime
    last_at: datetime
    closed: bool
    turns: int
    opening: str | None
    speakers: tuple[str, ...]
    passage: str | None = None  # where the words that were looked for stand in it


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn in a page of its session, its text perhaps cut; `size` is how long it is, `segment` what it is part of."""

    id: str
    speaker: str
    role: str
    said_at: datetime
    text: str
    size: int
    segment: str | None


@dataclass(frozen=True, slots=True)
class TurnPage:
    """A page of a session's turns, where it begins, and how many there are in all."""

    title: str | None
    source: str | None
    offset: int
    items: tuple[TurnLine, ...]
    total: int


def find_sitting(core: Core, conversation: str, session: str) -> Sitting | None:
    """A session by its names, or by what they are stored as if there is a secret in them."""
    for talk in dict.fromkeys((conversation, core.mask_name(conversation))):
        for name in dict.fromkeys((session, core.mask_name(session))):
            if (row := core.store.session(talk, name)) is not None:
                return Sitting(row.key, row.conversation, row.id, from_micros(row.started_at), row.closed)
    return None


def session_page(core: Core, bounds: Mapping[str, Any], limit: int, offset: int) -> tuple[list[SessionLine], int]:
    """Sessions within bounds, the latest first, with their first words; and how many there are in all.

    Words may stand in a conversation's name or title, or anywhere in what was said: then the passage is shown.
    """
    store, words = core.store, bounds["words"]
    with store.snapshot():
        asked = terms(words) if words else ()
        held = encode_keys(store.sessions_with(asked, unfinished=not words[-1].isspace()) if words else [])
        total = store.one("browse_sessions_count", **bounds, sessions=held)
        rows = store.all("browse_sessions", **bounds, sessions=held, limit=limit, offset=offset)
        passages = _passages(core, [row["key"] for row in rows], words, asked) if words else {}
        speakers: dict[int, list[str]] = {}
        for row in store.all("speakers_of_sessions", sessions=encode_keys([row["key"] for row in rows])):
            speakers.setdefault(row["session"], []).append(row["speaker"])
    lines = [
        SessionLine(
            row["conversation"],
            row["id"],
            row["title"],
            row["source"],
            from_micros(row["started_at"]),
            from_micros(row["last_at"]),
            bool(row["closed"]),
            row["turns"],
            row["opening"],
            tuple(speakers.get(row["key"], [])[:MOST_SPEAKERS]),
            passages.get(row["key"]),
        )
        for row in rows
    ]
    return lines, 0 if total is None else total[0]


def _passages(core: Core, sessions: list[int], words: str, asked: Sequence[str]) -> dict[int, str]:
    """Where the words stand in each session: all of them as they were typed, else the longest that does."""
    found: dict[int, str] = {}
    for text in dict.fromkeys((words.strip(), *sorted(asked, key=len, reverse=True))):
        left = [key for key in sessions if key not in found]
        for row in core.store.all("browse_passages", sessions=encode_keys(left), text=text) if left else ():
            if row["passage"] is not None:
                found[row["session"]] = row["passage"]
    return found


def turn_page(core: Core, sitting: Sitting, around: str | None, most: int, limit: int, offset: int) -> TurnPage:
    """A page of a session, texts cut to `most` characters; with `around`, the page that turn is on."""
    store = core.store
    with store.snapshot():
        if around is not None and (before := store.one("turn_offset", session=sitting.key, id=around)) is not None:
            offset = before[0] // limit * limit
        total = store.one("turns_visible", session=sitting.key)
        said = store.all("turns_page", session=sitting.key, most=most, limit=limit, offset=offset)
        segments = store.segments(sitting.key)
        named = store.one("conversation_get", id=sitting.conversation)
    at = {n: one.idx for one in segments for n in range(one.first, one.last + 1)}
    lines = tuple(
        TurnLine(
            turn["id"],
            turn["speaker"],
            turn["role"],
            from_micros(turn["said_at"]),
            turn["text"],
            turn["size"],
            segment_id(sitting.conversation, sitting.id, at[turn["position"]]) if turn["position"] in at else None,
        )
        for turn in said
    )
    title, source = (None, None) if named is None else (named["title"], named["source"])
    return TurnPage(title, source, offset, lines, 0 if total is None else total[0])
