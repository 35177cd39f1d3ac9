"""Builds the graph when a session closes: chain edges inside it, semantic edges to other sessions.

Only the new segments and the lists they enter are touched. Searching is done before the write
transaction; inside it, only what other processes stored meanwhile is compared as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.core import Core
from ..index.vector_index import VectorIndex
from ..store.store import ADDED, RELISTED, SessionRow, Store, encode_keys
from .list_arrays import Places, merged_places, pack_lists, places_before, strongest_places, unpack_lists
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
class Pairs:
    """Segments that are similar to new ones: the new one's number, the other's key, their weight."""

    number: NDArray[np.int64]
    key: Keys
    weight: NDArray[np.int64]

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Pairs:
        """Some of them, by a mask or by their places."""
        return Pairs(self.number[chosen], self.key[chosen], self.weight[chosen])


@dataclass(frozen=True, slots=True)
class Searched:
    """What the index found for some vectors, and up to which change it knew the store."""

    seq: int
    found: Pairs


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


@dataclass(frozen=True, slots=True)
class SegmentNodes:
    """Many of them, in the order of their keys. `rank` orders their sessions from old to new."""

    key: Keys
    tie: NDArray[np.int64]
    rank: NDArray[np.int64]

    def ties(self, keys: Keys) -> NDArray[np.int64]:
        return self.tie[np.searchsorted(self.key, keys)]

    def ranks(self, keys: Keys) -> NDArray[np.int64]:
        return self.rank[np.searchsorted(self.key, keys)]


def search(index: VectorIndex, seq: int, vectors: NDArray[np.float16], floor: float) -> Searched:
    """Everything the index holds that is similar enough to each vector."""
    hits = index.within_many(vectors, floor)
    number = np.repeat(np.arange(len(hits), dtype=np.int64), [len(keys) for keys, _ in hits])
    keys = np.concatenate([keys for keys, _ in hits] or [np.empty(0, dtype=np.int64)])
    similarities = np.concatenate([found for _, found in hits] or [np.empty(0, dtype=np.float64)])
    return Searched(seq, Pairs(number, keys, weights_of(similarities)))


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
    own = np.array(keys, dtype=np.int64)
    found = with_latest(store, linker, own, vectors, searched)
    unlinked = store.keys("keys_unlinked")
    barred = np.append(unlinked, store.keys("keys_of_sessions", sessions=encode_keys([session.key])))
    found = found.where(~np.isin(found.key, barred))
    reached = found.weight >= reaches_of(linker, found.key)
    wanted = may_be_strongest(found, linker.cap)
    nodes = nodes_of(store, np.union1d(own, found.key[reached | wanted]))

    known = np.isin(found.key, nodes.key)
    lists = strongest_places(wanted_places(own, nodes, found.where(wanted & known)), linker.cap)
    offers = offered_places(own, nodes, found.where(reached & known))
    edges += offer(store, linker, nodes, own, lists, offers)
    store.run("session_linked", key=session.key)
    return edges


def wanted_places(own: Keys, nodes: SegmentNodes, pairs: Pairs) -> Places:
    """The others as they would stand in the new segments' lists."""
    return Places(own[pairs.number], pairs.key, pairs.weight, nodes.ties(pairs.key))


def offered_places(own: Keys, nodes: SegmentNodes, pairs: Pairs) -> Places:
    """The new segments as they would stand in the others' lists."""
    mine = own[pairs.number]
    return Places(pairs.key, mine, pairs.weight, nodes.ties(mine))


def offer(store: Store, linker: Linker, nodes: SegmentNodes, own: Keys, lists: Places, offers: Places) -> int:
    """Merge the new segments into the lists they reach, and draw and erase the edges that follow."""
    others = np.unique(offers.owner)
    before = unpack_lists((row["key"], row["list"]) for row in store.all("near_get", keys=encode_keys(others.tolist())))
    after, dropped = merged_places(before, offers, linker.cap)
    entered = after.where(np.isin(after.key, own))
    mutual = entered.where(np.isin(entered.turned(), lists.pairs()))
    gone = erase(store, list(zip(dropped.owner.tolist(), dropped.key.tolist(), strict=True)))
    store.many("edge_put", edges_of(nodes, mutual))
    put_lists(store, linker, [*pack_lists(np.sort(own), lists, linker.cap), *pack_lists(others, after, linker.cap)])
    return len(mutual.key) - gone


def unlink(store: Store, linker: Linker, index: VectorIndex, keys: Sequence[int]) -> None:
    """Take segments out of the graph, inside the caller's transaction; lists that lose one are made anew."""
    gone = {int(k) for k in keys}
    known = np.array([k for k in sorted(gone) if k in index], dtype=np.int64)
    if not len(known):
        return
    found = search(index, 0, index.vectors(known), linker.floor).found
    touched = set(found.key[found.weight >= reaches_of(linker, found.key)].tolist())
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
    for key, hits in zip(present.tolist(), index.within_many(index.vectors(present), linker.floor), strict=True):
        pair = hits[0], weights_of(hits[1])
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


def with_latest(store: Store, linker: Linker, own: Keys, vectors: NDArray[np.float16], searched: Searched) -> Pairs:
    """The search's finds plus what was stored after it, minus what went away."""
    changes = store.all("changes_since", seq=searched.seq)
    linker.reach.forget([row["key"] for row in changes if row["op"] == RELISTED])
    found = searched.found
    touched = np.array(sorted({row["key"] for row in changes if row["op"] != RELISTED}), dtype=np.int64)
    found = found.where(~np.isin(found.key, touched))
    late = sorted({row["key"] for row in changes if row["op"] == ADDED} - set(own.tolist()))
    if not late:
        return found
    late_keys, late_vectors = store.vectors("embeddings_by_keys", vectors.shape[1], keys=encode_keys(late))
    similarities = vectors.astype(np.float64) @ late_vectors.astype(np.float64).T
    number, place = np.nonzero(similarities >= linker.floor)
    return Pairs(
        np.append(found.number, number),
        np.append(found.key, late_keys[place]),
        np.append(found.weight, weights_of(similarities[number, place])),
    )


def reaches_of(linker: Linker, keys: Keys) -> NDArray[np.int64]:
    """The least weight that enters each one's list; many of the keys are the same."""
    different, places = np.unique(keys, return_inverse=True)
    return linker.reach(different)[places]


def may_be_strongest(pairs: Pairs, cap: int) -> NDArray[np.bool_]:
    """Which may be among the `cap` strongest of a new segment: all that tie at the boundary are in."""
    order = np.lexsort((-pairs.weight, pairs.number))
    ranked = pairs.where(order)
    rank = places_before(ranked.number)
    last = np.flatnonzero(rank == cap - 1)
    boundary = np.full(int(ranked.number.max(initial=-1)) + 1, np.iinfo(np.int64).min)
    boundary[ranked.number[last]] = ranked.weight[last]
    return np.asarray(pairs.weight >= boundary[pairs.number])


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


def edges_of(nodes: SegmentNodes, pairs: Places) -> list[Edge]:
    """The edges between the owners of lists and who stands in them."""
    is_newer = nodes.ranks(pairs.owner) > nodes.ranks(pairs.key)
    newer, older = (np.where(one, pairs.owner, pairs.key).tolist() for one in (is_newer, ~is_newer))
    weights = (pairs.weight / SCALE).tolist()
    return [
        {"src": src, "kind": "semantic", "dst": dst, "weight": weight}
        for src, dst, weight in zip(newer, older, weights, strict=True)
    ]


def erase(store: Store, pairs: Sequence[tuple[int, int]]) -> int:
    """Take the edges between two segments away, where there are any, whichever way they point; returns how many."""
    ways = [way for a, b in pairs for way in ((a, b), (b, a))]
    return store.run("edges_delete_ways", ways=json.dumps(ways)) if ways else 0


def load_nodes(store: Store, keys: Iterable[int]) -> dict[int, SegmentNode]:
    rows = store.all("nodes_by_keys", keys=encode_keys(keys))
    return {key: SegmentNode(key, tie, session, (*age,)) for key, tie, session, *age in rows}


def nodes_of(store: Store, keys: Keys) -> SegmentNodes:
    """Those of some keys, which stand in order, that are there."""
    rows = store.all("nodes_by_keys", keys=encode_keys(keys.tolist()))
    ages = {row[2]: row[3:] for row in rows}
    ranks = {session: rank for rank, session in enumerate(sorted(ages, key=ages.__getitem__))}
    table = np.array([(row[0], row[1], ranks[row[2]]) for row in rows], dtype=np.int64).reshape(-1, 3).T
    return SegmentNodes(*table)


def load_lists(store: Store, keys: Iterable[int]) -> dict[int, list[Partner]]:
    return {row["key"]: unpack(row["list"]) for row in store.all("near_get", keys=encode_keys(keys))}


def save_lists(store: Store, linker: Linker, lists: Mapping[int, list[Partner]]) -> None:
    put_lists(store, linker, [(k, reach_of(p, linker.cap), pack(p)) for k, p in lists.items()])


def put_lists(store: Store, linker: Linker, packed: Sequence[tuple[int, int, bytes]]) -> None:
    """Store lists, each given with its owner and the least weight that may still enter it."""
    store.many("near_put", ({"key": key, "reach": reach, "list": data} for key, reach, data in packed))
    linker.reach.learn({key: reach for key, reach, _ in packed})
