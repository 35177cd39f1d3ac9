"""What a memory does with notes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from .errors import BadInput, EngrammaError
from .ingest.archive import archive_pending
from .ingest.notes import (
    DUPLICATE,
    EXTENDS,
    MOST_RELATED,
    RETRIED,
    Kin,
    Written,
    auto_link,
    duplicate_in,
    extended_in,
    kin_of,
    note_id,
    put_repeat,
    store_note,
)
from .ingest.reword import masked_turn
from .ingest.reword_names import note_hash, note_names
from .ingest.validate import Mask, checked_name, checked_turns
from .link_calls import read_links
from .models.segments import embed_or_wait
from .parts import Parts
from .records import Link, Note, Remembered, Repeat, State, Turn
from .store.masks import MARK, masked_name
from .store.store import ARCHIVED, FORGOTTEN, LIVE, RETIRED, as_json, session_row
from .text import NOTES, labelled
from .times import format_time, from_micros, shifted, to_micros

STATES: dict[int, State] = {LIVE: "live", ARCHIVED: "archived", RETIRED: "retired"}
MAX_TAGS, MAX_TAG = 50, 100  # of a note, and characters of one
LONGEST_TTL = timedelta(days=100 * 366)


class NoteCalls(Parts):
    """Calls about notes."""

    def remember(
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
    ) -> Remembered:
        """Keep a note. One that says what another says already is counted there as a repeat, verbatim.

        `ttl` is how long it is worth keeping; `strength`, from 0 to 1, how much it matters to you. While the embedder
        is away it is stored all the same, and what it repeats is settled when it is embedded (`embed_waiting`).
        """
        note = self._written(Turn(speaker, text, at or datetime.now(UTC)), tags, ttl, source, session, strength)
        if (key := self._segment_key(note.id) or self._unmasked_key(note)) is not None:
            return Remembered(self._notes([key])[0], is_new=False, similarity=1.0)
        made = embed_or_wait(self.embedder, [(labelled([(note.turn.speaker, note.turn.text)]),)])
        if made is None:
            return self._waiting_note(note)
        vector = made[0]
        index, _ = self._fresh_index().fresh()
        related_from = self._related_from()
        kin = kin_of(self.store, index, vector, min(EXTENDS, related_from, DUPLICATE))
        if (repeated := duplicate_in(self.store, kin, note.turn.text)) is not None:
            with self.store.transaction():
                put_repeat(self.store, repeated, note)
            return Remembered(self._notes([repeated.key])[0], is_new=False, similarity=repeated.similarity)
        now = to_micros(datetime.now(UTC))
        sha256, linker = self.embedder.sha256, self._linker()
        store_note(self.store, self._fresh_index().fresh, linker, sha256, note, vector, extended_in(kin), now)
        key = self._stored_key(note)
        self._auto_link(key, [k for k in kin if k.similarity >= related_from][:MOST_RELATED], now)
        archive_pending(self._archive_folder, self.store)
        self.embed_in_passing()
        return Remembered(self._notes([key])[0], is_new=True, links=self._links_at([key]))

    def note(self, id: str) -> Note | None:
        """A note by its id, also an archived or retired one; None if there is none or it was forgotten."""
        key = self._segment_key(id)
        found = [] if key is None else self._notes([key])
        return found[0] if found else None

    def notes(self, tag: str | None = None, *, all_states: bool = False) -> list[Note]:
        """The notes, oldest first: those that are live, or also those archived and retired."""
        below = FORGOTTEN if all_states else ARCHIVED
        found = self._notes(self.store.keys("note_keys", below=below).tolist())
        clean = None if tag is None else masked_name(tag, self._look)
        return [note for note in found if tag is None or tag in note.tags or clean in note.tags]

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
            for row in self.store.all("repeats_of", keys=as_json([self._known_key(id)]))
        ]

    # --- steps ---------------------------------------------------------------------------------

    def _waiting_note(self, note: Written) -> Remembered:
        """Store a note that gets its vector later."""
        fresh, linker, sha256 = self._fresh_index().fresh, self._linker(), self.embedder.sha256
        store_note(self.store, fresh, linker, sha256, note, None, None, 0)
        key = self._stored_key(note)
        archive_pending(self._archive_folder, self.store)
        return Remembered(self._notes([key])[0], is_new=True, is_waiting=True)

    def _stored_key(self, note: Written) -> int:
        if (key := self._segment_key(note.id)) is None:
            raise BadInput("This very note was purged and stays out. Say it anew, with a time of its own, to keep it.")
        return key

    def _written(
        self,
        turn: Turn,
        tags: Iterable[str],
        ttl: timedelta | None,
        source: str | None,
        session: str | None,
        strength: float,
    ) -> Written:
        """The note, checked, with its id."""
        (checked,) = checked_turns([turn], self.config.max_turn_bytes, self.mask)
        assert checked.said_at is not None
        source = None if source is None else checked_name(source, "source", self.mask)
        session = None if session is None else checked_name(session, "session", self.mask)
        if not isinstance(strength, int | float) or isinstance(strength, bool) or not 0 <= strength <= 1:
            raise BadInput(f"strength must lie between 0 and 1, not {strength!r:.80}.")
        if ttl is not None and not (isinstance(ttl, timedelta) and timedelta(0) < ttl <= LONGEST_TTL):
            raise BadInput(f"ttl must be a time span above 0 and at most a hundred years, not {ttl!r:.80}.")
        expires_at = None if ttl is None else to_micros(shifted(checked.said_at, ttl))
        id = note_id(checked.speaker, format_time(checked.said_at), checked.text, source, session)
        turn = Turn(checked.speaker, checked.text, checked.said_at, id, checked.role)
        return Written(turn, source, session, checked_tags(tags, self.mask), float(strength), expires_at)

    def _unmasked_key(self, note: Written) -> int | None:
        """The very same note, stored before its secrets were masked."""
        if MARK not in f"{note.turn.speaker}{note.turn.text}{note.source}{note.session}":
            return None
        for row in map(session_row, self.store.all("sessions_of_conversation", conversation=NOTES)):
            if row.started_at == to_micros(note.turn.said_at):  # type: ignore[arg-type]  # checked before
                names = note_names(self.store, row, self._look)
                turns = [masked_turn(turn, self._look, is_chunk=False) for turn in self.store.turns(row.key)]
                if names is not None and turns and note_hash(turns[0], names.after) == note.id:
                    return names.key
        return None

    def _related_from(self) -> float:
        """The least cosine of an automatic link: fixed, or calibrated on what is stored."""
        chosen = self.config.link_floor
        return self.thresholds().edge if isinstance(chosen, str) else chosen

    def _auto_link(self, key: int, related: Sequence[Kin], now: int) -> None:
        """Best effort: a note is kept whether or not it can be linked; what fails is counted and tried again."""
        try:
            with self.store.transaction():
                auto_link(self.store, key, related, now)
            self.link_waiting()
        except EngrammaError:
            self.failed_links += 1

    def link_waiting(self, limit: int = RETRIED) -> int:
        """Link notes whose automatic links failed before; returns how many."""
        waiting = self.store.keys("notes_unlinked", limit=limit)
        if not len(waiting):
            return 0
        index, _ = self._fresh_index().fresh()
        known = waiting[index.holds(waiting)]
        floor, now = self._related_from(), to_micros(datetime.now(UTC))
        for key, vector in zip(known.tolist(), index.vectors(known), strict=True):
            kin = [k for k in kin_of(self.store, index, vector, floor) if k.key != key]
            with self.store.transaction():
                auto_link(self.store, key, kin[:MOST_RELATED], now)
        return len(known)

    def _notes(self, keys: Sequence[int]) -> list[Note]:
        rows = self.store.all("notes_by_keys", keys=as_json(keys))
        segments = self.store.hydrate([row["key"] for row in rows])
        return [
            Note(
                id=segments[row["key"]].id,
                text=segments[row["key"]].text,
                speaker=segments[row["key"]].speakers[0],
                created=from_micros(row["made_at"]),
                tags=tuple(json.loads(row["tags"])),
                strength=row["strength"],
                quality=row["quality"],
                source=row["source"],
                session=row["session"],
                recalls=row["hits"],
                last_recalled=None if row["last_at"] is None else from_micros(row["last_at"]),
                expires_at=None if row["expires_at"] is None else from_micros(row["expires_at"]),
                repeats=row["repeats"],
                state=STATES.get(row["state"], "forgotten"),
            )
            for row in rows
            if row["key"] in segments
        ]

    def _links_at(self, keys: Sequence[int]) -> tuple[Link, ...]:
        """The typed links at some segments, whichever way they point."""
        return tuple(read_links(self.store, self.store.all("links_at", keys=as_json(keys))))


def checked_tags(tags: Iterable[str], mask: Mask) -> tuple[str, ...]:
    """Tags in their order, each once, without secrets."""
    listed = [tags] if isinstance(tags, str) else list(tags)
    if len(listed) > MAX_TAGS:
        raise BadInput(f"A note has at most {MAX_TAGS} tags, not {len(listed)}.")
    named = [checked_name(tag, "tag", mask) for tag in listed]
    for tag in named:
        if len(tag) > MAX_TAG or "," in tag:
            raise BadInput(f"tag {tag!r:.80} must be at most {MAX_TAG} characters, without a comma.")
    return tuple(dict.fromkeys(tag.strip() for tag in named))
