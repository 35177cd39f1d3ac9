"""Rank fusion as the seeds define it, scores that fade with age, and diversity by maximal marginal relevance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ..language.times import from_micros
from ..records import Standing
from ..store.store import Store, encode_keys
from .search import ChannelHit


@dataclass(frozen=True, slots=True)
class Ranked:
    """A segment in its final place, with what put it there."""

    key: int
    score: float
    standings: Mapping[str, Standing] = field(default_factory=dict)
    evidence: Mapping[str, float] = field(default_factory=dict)


def standings(
    channels: Mapping[str, Sequence[ChannelHit]], keys: Iterable[int] | None = None
) -> dict[int, dict[str, Standing]]:
    """Where each channel put each segment, or some of them."""
    wanted = None if keys is None else frozenset(keys)
    found: dict[int, dict[str, Standing]] = {}
    for name, hits in channels.items():
        for hit in hits if wanted is None else [hit for hit in hits if hit.key in wanted]:
            found.setdefault(hit.key, {})[name] = Standing(hit.rank, hit.score)
    return found


def rank_single_channel(channels: Mapping[str, Sequence[ChannelHit]]) -> list[Ranked]:
    """The hits of a single channel as they come."""
    [(name, hits)] = channels.items()
    return [Ranked(hit.key, hit.score, {name: Standing(hit.rank, hit.score)}) for hit in hits]


def reciprocal(channels: Mapping[str, Sequence[ChannelHit]], k: int, ties: Mapping[int, int]) -> list[Ranked]:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the channels, ranks from 1."""
    # fsum: the same whatever the order of the channels. Nine digits: far ranks and a large k lie close together.
    ranked = [
        Ranked(key, round(fsum(1 / (k + place.rank) for place in places.values()), 9), places)
        for key, places in standings(channels).items()
    ]
    return sorted(ranked, key=lambda found: (-found.score, ties.get(found.key, 0), found.key))


def aged(store: Store, ranked: Sequence[Ranked], half_life: float, now: datetime) -> list[Ranked]:
    """Scores that halve with every half-life between when it was said and now."""
    listed = encode_keys(found.key for found in ranked)
    days = {
        row["key"]: max(0.0, (now - from_micros(row["said_at"])).total_seconds() / 86_400)
        for row in store.all("segments_by_keys", keys=listed)
    }
    faded = [replace(r, score=round(r.score * 0.5 ** (days.get(r.key, 0.0) / half_life), 6)) for r in ranked]
    return sorted(faded, key=lambda found: -found.score)


def diverse(ranked: Sequence[Ranked], vectors: NDArray[np.float16], balance: float, wanted: int) -> list[Ranked]:
    """Maximal marginal relevance: each next is worth balance x relevance - (1 - balance) x its likeness to those
    before it. Relevance is the score as a share of the best one, so that both terms lie between 0 and 1."""
    if not ranked:
        return []
    best = max(found.score for found in ranked) or 1.0
    relevance = np.array([found.score / best for found in ranked])
    alike = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    left, chosen = list(range(len(ranked))), [0]
    left.remove(0)
    while left and len(chosen) < wanted:
        nearest = alike[np.ix_(left, chosen)].max(axis=1)
        worth = np.round(balance * relevance[left] - (1 - balance) * nearest, 9)
        chosen.append(left.pop(int(np.argmax(worth))))
    return [ranked[place] for place in chosen]


def taken_in_turn(lists: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The first of each list, then the second of each, and so on, each segment once. No score is above one before."""
    found = dict[int, Ranked]()
    least = 1.0
    for one in filter(None, (one for row in zip_longest(*lists) for one in row)):
        if one.key not in found:
            least = min(least, one.score)
            found[one.key] = replace(one, score=least)
    return list(found.values())
