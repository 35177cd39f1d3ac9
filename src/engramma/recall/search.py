"""The channels: each answers a query with segments, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.distinct import round_all
from ..index.vector_index import VectorIndex
from ..store.store import LIVE, RETIRED, Store, encode_keys
from .expand import May
from .link_kinds import EDGE_WORTH, FOLLOWED, WORTH
from .walk import HOP_DECAY, NEVER

NO_COMPOUNDS: Mapping[str, Sequence[str]] = MappingProxyType({})
SPARE = 16  # more than asked for, so that equals at the end can be put in order


class ChannelHit(NamedTuple):
    """A segment that a channel found; `rank` starts at 1."""

    key: int
    score: float
    rank: int


hit = ChannelHit._make  # faster than by names


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
    return tuple([hit((key, similarity, rank)) for rank, (key, similarity) in enumerate(pairs, 1)])


def lexical(
    store: Store,
    asked: tuple[str, ...],
    limit: int,
    bounds: SearchBounds,
    more: tuple[str, ...] = (),
    compounds: Mapping[str, Sequence[str]] = NO_COMPOUNDS,
) -> tuple[ChannelHit, ...]:
    """The segments that have one of the terms, a compound of one, or one of `more`, which are English, by BM25."""
    allowed = None if bounds.allowed is None else frozenset(bounds.allowed.tolist())
    excluded = frozenset() if bounds.excluded is None else frozenset(bounds.excluded.tolist())
    found = store.search_words(
        (*asked, *more),
        limit,
        allowed=allowed,
        excluded=excluded,
        apart=bounds.apart,
        english=frozenset(more).difference(asked),
        compounds=compounds,
    )
    keys, scores = [key for key, _ in found], round_all(np.array([score for _, score in found], np.float64), 6)
    return tuple(map(hit, zip(keys, scores, range(1, len(found) + 1), strict=True)))


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
    """The seeds and what edges and typed links join to them: the sum of the proximities to each seed.

    A seed counts as much as its score is of the best one's, so that those which nothing joins stay in their order; on
    the way an edge passes on its weight times what its kind is worth (recall/link_kinds.py). Each seed goes on from the
    `cap` nearest a hop. With `apart` the ways lead over what was set aside, too, as far as it may be shown.
    """
    first = max((seed.score for seed in seeds), default=0.0)
    share = {seed.key: round(max(seed.score, 0.0) / first, 6) if first > 0 else 1.0 for seed in seeds}
    fronts = {seed.key: {seed.key: 1.0} for seed in seeds}
    seen = {seed.key: {seed.key} for seed in seeds}
    near = dict(share)  # nothing is nearer to a seed than itself
    for hop in range(hops):
        starts = sorted({key for front in fronts.values() for key in front})
        if hop and apart:
            starts = sorted(may(starts))
        edges = steps_from(store, starts, edge_floor, apart=apart, before=before)
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
                near[key] = near.get(key, 0.0) - share[seed] * best[key][0]
            fronts[seed] = {key: -best[key][0] * HOP_DECAY for key in nearest}
    shown = may(list(near))
    reached = {key: value for key, value in near.items() if key in shown and key not in fronts}
    brought = dict(in_order(store, reached)[:cap])
    pairs = in_order(store, brought | {key: near[key] for key in fronts if key in shown})
    return tuple(ChannelHit(key, score, rank) for rank, (key, score) in enumerate(pairs, 1))


@dataclass(frozen=True, slots=True)
class GraphStep:
    """One edge from a segment to another, and how near it brings them."""

    key: int
    proximity: float
    tie: int


def steps_from(
    store: Store, keys: Sequence[int], floor: float, *, apart: bool, before: int | None
) -> dict[int, list[GraphStep]]:
    """The edges at some segments that hybrid search follows: the graph's own, and typed links the ways they read."""
    found: dict[int, list[GraphStep]] = {}
    most = RETIRED if apart else LIVE
    for row in store.all("graph_steps", keys=encode_keys(keys), floor=floor, most=most, before=before):
        proximity = min(row["weight"], 1.0) * edge_worth(row["kind"], bool(row["outward"]))
        if proximity > 0:
            found.setdefault(row["origin"], []).append(GraphStep(row["other"], proximity, row["tie"]))
    return found


def edge_worth(kind: str, outward: bool) -> float:
    """What an edge of a kind passes on, followed the way it points or backwards; 0: it is not followed."""
    if kind in EDGE_WORTH:
        return EDGE_WORTH[kind] if outward or kind == "semantic" else 0.0  # a chain is drawn both ways already
    return WORTH[kind] if kind not in NEVER and outward in FOLLOWED.get(kind, ()) else 0.0


def in_order(store: Store, values: Mapping[int, float]) -> list[tuple[int, float]]:
    """The best first; equals in an order of their own."""
    ranked = sorted(((key, round(value, 6)) for key, value in values.items()), key=lambda pair: -pair[1])
    return settled(store, np.array([key for key, _ in ranked], np.int64), np.array([value for _, value in ranked]))


def settled(store: Store, keys: NDArray[np.int64], scores: NDArray[np.float64]) -> list[tuple[int, float]]:
    """Equal scores in an order that comes from the segments themselves, not from when they were stored."""
    values = scores.tolist()
    if len(set(values)) == len(values):
        return list(zip(keys.tolist(), round_all(scores, 6), strict=True))
    pairs = list(zip(keys.tolist(), values, strict=True))
    ties = {row["key"]: row["tie"] for row in store.all("segments_by_keys", keys=encode_keys(k for k, _ in pairs))}
    pairs.sort(key=lambda pair: (-pair[1], ties.get(pair[0], 0)))
    return [(key, round(score, 6)) for key, score in pairs]
