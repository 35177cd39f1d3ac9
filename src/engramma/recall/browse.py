"""Browses a memory without a question: what was said when, and by whom."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..core.core import Core
from ..core.speakers import own_speakers, speaker_spellings, speakers_near, turns_by_speaker
from ..errors import BadInput
from ..language.text import DOCUMENTS
from ..language.times import from_micros, to_micros
from ..records import Segment, SegmentKind, Turn
from ..store.store import turn_of
from .session_pages import SessionLine, Sitting, TurnPage, find_sitting, session_page, turn_page

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
class Thread:
    """A conversation as it is listed: what it is called, and where it came from."""

    title: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who spoke: by which name, how often, when."""

    name: str
    turns: int
    conversations: int
    first_said_at: datetime
    last_said_at: datetime


class Browse:
    """Browses what was said when, where and by whom, without a question."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read inside sees one state of the store, whoever writes meanwhile."""
        with self._core.store.snapshot():
            yield

    def segments(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        speaker: str | None = None,
        conversation: str | None = None,
        newest_first: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Segment]:
        """Live segments within bounds, in the order in which they were said. A speaker's name is taken in any case."""
        return segments_between(
            self._core,
            since=since,
            until=until,
            speaker=speaker,
            conversation=conversation,
            newest_first=newest_first,
            limit=limit,
            offset=offset,
        )

    # --- who -----------------------------------------------------------------------------------

    def people(self) -> list[Person]:
        """Everybody who spoke, most active first."""
        return list_speakers(self._core)

    def speakers(self, limit: int) -> list[dict[str, Any]]:
        """Who speaks most, and how many turns: fast, however much there is."""
        return speakers(self._core, limit)

    def spellings(self, speaker: str) -> list[str]:
        """Every name under which the one who is called so speaks; none where nobody is, or several may be meant."""
        return speaker_spellings(self._core.store, speaker)

    def names_near(self, speaker: str) -> list[str]:
        """A few of those who spoke who may be meant by a name that nobody of them has."""
        return speakers_near(self._core.store, speaker)

    def talks_of(self, speaker: str) -> list[Talks]:
        """The conversations that somebody spoke in, the latest first."""
        return _talks_of(self._core, speaker)

    # --- where ---------------------------------------------------------------------------------

    def threads(self) -> dict[str, Thread]:
        """Every conversation by its id: what it is called, and where it came from."""
        return {row["id"]: Thread(row["title"], row["source"]) for row in self._core.store.all("conversations")}

    def thread(self, conversation: str) -> Thread | None:
        """One conversation by the id it is stored under; None if there is none."""
        row = self._core.store.one("conversation_get", id=conversation)
        return None if row is None else Thread(row["title"], row["source"])

    def sources(self, limit: int) -> list[dict[str, Any]]:
        """Where conversations came from, and how many from each; documents, which were ingested, last."""
        found = [dict(row) for row in self._core.store.all("browse_sources")[:limit]]
        documents = self.session_page(source=DOCUMENTS, limit=0)[1]
        return found + ([{"source": DOCUMENTS, "conversations": documents}] if documents else [])

    def session_page(
        self,
        *,
        words: str | None = None,
        conversation: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        topic: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 30,
        offset: int = 0,
    ) -> tuple[list[SessionLine], int]:
        """Sessions within bounds, the latest first, with their first words; and how many there are in all.

        Documents are among them; `source="engramma:documents"` takes them alone.
        """
        if source == DOCUMENTS and conversation is None:
            conversation, source = DOCUMENTS, None
        bounds = {
            "words": words or None,
            "conversation": conversation,
            "speaker": None if speaker is None else json.dumps(self.spellings(speaker)),
            "source": source,
            "topic": topic,
            "since": None if since is None else to_micros(since),
            "until": None if until is None else to_micros(until),
        }
        return session_page(self._core, bounds, limit, offset)

    def sitting(self, conversation: str, session: str) -> Sitting | None:
        """A session by its names, or by what they are stored as if there is a secret in them; None if there is none."""
        return find_sitting(self._core, conversation, session)

    def sittings_named(self, session: str) -> list[Sitting]:
        """Sessions of this id, or of this conversation/session, in whichever conversation they are."""
        keys = self._core.store.keys("sessions_named", id=session, conversation=None).tolist()
        if not keys:
            return []
        rows = {row["key"]: row for row in self._core.store.all("sessions_listed", conversation=None)}
        return [Sitting.of_row(rows[key]) for key in keys]

    # --- what ----------------------------------------------------------------------------------

    def turn_page(
        self, sitting: Sitting, *, around: str | None = None, most: int, limit: int = 100, offset: int = 0
    ) -> TurnPage:
        """A page of a session, texts cut to `most` characters; with `around`, the page that turn is on."""
        return turn_page(self._core, sitting, around, most, limit, offset)

    def turn_text(self, sitting: Sitting, turn_id: str) -> str | None:
        """All that was said in a turn; None if there is none of this id."""
        row = self._core.store.one("turn_whole", session=sitting.key, id=turn_id)
        return None if row is None else str(row["text"])

    def turns_of(self, sitting: Sitting) -> list[Turn]:
        """A session's turns, verbatim, in the order in which they came."""
        return self._core.store.turns(sitting.key)

    def turns_in(self, conversation: str, session: str) -> list[Turn]:
        """The turns of a session by the very names it is stored under; none if it is not there."""
        return [turn_of(row) for row in self._rows_in(conversation, session) if not row["hidden"]]

    def texts_in(self, conversation: str, session: str) -> dict[str, str | None]:
        """What stands under which turn's id in such a session; None stands for what was forgotten."""
        return {row["id"]: None if row["hidden"] else row["text"] for row in self._rows_in(conversation, session)}

    def talks_from(self, source: str) -> list[tuple[str | None, str, list[Turn]]]:
        """Every session that came from a source: its conversation's title, its id, and its turns."""
        store = self._core.store
        with store.snapshot():
            titles = {row["id"]: row["title"] for row in store.all("conversations") if row["source"] == source}
            rows = [row for row in store.all("sessions_listed", conversation=None) if row["conversation"] in titles]
            return [(titles[row["conversation"]], row["id"], store.turns(row["key"])) for row in rows]

    def _rows_in(self, conversation: str, session: str) -> list[Any]:
        row = self._core.store.session(conversation, session)
        return self._core.store.all("turns_of_session", session=row.key) if row else []


def segments_between(
    core: Core,
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
    with core.store.snapshot():
        names = None if speaker is None else json.dumps(speaker_spellings(core.store, speaker))
        keys = core.store.keys(
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
        found = core.store.hydrate(keys)
    return [found[key] for key in keys if key in found]


def list_speakers(core: Core) -> list[Person]:
    """Everybody who spoke, most active first; the user once, under every name."""
    rows = core.store.all("browse_people")
    own = own_speakers(core.store, (row["speaker"] for row in rows))
    found: dict[str, Person] = {}
    for row in rows:
        name = own[0] if row["speaker"] in own else row["speaker"]
        first, last, before = from_micros(row["first_at"]), from_micros(row["last_at"]), found.get(name)
        if before is not None:
            first, last = min(first, before.first_said_at), max(last, before.last_said_at)
        found[name] = Person(
            name,
            row["turns"] + (before.turns if before else 0),
            row["conversations"] + (before.conversations if before else 0),
            first,
            last,
        )
    return sorted(found.values(), key=lambda one: (-one.turns, one.name))


def speakers(core: Core, limit: int) -> list[dict[str, Any]]:
    """Who speaks most, and how many turns: from what the store counts as it comes and goes; the user once."""
    spoken = {row["name"]: row["turns"] for row in core.store.all("speakers_by_turns", limit=limit)}
    return [{"name": name, "turns": turns} for name, turns in turns_by_speaker(core.store, spoken).items()]


def _talks_of(core: Core, speaker: str) -> list[Talks]:
    """The conversations that somebody spoke in, the latest first."""
    return [
        Talks(
            row["conversation"], row["title"], row["turns"], from_micros(row["first_at"]), from_micros(row["last_at"])
        )
        for row in core.store.all("browse_talks_of", speaker=json.dumps(speaker_spellings(core.store, speaker)))
    ]
