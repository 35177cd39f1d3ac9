"""Notes as they are stored, read as records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ..core.core import Core
from ..core.names import known_key, segment_key
from ..errors import BadInput
from ..language.times import from_micros
from ..records import Link, Note, State
from ..store.links import read_links
from ..store.store import ARCHIVED, LIVE, RETIRED, encode_keys

STATES: dict[int, State] = {LIVE: "live", ARCHIVED: "archived", RETIRED: "retired"}
SUPERSEDES = "supersedes"


def get_note(core: Core, id: str) -> Note | None:
    """A note by its id, also an archived or retired one; None if there is none or it was forgotten."""
    key = segment_key(core, id)
    found = [] if key is None else read_notes(core, [key])
    return found[0] if found else None


def read_notes(core: Core, keys: Sequence[int]) -> list[Note]:
    rows = core.store.all("notes_by_keys", keys=encode_keys(keys))
    segments = core.store.hydrate([row["key"] for row in rows])
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
            meta={} if row["meta"] is None else json.loads(row["meta"]),
        )
        for row in rows
        if row["key"] in segments
    ]


def links_at(core: Core, keys: Sequence[int]) -> tuple[Link, ...]:
    """The typed links at some segments, whichever way they point."""
    return tuple(read_links(core.store, core.store.all("links_at", keys=encode_keys(keys))))


def live_note(core: Core, id: str) -> Note:
    note = get_note(core, id)
    if note is None:
        raise BadInput(f"There is no note {id!r:.200} in this memory. Only notes can be changed.")
    if note.state != "live":
        newer = [link.source for link in links_at(core, [known_key(core, id)]) if link.kind == SUPERSEDES]
        where = next((f" {source} replaced it." for source in newer if source != note.id), "")
        raise BadInput(f"{note.id} is {note.state}, so it can no longer be changed.{where}")
    return note


def put_tags(core: Core, id: str, tags: Iterable[str]) -> None:
    core.store.run("note_retag", key=known_key(core, id), tags=json.dumps(list(tags), ensure_ascii=False))
