"""Walks the edges of the graph in both directions, nearest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..store.store import LIVE, RETIRED, Store, encode_keys

HOP_DECAY = 0.5  # what a further hop is worth
NEVER = ("supersedes",)  # edges nobody follows: they lead from a note to what it took the place of
WAYS = 2  # ways looked at for a segment wanted: one is often reached by several


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One way to a segment: from which seed, over which segment, the kind of the last edge, and how near it is."""

    origin: int
    via: int
    key: int
    kind: str
    hops: int
    proximity: float
    tie: int


def walk_graph(
    store: Store,
    seeds: Sequence[int],
    hops: int,
    limit: int,
    *,
    excluded: Sequence[int] = (),
    floor: float = 0.0,
    barred: Sequence[str] = NEVER,
    least: float = 0.0,
    before: int | None = None,
    apart: bool = False,
) -> list[WalkStep]:
    """The `limit` best ways from the seeds, the nearest first: weights multiplied, times HOP_DECAY a further hop.

    They lead over live segments only, or with `apart` also over what was set aside; never back to where they
    began and never to `excluded`. Edges weaker than `floor` or of a `barred` kind are not followed, nor typed
    links made after `before`. Of the ways of more than one hop, those of `least` proximity or less may be missing.
    """
    rows = store.all(
        "walk",
        seeds=encode_keys(seeds),
        excluded=encode_keys(excluded),
        barred=",".join(("", *barred, "")),
        floor=floor,
        least=least,
        before=before,
        most=RETIRED if apart else LIVE,
        hops=hops,
        decay=HOP_DECAY,
        limit=len(seeds) + limit,  # the seeds come first and count, too
    )
    return [WalkStep(*row) for row in rows]


def neighbours_of(store: Store, seeds: Sequence[int], hops: int, cap: int) -> list[WalkStep]:
    """The nearest segments around the seeds, each by its best way: at most `cap`, and none of the seeds."""
    found = best_ways(store, seeds, 1, cap)
    least = found[-1].proximity if len(found) == cap else 0.0
    if hops == 1 or not found or found[0].proximity * HOP_DECAY <= least:
        return found  # no second hop leads to anything nearer
    return best_ways(store, seeds, hops, cap, least)


def best_ways(store: Store, seeds: Sequence[int], hops: int, cap: int, least: float = 0.0) -> list[WalkStep]:
    limit = WAYS * cap
    while True:
        steps = walk_graph(store, seeds, hops, limit, excluded=seeds, least=least)
        best: dict[int, WalkStep] = {}
        for step in steps:
            best.setdefault(step.key, step)
        if len(best) >= cap or len(steps) < limit:
            return list(best.values())[:cap]
        limit *= 4  # many ways led to few segments: look at more
