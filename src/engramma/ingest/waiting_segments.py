"""Segments that wait for their vectors: embeds them when the embedder is back, and says how many wait."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ..core.core import ARCHIVE_FOLDER, Core
from ..errors import EmbedderAway, EngrammaError
from ..language.times import to_micros
from ..models.exchange import ServerRefused
from ..models.segments import embed_segments
from ..records import RememberReport
from ..records.team import OWNER
from ..store.audit import acting
from .archive import archive_pending, remove_archive
from .backlog import Backlog, backlog_of
from .late_vectors import Waiting, first_waiting, fold_note, put_vectors, unchecked_note, waiting_sessions
from .note_repeats import (
    DUPLICATE,
    EXTENDS,
    MOST_RELATED,
    auto_link,
    duplicate_in,
    extend,
    extended_in,
    kin_of,
    least_related,
)
from .pipeline import Request, prepare_drafts, store_prepared

BATCH = 32  # segments embedded together: what an interruption can cost
IN_PASSING = 8  # segments that a write or a recall embeds on its way: nobody should have to wait for many
PAUSE_SECONDS = 60.0  # until the next try in passing, after one that embedded nothing


def embed_waiting(core: Core, most: int | None = None) -> int:
    """Embed segments that were stored while the embedder was away, and link their sessions; returns how many.

    Ends early where the embedder is (still) away. A note that turns out to repeat another becomes a repeat of it.
    """
    if not core.embedding_lock.acquire(blocking=False):
        return 0  # another thread does it, or this one is just storing what it embedded
    try:
        done = embed_batches(core, most)
        if done:
            link_sessions(core)
        return done
    finally:
        core.embedding_lock.release()


def backlog(core: Core) -> Backlog:
    """How many segments wait for the embedder, and since when it is unavailable."""
    return backlog_of(core.path, len(core.waiting_keys()))


def finish_pending(core: Core, most: int | None = None) -> RememberReport:
    """Finish what a crash or an outage left: segments without vectors (so many at most), closed sessions that are
    not in the graph or not in the archive."""
    embed_waiting(core, most)
    return link_sessions(core)


def embed_in_passing(core: Core) -> None:
    """Embed a few that wait, now that the embedder has just answered. Best effort: nobody asked for it."""
    if time.monotonic() < core.embed_again_at or not len(core.waiting_keys()):
        return
    with suppress(EngrammaError), acting(OWNER, "embedding"):
        if embed_waiting(core, IN_PASSING):
            return
    core.embed_again_at = time.monotonic() + PAUSE_SECONDS


def embed_batches(core: Core, most: int | None) -> int:
    done, after = 0, -1
    while most is None or done < most:
        left = BATCH if most is None else min(BATCH, most - done)
        if not (batch := first_waiting(core.store, after, left)):
            break
        try:
            made = embedded(core, [one for one in batch if one.texts])
        except EmbedderAway:
            break
        done += store_vectors(core, made)
        after = batch[-1].key
    return done


def embedded(core: Core, batch: Sequence[Waiting]) -> dict[Waiting, NDArray[np.float16]]:
    """Their vectors. Where the server refuses some text, the others get theirs one by one and that one waits on."""
    try:
        return dict(zip(batch, embed_segments(core.embedder, [one.texts for one in batch]), strict=True))
    except EmbedderAway as error:
        if not isinstance(error.__cause__, ServerRefused) or len(batch) < 2:
            if isinstance(error.__cause__, ServerRefused):
                return {}
            raise
    found: dict[Waiting, NDArray[np.float16]] = {}
    for one in batch:
        found |= embedded(core, [one])
    return found


def store_vectors(core: Core, made: dict[Waiting, NDArray[np.float16]]) -> int:
    """Store vectors; notes one by one, since each may repeat the one before it."""
    sha256 = core.embedder.sha256
    unchecked = [one for one in made if unchecked_note(core.store, one)]
    done = put_vectors(core.store, sha256, {one: v for one, v in made.items() if one not in unchecked})
    for one in unchecked:
        done += settle_note(core, one, made[one], sha256)
    return done


def settle_note(core: Core, one: Waiting, vector: NDArray[np.float16], sha256: str) -> int:
    """What `remember` would have done with a note had the embedder been there."""
    index, _ = core.live_index().fresh()
    related_from = least_related(core)
    kin = kin_of(core.store, index, vector, min(EXTENDS, related_from, DUPLICATE))
    turns = core.store.turns(one.session)
    repeated = duplicate_in(core.store, kin, turns[0]) if turns else None
    gone = None if repeated is None else fold_note(core.store, one, repeated)
    if gone is not None:
        with suppress(OSError):
            remove_archive(core.path / ARCHIVE_FOLDER, core.namespace, gone)
        return 1
    now = to_micros(datetime.now(UTC))
    related = [k for k in kin if k.similarity >= related_from][:MOST_RELATED]

    def also(key: int) -> None:
        extend(core.store, key, extended_in(kin), now)
        auto_link(core.store, key, related, now)

    return put_vectors(core.store, sha256, {one: vector}, also)


def link_sessions(core: Core) -> RememberReport:
    """Closed sessions enter the graph, those whose segments all have their vectors."""
    waiting = waiting_sessions(core.store)
    rows = [row for row in core.store.sessions_pending() if row.closed and not row.linked]
    ready = [Request(row.conversation, row.id, ()) for row in rows if row.key not in waiting]
    if not ready:
        archive_pending(core.archive_folder, core.store)
        return RememberReport()
    return store_prepared(core, prepare_drafts(core.store, core.embedder, ready))
