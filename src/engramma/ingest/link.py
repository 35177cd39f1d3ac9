"""Builds the graph when a session closes: chain edges inside it, semantic edges to other sessions.

Only the new segments and the lists they enter are touched. Searching is done before the write
transaction; inside it, only what other processes stored meanwhile is compared as well.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.core import Core
from ..index.vector_index import VectorIndex
from ..store.store import ADDED, RELISTED, SessionRow, Store, encode_keys
from .near_lists import SCALE, Partner, pack, reach_of, strongest, unpack, weights_of

Keys = NDArray[np.int64]
Found = tuple[Keys, NDArray[np.int64]]  # partner keys and weights
Edge = dict[str, Any]  # as edge_put wants it


class Reach(Protocol):
    """Remembers the least weight that enters each near list; a value may be too low, never too high."""

    def __call__(self, keys: Keys) -> NDArray[np.int64]: ...

    def learn(self, reaches: Mapping[int, int]) -> None: ...

    def forget(self, keys: list[int] | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Searched:
    """What the index found for some vectors, and up to which change it knew the store."""

    seq: int
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Linker:
    """How this store links: its cap and floor, and the memo of which weight may enter which list."""

    cap: int
    floor: float
    reach: Reach


def linker_of(core: Core) -> Linker:
    """How this store links: its cap, its floor, and what it knows of full near lists."""
    floor = core.config.edge_floor if core.config.edge_floor is not None else core.embedder.edge_floor
    return Linker(core.config.edge_cap, floor, core.live_index().reach)


@dataclass(frozen=True, slots=True)
class SegmentNode:
    """A segment with what decides the direction of its edges."""

    key: int
    tie: int
    session: int
    age: tuple[int, str, str]


def search(index: VectorIndex, seq: int, vectors: NDArray[np.float16], floor: float) -> Searched:
    """Everything the index holds that is similar enough to each vector."""
    hits = index.within_many(vectors, floor)
    return Searched(seq, tuple((keys, weights_of(similarities)) for keys, similarities in hits))


def link_session(
    store: Store,
    linker: Linker,
    session: SessionRow,
    keys: Sequence[int],
    vectors: NDArray[np.float16],
    searched: Searched,
) -> int:
    """Put a session's new segments into the graph, inside the caller's transaction; returns the edges that adds."""
    edges = chain(store, session.key)
    found = with_latest(store, linker, keys, vectors, searched)
    barred = np.union1d(
        store.keys("keys_unlinked"), store.keys("keys_of_sessions", sessions=encode_keys([session.key]))
    )
    found = [_drop(pair, barred) for pair in found]
    reached = [pair[0][pair[1] >= linker.reach(pair[0])] for pair in found]
    candidates = [top(pair, linker.cap) for pair in found]
    nodes = load_nodes(store, {*keys, *(int(k) for part in (*candidates, *reached) for k in part)})

    lists: dict[int, list[Partner]] = {}
    offers: dict[int, list[Partner]] = defaultdict(list)
    for key, (others, weights), own, wide in zip(keys, found, candidates, reached, strict=True):
        weight = dict(zip(others.tolist(), weights.tolist(), strict=True))
        lists[key] = strongest(((k, weight[k], nodes[k].tie) for k in own.tolist() if k in nodes), linker.cap)
        for k in wide.tolist():
            if k in nodes:
                offers[k].append((key, weight[k], nodes[key].tie))
    edges += offer(store, linker, nodes, lists, offers)
    store.run("session_linked", key=session.key)
    return edges


def offer(
    store: Store,
    linker: Linker,
    nodes: Mapping[int, SegmentNode],
    lists: Mapping[int, list[Partner]],
    offers: Mapping[int, list[Partner]],
) -> int:
    """Merge the new segments into the lists they reach, and draw and erase the edges that follow."""
    drawn, erased = list[Edge](), list[tuple[int, int]]()
    old = load_lists(store, offers)
    changed = dict(lists)
    for other, partners in offers.items():
        before = old.get(other, [])
        after = strongest([*before, *partners], linker.cap)
        kept = {p[0] for p in after}
        erased += [(other, partner[0]) for partner in before if partner[0] not in kept]
        for key, weight, _ in after:
            if key in lists and any(p[0] == other for p in lists[key]):
                drawn.append(edge_of(nodes[key], nodes[other], weight))
        changed[other] = after
    gone = erase(store, erased)
    store.many("edge_put", drawn)
    save_lists(store, linker, changed)
    return len(drawn) - gone


def unlink(store: Store, linker: Linker, index: VectorIndex, keys: Sequence[int]) -> None:
    """Take segments out of the graph, inside the caller's transaction; lists that lose one are made anew."""
    gone = {int(k) for k in keys}
    known = np.array([k for k in sorted(gone) if k in index], dtype=np.int64)
    if not len(known):
        return
    touched: set[int] = set()
    for others, weights in search(index, 0, index.vectors(known), linker.floor).found:
        touched.update(others[weights >= linker.reach(others)].tolist())
    short = [key for key, partners in load_lists(store, touched - gone).items() if any(p[0] in gone for p in partners)]
    relist(store, linker, index, short, gone)


def relist(store: Store, linker: Linker, index: VectorIndex, keys: Sequence[int], gone: set[int]) -> None:
    """Make these segments' lists anew from the index; others' lists stay as they are."""
    present = np.array(sorted(k for k in keys if k in index), dtype=np.int64)
    if not len(present):
        return
    unlinked = np.union1d(store.keys("keys_unlinked"), np.array(sorted(gone), dtype=np.int64))
    before = load_lists(store, present.tolist())
    changed: dict[int, list[Partner]] = {}
    sessions = {key: node.session for key, node in load_nodes(store, present.tolist()).items()}
    for key, pair in zip(present.tolist(), search(index, 0, index.vectors(present), linker.floor).found, strict=True):
        barred = np.union1d(unlinked, store.keys("keys_of_sessions", sessions=encode_keys([sessions[key]])))
        pair = _drop(pair, barred)
        weight = dict(zip(pair[0].tolist(), pair[1].tolist(), strict=True))
        nodes = load_nodes(store, {key, *top(pair, linker.cap).tolist()})
        # partners that were set aside are not in the index and keep their places all the same
        apart = [p for p in before.get(key, []) if p[0] not in weight and p[0] not in gone and p[0] not in index]
        partners = [*apart, *((k, weight[k], node.tie) for k, node in nodes.items() if k != key)]
        changed[key] = strongest(partners, linker.cap)
        held = {p[0] for p in before.get(key, [])}
        # by one that was set aside when the list was made
        erase(store, [(key, dropped) for dropped in held - gone - {p[0] for p in changed[key]}])
        for other, partner_list in load_lists(store, [p[0] for p in changed[key] if p[0] not in held]).items():
            if any(p[0] == key for p in partner_list):
                store.run("edge_put", **edge_of(nodes[key], nodes[other], weight[other]))
        store.run("change_add", key=key, op=RELISTED)
    save_lists(store, linker, changed)


# --- steps ---------------------------------------------------------------------------------------


def chain(store: Store, session: int) -> int:
    """Join each segment with the next, both ways; returns how many edges are new."""
    keys = [row.key for row in store.segments(session)]
    joined = {(row["src"], row["dst"]) for row in store.all("chains_of", keys=encode_keys(keys))}
    missing = [way for a, b in pairwise(keys) if (a, b) not in joined for way in ((a, b), (b, a))]
    store.many("edge_put", ({"src": a, "kind": "chain", "dst": b, "weight": 1.0} for a, b in missing))
    return len(missing)


def with_latest(
    store: Store, linker: Linker, keys: Sequence[int], vectors: NDArray[np.float16], searched: Searched
) -> list[Found]:
    """The search's finds plus what was stored after it, minus what went away."""
    changes = store.all("changes_since", seq=searched.seq)
    linker.reach.forget([row["key"] for row in changes if row["op"] == RELISTED])
    own = set(keys)
    late = sorted({row["key"] for row in changes if row["op"] == ADDED} - own)
    late_keys, late_vectors = store.vectors("embeddings_by_keys", vectors.shape[1], keys=encode_keys(late))
    touched = np.array(sorted({row["key"] for row in changes if row["op"] != RELISTED}), dtype=np.int64)
    similarities = vectors.astype(np.float64) @ late_vectors.astype(np.float64).T
    result = []
    for pair, row in zip(searched.found, similarities, strict=True):
        weights, near_enough = weights_of(row), row >= linker.floor
        kept = _drop(pair, touched)
        result.append(
            (np.concatenate([kept[0], late_keys[near_enough]]), np.concatenate([kept[1], weights[near_enough]]))
        )
    return result


def _drop(pair: Found, barred: Keys) -> Found:
    keep = ~np.isin(pair[0], barred)
    return pair[0][keep], pair[1][keep]


def top(pair: Found, cap: int) -> Keys:
    """The keys that may be among the `cap` strongest: all that tie at the boundary are in."""
    keys, weights = pair
    if len(keys) <= cap:
        return keys
    boundary = np.partition(weights, -cap)[-cap]
    return np.asarray(keys[weights >= boundary])


def edge_of(a: SegmentNode, b: SegmentNode, weight: int) -> Edge:
    """The edge between two segments: the newer points to the older."""
    newer, older = (a, b) if a.age > b.age else (b, a)
    return {"src": newer.key, "kind": "semantic", "dst": older.key, "weight": weight / SCALE}


def erase(store: Store, pairs: Sequence[tuple[int, int]]) -> int:
    """Take the edges between two segments away, where there are any, whichever way they point; returns how many."""
    ways = [way for a, b in pairs for way in ((a, b), (b, a))]
    return store.run("edges_delete_ways", ways=json.dumps(ways)) if ways else 0


def load_nodes(store: Store, keys: Iterable[int]) -> dict[int, SegmentNode]:
    return {
        r["key"]: SegmentNode(r["key"], r["tie"], r["session"], (r["started_at"], r["conversation"], r["session_id"]))
        for r in store.all("segments_by_keys", keys=encode_keys(keys))
    }


def load_lists(store: Store, keys: Iterable[int]) -> dict[int, list[Partner]]:
    return {row["key"]: unpack(row["list"]) for row in store.all("near_get", keys=encode_keys(keys))}


def save_lists(store: Store, linker: Linker, lists: Mapping[int, list[Partner]]) -> None:
    reaches = {key: reach_of(partners, linker.cap) for key, partners in lists.items()}
    store.many("near_put", ({"key": k, "reach": reaches[k], "list": pack(p)} for k, p in lists.items()))
    linker.reach.learn(reaches)
