"""Notes a page at a time: with some words, by a tag, in an order."""

from __future__ import annotations

from typing import Any, Literal

from ..core.core import Core
from ..core.names import segment_key
from ..language.text import segment_id
from ..records import Note
from ..store.store import encode_keys
from .note_records import read_notes

Order = Literal["newest", "oldest", "strength", "recalls", "text"]


def note_page(
    core: Core, words: str | None, tag: str | None, order: Order, below: int, limit: int, offset: int
) -> tuple[list[Note], int]:
    """Notes within bounds, in an order, and how many there are in all."""
    store, page = core.store, {"limit": limit, "offset": offset}
    with store.snapshot():
        if words or tag or order != "newest":
            bounds = {"words": words or None, "tag": tag or None, "below": below}
            total = store.one("notes_found_count", **bounds)
            keys = store.keys("notes_found", **bounds, sort=order, **page).tolist()
        else:  # as a view begins: nothing has to be looked through
            total = store.one("notes_counted", below=below)
            keys = store.keys("notes_latest", below=below, **page).tolist()
        found = {segment_key(core, note.id): note for note in read_notes(core, keys)}
    return [found[key] for key in keys if key in found], 0 if total is None else total[0]


def find_note_ids(core: Core, words: str | None, tag: str | None, below: int, limit: int) -> list[str]:
    """The ids of notes within bounds, the newest first."""
    bounds = {"words": words or None, "tag": tag or None, "below": below}
    with core.store.snapshot():
        keys = core.store.keys("notes_found", **bounds, sort="newest", limit=limit, offset=0).tolist()
        rows = core.store.all("segments_by_keys", keys=encode_keys(keys))
    ids = {row["key"]: segment_id(row["conversation"], row["session_id"], row["idx"]) for row in rows}
    return [ids[key] for key in keys if key in ids]


def note_tags(core: Core, below: int, limit: int) -> list[dict[str, Any]]:
    """The tags that notes have, and how many have each."""
    return [dict(row) for row in core.store.all("note_tags", below=below, limit=limit)]
