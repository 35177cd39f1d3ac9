"""Writes notes: checks them, stores them, and links them to those they are related to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ..core.core import Core
from ..core.names import segment_key
from ..errors import BadInput, EngrammaError
from ..ingest.archive import archive_pending
from ..ingest.link import linker_of
from ..ingest.masked_notes import masked_turn, note_hash, note_names
from ..ingest.note_repeats import (
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
    least_related,
    note_id,
    put_repeat,
    store_note,
)
from ..ingest.validate import Mask, checked_name, checked_turns
from ..ingest.waiting_segments import embed_in_passing
from ..language.text import NOTES, labelled
from ..language.times import format_time, shifted, to_micros
from ..models.segments import embed_or_wait
from ..records import Remembered, Turn
from ..records.notes import MAX_META_ENTRIES, MAX_META_NAME, MAX_META_SIZE, MAX_TAG, MAX_TAGS
from ..store.masks import MARK
from ..store.store import session_row
from .note_records import links_at, read_notes

LONGEST_TTL = timedelta(days=100 * 366)


def remember_note(core: Core, note: Written) -> Remembered:
    """Store a note, or count it as a repeat of one that says the same."""
    if (key := segment_key(core, note.id) or unmasked_key(core, note)) is not None:
        return Remembered(read_notes(core, [key])[0], is_new=False, similarity=1.0)
    made = embed_or_wait(core.embedder, [(labelled([(note.turn.speaker, note.turn.text)]),)])
    if made is None:
        return store_waiting(core, note)
    vector = made[0]
    index, _ = core.live_index().fresh()
    related_from = least_related(core)
    kin = kin_of(core.store, index, vector, min(EXTENDS, related_from, DUPLICATE))
    if (repeated := duplicate_in(core.store, kin, note.turn)) is not None:
        with core.store.transaction():
            put_repeat(core.store, repeated, note)
        return Remembered(read_notes(core, [repeated.key])[0], is_new=False, similarity=repeated.similarity)
    now = to_micros(datetime.now(UTC))
    sha256, linker = core.embedder.sha256, linker_of(core)
    store_note(core.store, core.live_index().fresh, linker, sha256, note, vector, extended_in(kin), now)
    key = stored_key(core, note)
    link_note(core, key, [k for k in kin if k.similarity >= related_from][:MOST_RELATED], now)
    archive_pending(core.archive_folder, core.store)
    embed_in_passing(core)
    return Remembered(read_notes(core, [key])[0], is_new=True, links=links_at(core, [key]))


def store_waiting(core: Core, note: Written) -> Remembered:
    """Store a note that gets its vector later."""
    fresh, linker, sha256 = core.live_index().fresh, linker_of(core), core.embedder.sha256
    store_note(core.store, fresh, linker, sha256, note, None, None, 0)
    key = stored_key(core, note)
    archive_pending(core.archive_folder, core.store)
    return Remembered(read_notes(core, [key])[0], is_new=True, is_waiting=True)


def stored_key(core: Core, note: Written) -> int:
    if (key := segment_key(core, note.id)) is None:
        raise BadInput("This exact note was purged and cannot be added again. To keep it, remember it with a new time.")
    return key


def written_note(
    core: Core,
    turn: Turn,
    tags: Iterable[str],
    ttl: timedelta | None,
    source: str | None,
    session: str | None,
    strength: float,
) -> Written:
    """The note, checked, with its id."""
    (checked,) = checked_turns([turn], core.config.max_turn_bytes, core.mask)
    assert checked.said_at is not None
    source = None if source is None else checked_name(source, "source", core.mask)
    session = None if session is None else checked_name(session, "session", core.mask)
    if not isinstance(strength, int | float) or isinstance(strength, bool) or not 0 <= strength <= 1:
        raise BadInput(f"strength must be between 0 and 1, not {strength!r:.80}.")
    if ttl is not None and not (isinstance(ttl, timedelta) and timedelta(0) < ttl <= LONGEST_TTL):
        raise BadInput(f"ttl must be a duration above 0 and at most a hundred years, not {ttl!r:.80}.")
    expires_at = None if ttl is None else to_micros(shifted(checked.said_at, ttl))
    check_note_meta(checked.meta)
    id = note_id(checked.speaker, format_time(checked.said_at), checked.text, source, session, checked.meta)
    return Written(replace(checked, id=id), source, session, checked_tags(tags, core.mask), float(strength), expires_at)


def check_note_meta(meta: Mapping[str, str]) -> None:
    """Refuse more metadata than belongs beside a note."""
    if len(meta) > MAX_META_ENTRIES:
        raise BadInput(f"A note may have at most {MAX_META_ENTRIES} metadata entries, not {len(meta)}.")
    for name in meta:
        if not name.strip() or len(name) > MAX_META_NAME:
            raise BadInput(f"metadata name {name!r:.80} must have 1 to {MAX_META_NAME} characters.")
    if (size := sum(len(name) + len(value) for name, value in meta.items())) > MAX_META_SIZE:
        raise BadInput(f"The metadata have {size:,} characters; the limit is {MAX_META_SIZE:,}.")


def unmasked_key(core: Core, note: Written) -> int | None:
    """The very same note, stored before its secrets were masked."""
    if MARK not in f"{note.turn.speaker}{note.turn.text}{note.source}{note.session}":
        return None
    for row in map(session_row, core.store.all("sessions_of_conversation", conversation=NOTES)):
        if row.started_at == to_micros(note.turn.said_at):  # type: ignore[arg-type]  # checked before
            names = note_names(core.store, row, core.look)
            turns = [masked_turn(turn, core.look, is_chunk=False) for turn in core.store.turns(row.key)]
            if names is not None and turns and note_hash(turns[0], names.after) == note.id:
                return names.key
    return None


def link_note(core: Core, key: int, related: Sequence[Kin], now: int) -> None:
    """Best effort: a note is kept whether or not it can be linked; what fails is counted and tried again."""
    try:
        with core.store.transaction():
            auto_link(core.store, key, related, now)
        link_waiting(core)
    except EngrammaError:
        core.failed_links += 1


def link_waiting(core: Core, limit: int = RETRIED) -> int:
    """Link notes whose automatic links failed before; returns how many."""
    waiting = core.store.keys("notes_unlinked", limit=limit)
    if not len(waiting):
        return 0
    index, _ = core.live_index().fresh()
    known = waiting[index.holds(waiting)]
    floor, now = least_related(core), to_micros(datetime.now(UTC))
    for key, vector in zip(known.tolist(), index.vectors(known), strict=True):
        kin = [k for k in kin_of(core.store, index, vector, floor) if k.key != key]
        with core.store.transaction():
            auto_link(core.store, key, kin[:MOST_RELATED], now)
    return len(known)


def checked_tags(tags: Iterable[str], mask: Mask) -> tuple[str, ...]:
    """Tags in their order, each once, without secrets."""
    listed = [tags] if isinstance(tags, str) else list(tags)
    if len(listed) > MAX_TAGS:
        raise BadInput(f"A note may have at most {MAX_TAGS} tags, not {len(listed)}.")
    named = [checked_name(tag, "tag", mask) for tag in listed]
    for tag in named:
        if len(tag) > MAX_TAG or "," in tag:
            raise BadInput(f"tag {tag!r:.80} must be at most {MAX_TAG} characters, without a comma.")
    return tuple(dict.fromkeys(tag.strip() for tag in named))
