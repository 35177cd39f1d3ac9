"""Notes: what a new one repeats, extends and is related to, and how it is stored.

The numbers are the seeds': a note as similar as DUPLICATE to another is a repeat of it (pgmemory), one as
similar as EXTENDS to a document extends it (pgmemory), and the MOST_RELATED nearest become its links (takizen).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..core.core import Core
from ..files import foreign_json
from ..index.vector_index import VectorIndex
from ..language.text import NOTES, digest, same_facts
from ..language.times import to_micros
from ..records import Turn
from ..store.store import Store, encode_keys
from .link import Linker
from .note_rows import put_note
from .pipeline import Fresh, Request, draft, write_draft

DUPLICATE = 0.92  # least cosine at which a note repeats another
EXTENDS = 0.75  # least cosine at which a note extends a document
MOST_RELATED = 5  # automatic links of a new note
AUTO = "auto-link"  # who makes them
UNCHECKED = 2  # notes.linked of a note that waits for its vector: what it repeats and is related to is not settled
RETRIED = 20  # notes whose links failed before that are tried again with the next one


@dataclass(frozen=True, slots=True)
class Written:
    """A checked note on its way into the store; times in microseconds."""

    turn: Turn
    source: str | None
    session: str | None
    tags: tuple[str, ...]
    strength: float
    expires_at: int | None

    @property
    def id(self) -> str:
        assert self.turn.id is not None
        return self.turn.id


@dataclass(frozen=True, slots=True)
class Kin:
    """A segment similar to a new note."""

    key: int
    kind: str
    similarity: float


def note_id(
    speaker: str,
    said_at: str,
    text: str,
    source: str | None,
    session: str | None,
    meta: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """An id from content and origin: the same note handed over twice is one note."""
    beside = [part for pair in sorted(meta.items()) for part in pair]
    return "note_" + digest(speaker, said_at, text, source or "", session or "", *beside).hex()[:16]


def kin_of(store: Store, index: VectorIndex, vector: NDArray[np.float16], floor: float) -> list[Kin]:
    """Everything live at least as similar as the floor, the most similar first."""
    keys, similarities = index.within(vector, floor)
    rows = {row["key"]: row for row in store.all("kinds_by_keys", keys=encode_keys(keys.tolist()))}
    found = [
        Kin(key, rows[key]["kind"], round(similarity, 4))
        for key, similarity in zip(keys.tolist(), similarities.tolist(), strict=True)
        if key in rows
    ]
    return sorted(found, key=lambda kin: (-kin.similarity, rows[kin.key]["tie"], kin.key))


def least_related(core: Core) -> float:
    """The least cosine of an automatic link: fixed, or calibrated on what is stored."""
    chosen = core.config.link_floor
    return core.thresholds(core.default_plan).edge if isinstance(chosen, str) else chosen


def duplicate_in(store: Store, kin: Sequence[Kin], turn: Turn) -> Kin | None:
    """The note that a new one repeats: as similar as that, with the same names and numbers and the same metadata.

    A repeat has no metadata of its own, so whatever comes with other metadata than the note has stays a note.
    """
    alike = [k for k in kin if k.kind == "note" and k.similarity >= DUPLICATE]
    texts = {key: segment.text for key, segment in store.hydrate([k.key for k in alike]).items()}
    same = [k for k in alike if k.key in texts and same_facts(texts[k.key], turn.text)]
    if same and turn.meta:
        rows = store.all("notes_by_keys", keys=encode_keys(k.key for k in same))
        known = {row["key"] for row in rows if foreign_json.loads(row["meta"] or "{}") == turn.meta}
        same = [k for k in same if k.key in known]
    return same[0] if same else None


def extended_in(kin: Sequence[Kin]) -> Kin | None:
    """The part of a document that a new note extends."""
    return next((k for k in kin if k.kind == "chunk" and k.similarity >= EXTENDS), None)


def store_note(
    store: Store,
    fresh: Fresh,
    linker: Linker,
    embedder_sha: str,
    note: Written,
    vector: NDArray[np.float16] | None,
    extended: Kin | None,
    now: int,
) -> None:
    """Store a new note with its segment, its vector, its place in the graph and what is known of it: all or nothing.

    Without a vector it waits for that, and for what follows from it.
    """

    def also(keys: Sequence[int]) -> None:
        for key in keys:
            given = (note.source, note.session, note.tags, note.strength, note.expires_at)
            put_note(store, key, note.turn, *given, linked=UNCHECKED if vector is None else 0)
            extend(store, key, extended, now)

    request, vectors = Request(NOTES, note.id, [note.turn]), None if vector is None else vector[None]
    while write_draft(store, fresh, linker, embedder_sha, draft(store, request), vectors, also) is None:
        pass  # another process wrote it meanwhile: the next draft finds nothing left to do


def extend(store: Store, key: int, extended: Kin | None, now: int) -> None:
    """Join a note with the part of a document that it extends, inside the caller's transaction."""
    if extended is not None:
        put_link(store, key, "extends", extended.key, extended.similarity, AUTO, found_by(extended), now)


def put_repeat(store: Store, of: Kin, note: Written) -> None:
    """Keep what was said again, verbatim, at the note it repeats; inside the caller's transaction."""
    store.run(
        "repeat_put",
        key=of.key,
        id=note.id,
        speaker=note.turn.speaker,
        said_at=to_micros(note.turn.said_at),  # type: ignore[arg-type]  # checked before
        text=note.turn.text,
        source=note.source,
        session=note.session,
        similarity=of.similarity,
    )


def put_link(
    store: Store,
    src: int,
    kind: str,
    dst: int,
    weight: float,
    author: str,
    provenance: str | None,
    now: int,
    label: str | None = None,
) -> None:
    """Draw a typed link, inside the caller's transaction; one that is there already gets these values."""
    names = {"src": src, "kind": kind, "dst": dst, "weight": weight}
    store.run("edge_put", **names)
    store.run("link_put", **names, label=label, author=author, provenance=provenance, made_at=now)


def auto_link(store: Store, key: int, related: Sequence[Kin], now: int) -> None:
    """Join a note with the nearest it found and note that this is done, inside the caller's transaction."""
    for kin in related:
        if store.one("link_get", src=kin.key, kind="related_to", dst=key) is None:
            put_link(store, key, "related_to", kin.key, kin.similarity, AUTO, found_by(kin), now)
    store.run("note_linked", key=key)


def found_by(kin: Kin) -> str:
    return f"cosine {kin.similarity:.4f} when remembered"
