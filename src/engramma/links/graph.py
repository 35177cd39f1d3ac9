"""Walks the graph: the nearest segments around some, along edges of every kind (takizen's neighbors)."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.core import Core
from ..core.names import known_key
from ..errors import BadInput
from ..recall.walk import neighbours_of
from ..records import Neighbor
from ..records.recall import MOST_HOPS, MOST_NEIGHBORS
from ..store.store import FORGOTTEN, encode_keys

MOST_SEEDS = 1_000


def neighbors(core: Core, ids: str | Iterable[str], hops: int = 1, cap: int = MOST_NEIGHBORS) -> tuple[Neighbor, ...]:
    """What `Links.neighbors` answers."""
    if type(hops) is not int or not 1 <= hops <= MOST_HOPS:
        raise BadInput(f"hops must be 1 or {MOST_HOPS}, not {hops!r:.80}.")
    if type(cap) is not int or not 1 <= cap <= MOST_NEIGHBORS:
        raise BadInput(f"cap must be a whole number from 1 to {MOST_NEIGHBORS}, not {cap!r:.80}.")
    listed = list(dict.fromkeys([ids] if isinstance(ids, str) else ids))
    if len(listed) > MOST_SEEDS:
        raise BadInput(f"Give at most {MOST_SEEDS:,} segments to start from, not {len(listed):,}.")
    with core.store.snapshot():
        seeds = seeds_of(core, listed)
        steps = neighbours_of(core.store, list(seeds), hops, cap)
        segments = core.store.hydrate(sorted({key for step in steps for key in (step.origin, step.via, step.key)}))
    return tuple(
        Neighbor(
            id=segments[step.key].id,
            text=segments[step.key].text,
            speakers=segments[step.key].speakers,
            said_at=segments[step.key].said_at,
            hops=step.hops,
            proximity=round(step.proximity, 6),
            kind=step.kind,
            path=tuple(segments[key].id for key in dict.fromkeys((step.origin, step.via, step.key))),
        )
        for step in steps
    )


def seeds_of(core: Core, ids: list[str]) -> dict[int, str]:
    """The segments to start from, by key; what was forgotten is as unknown as what never was."""
    seeds = {known_key(core, id): id for id in ids}
    for row in core.store.all("states_by_keys", keys=encode_keys(seeds)):
        if row["state"] >= FORGOTTEN:
            raise BadInput(f"There is no segment {seeds[row['key']]!r:.200} in this memory.")
    return seeds
