"""Gives segments that were stored while the embedder was away their vectors, a batch at a time.

A segment waits when it has no vector and its session is not linked. A vector comes in a transaction of its own and the
session is linked when all of its segments have theirs, so whoever is interrupted leaves less to do for the next, and
of two who catch up at once the second finds it done. The graph is then the one of a store that knew no outage: it
depends on what is stored, never on the order in which it came.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..language.text import labelled
from ..store.store import ADDED, FORGOTTEN, LIVE, RELISTED, SessionRow, Store, encode_keys, session_row, turn_of
from .note_repeats import UNCHECKED, Kin, Written, put_repeat
from .pipeline import check_embedder

ALL = -1  # as a limit


@dataclass(frozen=True, slots=True)
class Waiting:
    """A segment that waits for its vector, and the text to embed."""

    key: int
    session: int
    kind: str
    texts: tuple[str, ...]


def first_waiting(store: Store, after: int, limit: int) -> list[Waiting]:
    """The first segments behind a key that wait for their vectors."""
    with store.snapshot():
        rows = store.all("segments_waiting", after=after, limit=limit)
        texts = _texts_of(store, [row["key"] for row in rows])
    return [Waiting(row["key"], row["session"], row["kind"], texts.get(row["key"], ())) for row in rows]


def waiting_sessions(store: Store) -> set[int]:
    """Sessions that cannot be linked yet."""
    return {row["session"] for row in store.all("segments_waiting", after=-1, limit=ALL)}


def put_vectors(
    store: Store,
    embedder_sha: str,
    waiting: Mapping[Waiting, NDArray[np.float16]],
    also: Callable[[int], None] | None = None,
) -> int:
    """Store the vectors of those that still wait and say what they said; returns how many.

    `also` is called with each one's key before the transaction ends.
    """
    if not waiting:
        return 0
    with store.transaction():
        check_embedder(store, embedder_sha)
        due = still_waiting(store, list(waiting))
        if due:
            vectors = np.stack([waiting[one] for one in due])
            store.add_vectors([one.key for one in due], vectors)
            states = {
                row["key"]: row["state"] for row in store.all("states_by_keys", keys=encode_keys(o.key for o in due))
            }
            ops = ({"key": one.key, "op": ADDED if states[one.key] == LIVE else RELISTED} for one in due)
            store.many("change_add", ops)
        for one in due:
            if also is not None:
                also(one.key)
        return len(due)


def still_waiting(store: Store, listed: Sequence[Waiting]) -> list[Waiting]:
    """Those that nobody embedded, changed, forgot or deleted meanwhile. Asked under the write lock."""
    keys = encode_keys(one.key for one in listed)
    embedded = {row["key"] for row in store.all("embeddings_by_keys", keys=keys)}
    rows = {row["key"]: row for row in store.all("segments_by_keys", keys=keys)}
    texts = _texts_of(store, [one.key for one in listed])
    return [
        one
        for one in listed
        if one.key not in embedded
        and one.key in rows
        and rows[one.key]["state"] < FORGOTTEN
        and texts.get(one.key) == one.texts
    ]


def _texts_of(store: Store, keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """What segments are embedded from: their visible turns, as when they are stored."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in store.all("turns_by_segments", keys=encode_keys(keys)):
        found[row["key"]].append(labelled([(row["speaker"], row["text"])]))
    return {key: tuple(texts) for key, texts in found.items()}


# --- notes -----------------------------------------------------------------------------------------


def unchecked_note(store: Store, one: Waiting) -> bool:
    """Whether this is a note of which nobody could tell yet what it repeats."""
    return one.kind == "note" and any(
        row["linked"] == UNCHECKED for row in store.all("notes_by_keys", keys=encode_keys([one.key]))
    )


def fold_note(store: Store, one: Waiting, repeated: Kin) -> SessionRow | None:
    """Make a waiting note a repeat of another, as it would have been at once; None where something hangs on it.

    Links, recalls, repeats of its own or acts that name it are reasons to leave it a note: somebody relies on its id.
    """
    with store.transaction():
        row = store.one("session_by_key", key=one.session)
        if row is None or not still_waiting(store, [one]):
            return None
        session, keys = session_row(row), encode_keys([one.key])
        (note,) = store.all("notes_by_keys", keys=keys)
        named = store.one("acts_resting_on", id=0, named=f'"{session.id}"')
        if store.all("links_at", keys=keys) or note["hits"] or note["repeats"] or note["state"] != LIVE or named:
            return None
        (turn,) = store.all("turns_of_session", session=session.key)
        said = Written(turn_of(turn), note["source"], note["session"], (), note["strength"], note["expires_at"])
        put_repeat(store, repeated, said)
        store.remove_segment(one.key)
        store.run("redactions_drop_turn", key=turn["key"])
        store.run("turn_delete", key=turn["key"])
        store.run("session_delete", key=session.key)
        return session
