"""Hides turns, or shows them again: what was said stays in the store, and recall no longer knows of it.

The atom is the turn. A segment whose turns are all hidden leaves the index and the words; one that keeps some
of them is embedded, indexed and linked by those alone, under the same key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..index.codes import sign_code
from ..index.index import VectorIndex
from ..models.embed import Embedder
from ..models.segments import embed_segments
from ..store.store import ADDED, FORGOTTEN, LIVE, RELISTED, REMOVED, Store, as_json, session_row
from ..text import labelled
from .link import Linker, link_session, search, unlink
from .pipeline import Fresh

Vectors = Mapping[int, NDArray[np.float16]]


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
    for row in store.all("segments_of_turns", keys=as_json(sorted(moving))):
        rows[row["key"]].append(row)
    found = []
    for key, own in rows.items():
        stay = [row for row in own if not (hidden if row["turn"] in moving else row["hidden"])]
        shown = tuple(labelled([(row["speaker"], row["text"])]) for row in stay)
        found.append(Touched(key, own[0]["session"], own[0]["state"], len(own) == 1, shown))
    return found


def vectors_for(embedder: Embedder, touched: Sequence[Touched]) -> dict[int, NDArray[np.float16]]:
    """New vectors for the segments that need one."""
    due = [t for t in touched if t.needs_vector]
    return dict(zip((t.key for t in due), embed_segments(embedder, [t.shown for t in due]), strict=True))


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
            replace_vector(store, t.key, vectors[t.key])
        if t.state != t.next_state:
            store.set_state(t.key, t.next_state)
        store.add_words([t.key], t.next_state)
        note_change(store, t)
    relink(store, linker, index, seq, [t for t in touched if t.key in vectors], vectors)


def replace_vector(store: Store, key: int, vector: NDArray[np.float16]) -> None:
    for name in ("edges_drop_semantic_out", "edges_drop_semantic_in", "near_delete", "embedding_delete"):
        store.run(name, key=key)
    code = sign_code(vector[None])[0].tobytes()
    store.run("embedding_add", key=key, code=code, vector=vector.astype("<f2").tobytes())


def note_change(store: Store, t: Touched) -> None:
    """Indexes learn what came, went or changed its vector."""
    if t.state == LIVE:
        store.run("change_add", key=t.key, op=REMOVED)
    if t.next_state == LIVE:
        store.run("change_add", key=t.key, op=ADDED)
    if LIVE not in (t.state, t.next_state):
        store.run("change_add", key=t.key, op=RELISTED)


def relink(
    store: Store, linker: Linker, index: VectorIndex, seq: int, changed: Sequence[Touched], vectors: Vectors
) -> None:
    """Segments with a new vector get their place in the graph by it."""
    sessions: dict[int, list[int]] = defaultdict(list)
    for t in changed:
        sessions[t.session].append(t.key)
    for session, keys in sessions.items():
        row = store.one("session_by_key", key=session)
        if row is None or not row["linked"]:
            continue
        own = np.stack([vectors[key] for key in keys])
        link_session(store, linker, session_row(row), keys, own, search(index, seq, own, linker.floor))
