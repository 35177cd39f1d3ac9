"""Gives a stored session another shape: turns go, come or move, and everything that hangs on them follows.

What stays the same keeps its row, its vector and its links; the rest of the session is cut, embedded and
linked as if it had been said in the new shape from the start. A purge takes turns out this way, and a
document that was read again gets its new chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..language.text import KINDS, labelled
from ..language.times import to_micros
from ..models.embed import Embedder
from ..models.segments import embed_or_wait
from ..records import Turn
from ..store.sqlite.database import Row
from ..store.store import FORGOTTEN, LIVE, SegmentRow, SessionRow, Store, session_row, turn_of
from .link import Linker, chain, link_session, search, unlink
from .pipeline import Fresh, check_embedder, tie_of
from .segment import segment


@dataclass(frozen=True, slots=True)
class Placed:
    """A turn of the new shape: one that is stored already (its key), or a new one."""

    key: int | None
    turn: Turn
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class ReshapedSegment:
    """A segment of the new shape: the one that stays (its key), or what to embed for a new one."""

    key: int | None
    kind: str
    first: int
    last: int
    texts: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class SessionShape:
    """The planned new shape of a session, seen from one state of the store."""

    session: SessionRow
    seen: tuple[tuple[int, Turn], ...]  # its turns when the plan was made, with their keys
    turns: tuple[Placed, ...]
    pieces: tuple[ReshapedSegment, ...]
    stale: tuple[int, ...]  # segments that go

    @property
    def dropped(self) -> list[int]:
        kept = {placed.key for placed in self.turns}
        return [key for key, _ in self.seen if key not in kept]

    @property
    def dropped_turns(self) -> list[Turn]:
        gone = set(self.dropped)
        return [turn for key, turn in self.seen if key in gone]

    @property
    def fresh(self) -> list[ReshapedSegment]:
        return [piece for piece in self.pieces if piece.key is None]


def _shape(store: Store, session: SessionRow, wanted: Callable[[Sequence[Row]], Sequence[Placed]]) -> SessionShape:
    """The plan: `wanted` says what the session's turns are to become. Writes nothing."""
    with store.snapshot():
        rows = store.all("turns_of_session", session=session.key)
        segments = store.segments(session.key)
    at = {row["position"]: row["key"] for row in rows}
    held = {(s.kind, tuple(at[p] for p in range(s.first, s.last + 1))): s.key for s in segments}
    turns = tuple(wanted(rows))
    pieces = []
    for span in segment([placed.turn for placed in turns], KINDS.get(session.conversation)):
        own = turns[span.first : span.last + 1]
        key = held.get((span.kind, tuple(placed.key for placed in own)))
        shown = [placed.turn for placed in own if not placed.hidden] or [placed.turn for placed in own]
        texts = () if key is not None else tuple(labelled([(turn.speaker, turn.text)]) for turn in shown)
        pieces.append(
            ReshapedSegment(key, span.kind, span.first, span.last, texts, all(placed.hidden for placed in own))
        )
    kept = {piece.key for piece in pieces}
    stale = tuple(s.key for s in segments if s.key not in kept)
    return SessionShape(session, tuple((row["key"], turn_of(row)) for row in rows), turns, tuple(pieces), stale)


def reshape(
    store: Store,
    embedder: Embedder,
    fresh: Fresh,
    linker: Linker,
    session: SessionRow,
    wanted: Callable[[Sequence[Row]], Sequence[Placed]],
    also: Callable[[SessionShape], None] | None = None,
) -> SessionShape:
    """Give a session the shape that `wanted` makes of its turns, in one transaction; returns what was done.

    `also` is called before the transaction ends. A session without turns goes away.
    """
    while True:
        planned = _shape(store, session, wanted)
        vectors = embed_or_wait(embedder, [piece.texts for piece in planned.fresh])
        index, seq = fresh()
        searched = None if vectors is None or not session.linked else search(index, seq, vectors, linker.floor)
        try:
            with store.transaction():
                current = store.one("session_by_key", key=session.key)
                if current is None or not _unchanged(store, planned, session_row(current)):
                    if current is None:
                        return planned
                    session = session_row(current)
                    continue  # another process wrote to this session since the plan was made
                if vectors is not None and len(vectors):
                    check_embedder(store, embedder.sha256)
                take_out(store, linker, fresh, planned)
                if planned.turns:
                    keys = put_in(store, planned, vectors)
                    if searched is not None and vectors is not None:
                        link_session(store, linker, session, keys, vectors, searched)
                    elif keys:
                        store.run("session_unlinked", key=session.key)  # they wait for their vectors
                    store.run("session_unarchived", key=session.key)
                else:
                    store.run("session_delete", key=session.key)
                    store.run("conversation_tidy", id=session.conversation)
                if also is not None:
                    also(planned)
        except BaseException:
            linker.reach.forget()  # it may have learnt from what was rolled back
            raise
        return planned


def _unchanged(store: Store, planned: SessionShape, now: SessionRow) -> bool:
    """Is the session as the plan saw it? Asked under the write lock."""
    rows = store.all("turns_of_session", session=now.key)
    hidden = {row["key"]: bool(row["hidden"]) for row in rows}
    same = (now.closed, now.linked) == (planned.session.closed, planned.session.linked)
    known = all(hidden.get(p.key) == p.hidden for p in planned.turns if p.key is not None)
    return same and known and [row["key"] for row in rows] == [key for key, _ in planned.seen]


def take_out(store: Store, linker: Linker, fresh: Fresh, planned: SessionShape) -> None:
    """The stale segments and the dropped turns go, with all that hangs on them."""
    unlink(store, linker, fresh()[0], planned.stale)
    for key in planned.stale:
        store.remove_segment(key)
        store.run("reindexed_delete", key=key)
    for key in planned.dropped:
        store.run("turn_delete", key=key)
        store.run("hidings_drop_turn", key=key)
        store.run("redactions_drop_turn", key=key)


def put_in(store: Store, planned: SessionShape, vectors: NDArray[np.float16] | None) -> list[int]:
    """Turns and segments take their new places; returns the keys of the new segments."""
    session = planned.session
    store.run("turns_lift", session=session.key)
    for position, placed in enumerate(planned.turns):
        if placed.key is not None:
            store.run("turn_place", key=placed.key, position=position)
        else:
            store.add_turns(session.key, position, [placed.turn])
    store.run("segments_lift", session=session.key)
    for piece_key in (piece.key for piece in planned.pieces if piece.key is not None):
        store.run("edges_drop_chain", key=piece_key)
    at, keys = 0, list[int]()
    for idx, piece in enumerate(planned.pieces):
        tie = tie_of(session.conversation, session.id, idx)
        if piece.key is not None:
            store.run("segment_place", key=piece.key, idx=idx, first=piece.first, last=piece.last, tie=tie)
            continue
        said_at = to_micros(planned.turns[piece.first].turn.said_at)  # type: ignore[arg-type]  # checked before
        row = SegmentRow(0, idx, piece.kind, piece.first, piece.last, said_at, tie)
        own = None if vectors is None else vectors[at : at + 1]
        keys += store.add_segments(session.key, [row], own)
        if piece.hidden:
            store.set_states({keys[-1]: LIVE + FORGOTTEN})
        at += 1
    if session.closed:
        chain(store, session.key)
    return keys


def remove_turns(gone: set[int]) -> Callable[[Sequence[Row]], Sequence[Placed]]:
    """A session less some of its turns."""

    def wanted(rows: Sequence[Row]) -> list[Placed]:
        return [Placed(row["key"], turn_of(row), bool(row["hidden"])) for row in rows if row["key"] not in gone]

    return wanted
