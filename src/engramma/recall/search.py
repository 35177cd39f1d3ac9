"""The channels: each answers a query with segments, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..language.lexical import terms
from ..store.store import Store, encode_keys
from .expand import MOST_EDGES, May
from .walk import HOP_DECAY, NEVER, WalkStep, walk_graph

SPARE = 16  # more than asked for, so that equals at the end can be put in order


@dataclass(frozen=True, slots=True)
class ChannelHit:
    """A segment that a channel found; `rank` starts at 1."""

    key: int
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class SearchBounds:
    """Where a query may look: only `allowed` (None: everywhere), not at `excluded`.

    `apart` says that some of the allowed were set aside: their words are elsewhere.
    """

    allowed: NDArray[np.int64] | None = None
    excluded: NDArray[np.int64] | None = None
    apart: bool = False

    def holds(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        inside = np.ones(len(keys), bool) if self.allowed is None else np.isin(keys, self.allowed)
        return inside if self.excluded is None else inside & ~np.isin(keys, self.excluded)


def semantic(
    store: Store, index: VectorIndex, vector: NDArray[np.float16], limit: int, bounds: SearchBounds
) -> tuple[ChannelHit, ...]:
    """The nearest segments by cosine; equals in an order that comes from the segments themselves."""
    fetch = limit + SPARE
    while True:
        keys, similarities = index.search(vector, fetch, allowed=bounds.allowed, excluded=bounds.excluded)
        if len(keys) < fetch or similarities[-1] < similarities[limit - 1]:
            break
        fetch *= 2  # equals go on beyond the end
    pairs = settled(store, keys, similarities)[:limit]
    return tuple(ChannelHit(key, similarity, rank) for rank, (key, similarity) in enumerate(pairs, 1))


def lexical(store: Store, text: str, limit: int, bounds: SearchBounds) -> tuple[ChannelHit, ...]:
    """The segments that share words with the query, by BM25."""
    allowed = None if bounds.allowed is None else frozenset(bounds.allowed.tolist())
    excluded = frozenset() if bounds.excluded is None else frozenset(bounds.excluded.tolist())
    found = store.search_words(terms(text), limit, allowed=allowed, excluded=excluded, apart=bounds.apart)
    return tuple(ChannelHit(key, round(score, 6), rank) for rank, (key, score) in enumerate(found, 1))


def search_graph(
    store: Store,
    seeds: Sequence[ChannelHit],
    hops: int,
    cap: int,
    edge_floor: float,
    may: May,
    *,
    apart: bool = False,
    before: int | None = None,
) -> tuple[ChannelHit, ...]:
    """The seeds and what is joined to them by semantic edges and typed links: the sum of the proximities to each seed.

    Each seed goes on from the `cap` nearest a hop. With `apart` the ways lead over what was set aside, too, as far
    as it may be shown.
    """
    fronts = {seed.key: {seed.key: 1.0} for seed in seeds}
    seen = {seed.key: {seed.key} for seed in seeds}
    near = {seed.key: 1.0 for seed in seeds}  # nothing is nearer to a seed than itself
    for hop in range(hops):
        starts = sorted({key for front in fronts.values() for key in front})
        if hop and apart:
            starts = sorted(may(starts))
        limit, barred = MOST_EDGES * len(starts), (*NEVER, "chain")
        edges: dict[int, list[WalkStep]] = {key: [] for key in starts}
        for step in walk_graph(store, starts, 1, limit, floor=edge_floor, barred=barred, apart=apart, before=before):
            edges[step.origin].append(step)
        for seed, front in fronts.items():
            best: dict[int, tuple[float, int]] = {}
            for key, value in front.items():
                for step in edges.get(key, ()):
                    worth = (-round(value * step.proximity, 6), step.tie)
                    if step.key not in seen[seed] and worth < best.get(step.key, (0.0, 0)):
                        best[step.key] = worth
            nearest = sorted(best, key=best.__getitem__)[:cap]
            seen[seed].update(nearest)
            for key in nearest:
                near[key] = near.get(key, 0.0) - best[key][0]
            fronts[seed] = {key: -best[key][0] * HOP_DECAY for key in nearest}
    shown = may(list(near))
    reached = {key: value for key, value in near.items() if key in shown and key not in fronts}
    brought = dict(in_order(store, reached)[:cap])
    pairs = in_order(store, brought | {key: near[key] for key in fronts if key in shown})
    return tuple(ChannelHit(key, score, rank) for rank, (key, score) in enumerate(pairs, 1))


def in_order(store: Store, values: Mapping[int, float]) -> list[tuple[int, float]]:
    """The best first; equals in an order of their own."""
    ranked = sorted(((key, round(value, 6)) for key, value in values.items()), key=lambda pair: -pair[1])
    return settled(store, np.array([key for key, _ in ranked], np.int64), np.array([value for _, value in ranked]))


def settled(store: Store, keys: NDArray[np.int64], scores: NDArray[np.float64]) -> list[tuple[int, float]]:
    """Equal scores in an order that comes from the segments themselves, not from when they were stored."""
    pairs = [(int(k), float(s)) for k, s in zip(keys, scores, strict=True)]
    if len({s for _, s in pairs}) < len(pairs):
        ties = {row["key"]: row["tie"] for row in store.all("segments_by_keys", keys=encode_keys(k for k, _ in pairs))}
        pairs.sort(key=lambda pair: (-pair[1], ties.get(pair[0], 0)))
    return [(key, round(score, 6)) for key, score in pairs]
