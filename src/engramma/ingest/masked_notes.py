"""Turns and notes as they are masked: what was stored before masking is known again by it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from ..language.text import NOTES, shorten
from ..language.times import format_time
from ..records import Turn
from ..store.masks import Mask, masked_name
from ..store.store import SessionRow, Store
from .note_repeats import note_id
from .validate import MAX_NAME

Names = tuple[str | None, str | None, tuple[str, ...]]  # source, session and tags of a note


@dataclass(frozen=True, slots=True)
class NoteNames:
    """What a note says of its source, its session and its tags: as stored, and masked."""

    key: int
    before: Names
    after: Names


def note_names(store: Store, session: SessionRow, mask: Mask) -> NoteNames | None:
    """What is known of the note that a session is; None if it is none."""
    if session.conversation != NOTES:
        return None
    keys = json.dumps([segment.key for segment in store.segments(session.key)])
    for row in store.all("notes_by_keys", keys=keys):
        before = (row["source"], row["session"], tuple(json.loads(row["tags"])))
        source, said_in = (None if name is None else masked_name(name, mask) for name in before[:2])
        tags = tuple(dict.fromkeys(masked_name(tag, mask) for tag in before[2]))
        return NoteNames(row["key"], before, (source, said_in, tags))
    return None


def note_hash(turn: Turn, names: Names) -> str:
    assert turn.said_at is not None
    return note_id(turn.speaker, format_time(turn.said_at), turn.text, names[0], names[1], turn.meta)


def masked_turn(turn: Turn, mask: Mask, is_chunk: bool) -> Turn:
    """A turn without its secrets, by the same steps as on the way in; the turn itself if it has none."""
    clean = mask(turn.text)
    meta = {masked_name(name, mask): mask(value).text for name, value in turn.meta.items()}
    speaker = shorten(mask(turn.speaker).text, MAX_NAME) if is_chunk else masked_name(turn.speaker, mask)
    id = masked_name(turn.id or "", mask)
    if (clean.text, meta, speaker, id) == (turn.text, turn.meta, turn.speaker, turn.id):
        return turn
    return replace(turn, text=clean.text, speaker=speaker, id=id, meta=meta, redactions=clean.redactions)
