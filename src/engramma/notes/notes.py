"""Notes: adds, reads, changes, tags and merges them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ..core.core import Core
from ..core.names import known_key
from ..ingest.note_repeats import RETRIED
from ..language.times import from_micros
from ..records import Note, Remembered, Repeat, Turn
from ..store.masks import masked_name
from ..store.store import ARCHIVED, FORGOTTEN, encode_keys
from . import revise
from .note_records import get_note, read_notes
from .pages import Order, find_note_ids, note_page, note_tags
from .write import link_waiting, remember_note, written_note


class Notes:
    """The notes of a memory."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def add(
        self,
        text: str,
        *,
        speaker: str = "user",
        tags: Iterable[str] = (),
        ttl: timedelta | None = None,
        source: str | None = None,
        session: str | None = None,
        strength: float = 0.5,
        at: datetime | None = None,
        meta: Mapping[str, str] | None = None,
    ) -> Remembered:
        """Store a note. One that repeats another is counted with it as a repeat, verbatim.

        `ttl` is how long it is worth keeping; `strength`, from 0 to 1, how much it matters to you; `meta` is what else
        you want to keep with it, as names and texts (a note whose metadata differ repeats none). If the embedder is
        unavailable, it is stored anyway, and what it repeats is decided when it is embedded (`embed_waiting`).
        """
        turn = Turn(speaker, text, at or datetime.now(UTC), meta={} if meta is None else meta)
        return remember_note(self._core, written_note(self._core, turn, tags, ttl, source, session, strength))

    def get(self, id: str) -> Note | None:
        """A note by its id, also an archived or retired one; None if there is none or it was forgotten."""
        return get_note(self._core, id)

    def all(self, tag: str | None = None, *, all_states: bool = False) -> list[Note]:
        """The notes, oldest first: those that are live, or also those archived and retired."""
        below = FORGOTTEN if all_states else ARCHIVED
        found = read_notes(self._core, self._core.store.keys("note_keys", below=below).tolist())
        clean = None if tag is None else masked_name(tag, self._core.look)
        return [note for note in found if tag is None or tag in note.tags or clean in note.tags]

    def page(
        self,
        *,
        words: str | None = None,
        tag: str | None = None,
        sort: Order = "newest",
        all_states: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[Note], int]:
        """Notes with some words in them or with a tag, in an order; and how many there are in all."""
        return note_page(self._core, words, tag, sort, FORGOTTEN if all_states else ARCHIVED, limit, offset)

    def ids(
        self, *, words: str | None = None, tag: str | None = None, all_states: bool = False, limit: int = 10_000
    ) -> list[str]:
        """The ids of such notes, the newest first: to act on more than a page of them."""
        return find_note_ids(self._core, words, tag, FORGOTTEN if all_states else ARCHIVED, limit)

    def tags(self, *, all_states: bool = False, limit: int = 200) -> list[dict[str, Any]]:
        """The tags that notes have, and how many have each."""
        return note_tags(self._core, FORGOTTEN if all_states else ARCHIVED, limit)

    def repeats(self, id: str) -> list[Repeat]:
        """What was counted as a repeat of a note, oldest first."""
        return [
            Repeat(
                row["id"],
                id,
                row["speaker"],
                row["text"],
                from_micros(row["said_at"]),
                row["source"],
                row["session"],
                row["similarity"],
            )
            for row in self._core.store.all("repeats_of", keys=encode_keys([known_key(self._core, id)]))
        ]

    def revise(
        self, id: str, text: str, *, tags: Iterable[str] | None = None, speaker: str | None = None
    ) -> tuple[Note, int]:
        """Replace a note with a new one: the old one is no longer recalled but stays stored, as superseded.

        Returns the new note and the act that `undo` undoes. Tags, source, strength and metadata are the old one's.
        """
        return revise.revise_note(self._core, id, text, tags=tags, speaker=speaker)

    def retag(self, id: str, tags: Iterable[str]) -> tuple[Note, int | None]:
        """Change a note's tags. Returns it with the act that `undo` undoes; no act if nothing changes."""
        return revise.retag_note(self._core, id, tags)

    def retag_many(
        self, ids: Iterable[str], add: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> tuple[int, int | None]:
        """Add tags to notes or remove them, all or none. Returns how many changed, and the act that undoes it."""
        return revise.retag_notes(self._core, ids, add, remove)

    def merge(self, ids: Iterable[str], into: str) -> int:
        """Replace notes with one of them; the others stay stored, superseded and not recalled. Returns the act."""
        return revise.merge_notes(self._core, ids, into)

    def link_waiting(self, limit: int = RETRIED) -> int:
        """Link notes whose automatic links failed before; returns how many."""
        return link_waiting(self._core, limit)
