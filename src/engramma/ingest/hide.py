"""Hides turns, or shows them again: what was said stays in the store, and recall no longer knows of it.

The atom is the turn. A segment whose turns are all hidden leaves the index and the words; one that keeps some
of them is embedded, indexed and linked by those alone, under the same key. Where the embedder is away, its old vector
goes at once and the new one is waited for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..language.text import labelled
from ..models.embed import Embedder
from ..models.segments import embed_or_wait
from ..store.store import ADDED, FORGOTTEN, LIVE, RELISTED, REMOVED, Store, encode_keys, session_row
from .link import Linker, link_session, search, unlink
from .pipeline import Fresh

Vectors = Mapping[int, NDArray[np.float16] | None]  # None: the embedder is away, and the segment waits


@dataclass(frozen=True, slots=True)
class Touched:
    """A segment that loses or regains turns, and what would be visible of it then."""

    key: int
    session: int
    state: int
    is_single: bool
    shown: tuple[str, ...]

    @property
    def next_state(self) -> int:
        return (self.state & ~FORGOTTEN) | (0 if self.shown else FORGOTTEN)

    @property
    def needs_vector(self) -> bool:
        """Several turns, and others of them visible than before: the old vector speaks of what it should not."""
        return not self.is_single and bool(self.shown)


def touched_by(store: Store, turns: Collection[int], hidden: bool) -> list[Touched]:
    """The segments of some turns, as they would be with those turns hidden, or shown."""
    moving, rows = set(turns), defaultdict(list)
    for row in store.all("segments_of_turns", keys=encode_keys(sorted(moving))):
        rows[row["key"]].append(row)
    found = []
    for key, own in rows.items():
        stay = [row for row in own if not (hidden if row["turn"] in moving else row["hidden"])]
        shown = tuple(labelled([(row["speaker"], row["text"])]) for row in stay)
        found.append(Touched(key, own[0]["session"], own[0]["state"], len(own) == 1, shown))
    return found


def vectors_for(store: Store, embedder: Embedder, touched: Sequence[Touched]) -> Vectors:
    """New vectors for the segments that need one: others of their turns are shown, or they never had one."""
    known = {row["key"] for row in store.all("embeddings_by_keys", keys=encode_keys([t.key for t in touched]))}
    due = [t for t in touched if t.needs_vector or (t.shown and t.key not in known)]
    return by_key([t.key for t in due], embed_or_wait(embedder, [t.shown for t in due]))


def by_key(keys: Sequence[int], made: NDArray[np.float16] | None) -> Vectors:
    """Each segment's new vector."""
    return dict.fromkeys(keys) if made is None else dict(zip(keys, made, strict=True))


def set_hidden(
    store: Store,
    linker: Linker,
    fresh: Fresh,
    turns: Iterable[int],
    hidden: bool,
    touched: Sequence[Touched],
    vectors: Vectors,
) -> None:
    """Hide the turns, or show them, inside the caller's transaction."""
    index, seq = fresh()
    unlink(store, linker, index, sorted(vectors))
    for t in touched:
        store.remove_words(t.key)
    store.many("turn_hidden", ({"key": key, "hidden": int(hidden)} for key in turns))
    for t in touched:
        if t.key in vectors:
            replace_vector(store, t.session, t.key, vectors[t.key])
        if t.state != t.next_state:
            store.set_state(t.key, t.next_state)
        store.add_words([t.key], t.next_state)
        note_change(store, t, waits=vectors.get(t.key, ()) is None)
    relink(store, linker, index, seq, [t for t in touched if t.key in vectors], vectors)


def replace_vector(store: Store, session: int, key: int, vector: NDArray[np.float16] | None) -> None:
    for name in ("edges_drop_semantic_out", "edges_drop_semantic_in", "near_delete", "embedding_delete"):
        store.run(name, key=key)
    if vector is None:
        store.run("session_unlinked", key=session)
        return
    store.run("embedding_add", key=key, vector=vector.astype("<f2").tobytes())


def note_change(store: Store, t: Touched, waits: bool = False) -> None:
    """Indexes learn what came, went or changed its vector; one that waits for a new one has just lost the old one."""
    if t.state == LIVE:
        store.run("change_add", key=t.key, op=REMOVED)
    if t.next_state == LIVE:
        store.run("change_add", key=t.key, op=RELISTED if waits else ADDED)
    if LIVE not in (t.state, t.next_state):
        store.run("change_add", key=t.key, op=RELISTED)


def relink(
    store: Store, linker: Linker, index: VectorIndex, seq: int, changed: Sequence[Touched], vectors: Vectors
) -> None:
    """Segments with a new vector get their place in the graph by it."""
    sessions: dict[int, list[int]] = defaultdict(list)
    for t in changed:
        if vectors[t.key] is not None:
            sessions[t.session].append(t.key)
    for session, keys in sessions.items():
        row = store.one("session_by_key", key=session)
        if row is None or not row["linked"]:
            continue
        own = np.stack([vector for key in keys if (vector := vectors[key]) is not None])
        link_session(store, linker, session_row(row), keys, own, search(index, seq, own, linker.floor))
