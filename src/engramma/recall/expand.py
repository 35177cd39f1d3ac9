"""Graph expansion: from each entry along semantic edges (lateral), its session (vertical) and typed links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ..store.store import Store
from .recipes import Plan

# What an expanded neighbour is worth beside its entry: an edge passes on its weight, a chain step half.
CHAIN_DECAY = 0.5
MOST_EDGES = 200  # more than any segment has (config: edge_cap)


May = Callable[[list[int]], set[int]]  # those of some segments that may be shown
NOBODY: Mapping[int, Sequence[Reached]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reached:
    """A neighbour, where from and by which edge it was reached, and its score.

    `outward`: a typed link points from there to here. Beyond the first step of a procedure, the origin is the
    step before and not the entry.
    """

    key: int
    origin: int
    kind: Literal["lateral", "vertical", "link"]
    edge: str
    weight: float
    steps: int
    score: float
    outward: bool = True

    @property
    def is_counterpoint(self) -> bool:
        return self.kind == "link" and self.edge == "contradicts"


def expand(
    store: Store,
    entries: Sequence[tuple[int, float]],
    plan: Plan,
    edge_floor: float,
    may: May,
    brought: Mapping[int, Sequence[Reached]] = NOBODY,
) -> list[Reached]:
    """Neighbours of the entries that may be shown, each once, by its best way; entries are not neighbours.

    `brought` is whom each entry brings by typed links. Whoever contradicts an entry stays its counterpoint,
    also where another way would be worth more.
    """
    best: dict[int, Reached] = {}
    taken = {key for key, _ in entries}
    for key, score in entries:
        for found in [
            *lateral(store, key, score, plan.lateral, plan.hops, edge_floor, may),
            *vertical(store, key, score, plan.vertical, may),
            *brought.get(key, ()),
        ]:
            held = best.get(found.key)
            if found.key not in taken and (held is None or worth(found) > worth(held)):
                best[found.key] = found
    return list(best.values())


def worth(found: Reached) -> tuple[bool, float]:
    return found.is_counterpoint, found.score


def lateral(store: Store, key: int, score: float, limit: int, hops: int, edge_floor: float, may: May) -> list[Reached]:
    """Along semantic edges, the strongest first; a second hop starts from what the first has reached."""
    found: list[Reached] = []
    seen, frontier = {key}, [(key, score)]
    for hop in range(1, hops + 1 if limit > 0 else 1):
        reached: list[tuple[int, float]] = []
        for start, value in frontier:
            rows = store.all("neighbours_semantic", key=start, floor=edge_floor, limit=MOST_EDGES)
            shown = may([r["other"] for r in rows])
            rows = [r for r in rows if r["other"] in shown and r["other"] not in seen][:limit]
            for r in rows:  # what may not be shown takes no place
                worth = round(value * r["weight"], 6)
                found.append(Reached(r["other"], key, "lateral", "semantic", r["weight"], hop, worth))
                reached.append((r["other"], worth))
                seen.add(r["other"])
        frontier = reached
    return found


def vertical(store: Store, key: int, score: float, steps: int, may: May) -> list[Reached]:
    found: list[Reached] = []
    seen, frontier = {key}, [key]
    for step in range(1, steps + 1):
        frontier = [
            r["other"] for k in frontier for r in store.all("neighbours_chain", key=k) if r["other"] not in seen
        ]
        seen.update(frontier)
        value = round(score * CHAIN_DECAY**step, 6)
        found += [Reached(k, key, "vertical", "chain", 1.0, step, value) for k in frontier]
    shown = may([r.key for r in found])
    return [r for r in found if r.key in shown]
