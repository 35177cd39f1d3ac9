"""Topics: communities of the live graph, kept from run to run. Figures and reasons: docs/explanation/topics.md."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..store.sqlite.database import Row
from ..store.store import Store, encode_keys
from .communities import NONE, Edges, communities, join_edges
from .topic_names import BETWEEN, name_topics

# How far an edge counts, by its kind. The chain joins whatever was said in turn: it holds a talk's asides together
# and must not hold a whole sitting together (docs/log.md, "Topics").
SHARES = {"semantic": 1.0, "chain": 0.2, "typed": 1.0}
GRAIN = 1000.0  # weight of edges at which a topic always falls apart: about 25 segments a topic, in a store of any size
LEAST = 3  # segments of a topic
KEPT = 0.5  # share of a topic's segments that stay together for it to be the same topic
SEED = 5

STEPS = 4  # that are told: read, grouped, named, stored

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class CommunityGraph:
    """What topics are found in: live segments in the order of their ties, and edges between their places there."""

    keys: NDArray[np.int64]
    edges: Edges


def find_topics(store: Store, told: Told = lambda done, total: None) -> CommunityGraph:
    """Find topics anew, starting from those that are stored, and store them: all or nothing. Returns their graph."""
    mark = f"topics_of_{store.ns}"
    while True:
        told(0, STEPS)
        with store.snapshot():
            seen = store.meta(mark)
            graph = read_graph(store)
            before = stored_topics(store, graph.keys)
        now = _fingerprint(graph)
        if now == seen:  # nothing came, went or changed
            told(STEPS, STEPS)
            return graph
        told(1, STEPS)
        after = kept_numbers(before, find_communities(graph, before))
        told(2, STEPS)
        renamed = name_topics(store, _changed(graph.keys, before, after))
        told(3, STEPS)
        with store.transaction():
            if store.meta(mark) == seen:  # else another process was faster: look again
                _write(store, graph.keys, before, after, renamed)
                store.put_meta(mark, now)
                told(STEPS, STEPS)
                return graph


def read_graph(store: Store, shares: Mapping[str, float] = SHARES) -> CommunityGraph:
    """The live segments and the edges between them."""
    keys = store.keys("topic_nodes")
    return _graph_of(keys, store.all("topic_edges", **shares))


def _graph_of(keys: NDArray[np.int64], rows: Sequence[Row]) -> CommunityGraph:
    """Edges given as rows of two keys and a weight, between those of the keys."""
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.float64, count=3 * len(rows)).reshape(-1, 3)
    place, known = _places(keys, flat[:, :2].astype(np.int64))
    good = known.all(axis=1)
    return CommunityGraph(keys, join_edges(len(keys), place[good, 0], place[good, 1], flat[good, 2]))


def graph_of_topic(store: Store, topic: int) -> CommunityGraph:
    """The live segments of a topic and the edges between them."""
    return _graph_of(store.keys("topic_nodes_of", topic=topic), store.all("topic_edges_of", topic=topic, **SHARES))


def by_strength(graph: CommunityGraph, topics: NDArray[np.int64]) -> dict[int, Sequence[int]]:
    """The keys of each topic, those with the most weight of edges to others of it first."""
    first, second, weight = graph.edges.first, graph.edges.second, graph.edges.weight
    inside = topics[first] == topics[second]
    ends = np.concatenate([first[inside], second[inside]])
    strength = np.bincount(ends, np.tile(weight[inside], 2), minlength=len(topics))
    order = np.lexsort((-np.round(strength, 9), topics))  # equals stay in the order of their ties
    order = order[topics[order] != NONE]
    return _parted(graph.keys[order], topics[order])


def _places(keys: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each wanted key stands among the keys, and whether it does."""
    if not len(keys):
        return np.zeros_like(wanted), np.zeros(wanted.shape, dtype=bool)
    order = np.argsort(keys)
    place = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return place, keys[place] == wanted


def stored_topics(store: Store, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The topic each key is in now; NONE for the others."""
    rows = store.all("topic_members_all")
    place, known = _places(keys, np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))
    topics = np.fromiter((row[1] for row in rows), dtype=np.int64, count=len(rows))
    found = np.full(len(keys), NONE, dtype=np.int64)
    found[place[known]] = topics[known]
    return found


def _fingerprint(graph: CommunityGraph) -> str:
    """What the topics depend on, but for those that were there before."""
    hasher = hashlib.sha256(f"{SHARES} {GRAIN} {LEAST} {SEED}".encode())
    for part in (graph.keys, graph.edges.first, graph.edges.second, graph.edges.weight):
        hasher.update(part.tobytes())
    return hasher.hexdigest()


def find_communities(
    graph: CommunityGraph, before: NDArray[np.int64], grain: float = GRAIN, seed: int = SEED
) -> NDArray[np.int64]:
    """The community of each segment, without those that are too small to be a topic.

    The resolution grows with the graph: what a topic is then depends on its own edges, not on how much else there is.
    """
    resolution = max(1.0, graph.edges.total / grain)
    found = communities(graph.edges, before if (before != NONE).any() else None, resolution, seed)
    sizes = np.bincount(found[found != NONE], minlength=1)
    large = np.append(sizes >= LEAST, False)  # the last is NONE's
    return np.where(large[found], found, NONE)


def kept_numbers(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """The communities under the numbers of the topics they go on from; new ones get -2, -3, … in their order."""
    both = (before != NONE) & (after != NONE)
    pairs, shared = np.unique(np.stack([before[both], after[both]]), axis=1, return_counts=True)
    sizes = dict(zip(*(part.tolist() for part in np.unique(before[before != NONE], return_counts=True)), strict=True))
    number: dict[int, int] = {}
    taken: set[int] = set()
    for at in np.lexsort((pairs[0], -shared)).tolist():  # what most stay in chooses first
        old, new = int(pairs[0, at]), int(pairs[1, at])
        if shared[at] >= KEPT * sizes[old] and new not in number and old not in taken:
            number[new] = old
            taken.add(old)
    count = int(after.max(initial=NONE)) + 1
    fresh = iter(range(-2, -2 - count, -1))
    table = np.array([number[new] if new in number else next(fresh) for new in range(count)] + [NONE], dtype=np.int64)
    return table[after]


def _changed(keys: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]) -> dict[int, Sequence[int]]:
    """The topics that are new or have other segments than before, each with its keys in order."""
    moved = before != after
    touched = np.union1d(before[moved], after[moved])
    inside = np.isin(after, touched[touched != NONE])
    return by_topic(keys[inside], after[inside])


def by_topic(keys: NDArray[np.int64], topics: NDArray[np.int64]) -> dict[int, Sequence[int]]:
    order = np.lexsort((keys, topics))
    return _parted(keys[order], topics[order])


def _parted(keys: NDArray[np.int64], topics: NDArray[np.int64]) -> dict[int, Sequence[int]]:
    """The keys of each topic, where those of one topic stand together."""
    numbers, starts = np.unique(topics, return_index=True)
    ends = np.append(starts, len(keys))[1:]
    spans = zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True)
    return {number: keys[start:end].tolist() for number, start, end in spans}


def _write(
    store: Store,
    keys: NDArray[np.int64],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    renamed: Mapping[int, tuple[str, ...]],
) -> None:
    """Store what changed, inside the caller's transaction."""
    made_at = time.time_ns() // 1000
    ids = {int(topic): int(topic) for topic in np.unique(after) if topic >= 0}
    for topic in sorted(renamed, reverse=True):  # the new ones, -2 first, so the largest gets the smallest id
        name = BETWEEN.join(renamed[topic])
        if topic in ids:
            store.run("topic_rename", id=topic, title=name)
        else:
            row = store.one("topic_add", title=name, made_at=made_at)
            assert row is not None
            ids[topic] = int(row["id"])
    moved = before != after
    for topic, members in by_topic(keys[moved], after[moved]).items():
        if topic == NONE:
            store.run("topic_members_drop", keys=encode_keys(members))
        else:
            store.run("topic_members_put", topic=ids[topic], keys=encode_keys(members))
    store.run("topics_keep", ids=encode_keys(ids.values()))
    store.run("topic_members_lost")


def join_topics(store: Store) -> int:
    """Put what came since the last run into the topic that its edges to others hold most; returns how many."""
    with store.transaction():
        pull: dict[int, dict[int, float]] = {}
        for row in store.all("topic_edges_of_new", **SHARES):
            at = pull.setdefault(row["key"], {})
            at[row["topic"]] = at.get(row["topic"], 0.0) + row["weight"]
        chosen = {key: min(at, key=lambda topic: (-round(at[topic], 9), topic)) for key, at in pull.items()}
        for topic in sorted(set(chosen.values())):
            members = [key for key, own in chosen.items() if own == topic]
            store.run("topic_members_put", topic=topic, keys=encode_keys(members))
    return len(chosen)


def name_again(store: Store, topics: Sequence[int]) -> None:
    """Name topics by what is in them now, inside the caller's transaction: after a purge, say."""
    members = {topic: store.keys("keys_of_topic", topic=topic).tolist() for topic in topics}
    for topic, terms in name_topics(store, members).items():
        store.run("topic_rename", id=topic, title=BETWEEN.join(terms))
