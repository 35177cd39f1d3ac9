"""Graph expansion: from each entry along semantic edges (lateral), its session (vertical) and typed links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ..store.store import Store, encode_keys
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
    beside = lateral(store, entries, plan.lateral, plan.hops, edge_floor, may)
    along = vertical(store, entries, plan.vertical, may)
    for key, _ in entries:
        for found in [*beside[key], *along[key], *brought.get(key, ())]:
            held = best.get(found.key)
            if found.key not in taken and (held is None or worth(found) > worth(held)):
                best[found.key] = found
    return list(best.values())


def worth(found: Reached) -> tuple[bool, float]:
    return found.is_counterpoint, found.score


def lateral(
    store: Store, entries: Sequence[tuple[int, float]], limit: int, hops: int, edge_floor: float, may: May
) -> dict[int, list[Reached]]:
    """From each entry along semantic edges, the strongest first; a second hop starts from what the first has reached.

    All entries go a hop together: one read each.
    """
    found: dict[int, list[Reached]] = {key: [] for key, _ in entries}
    seen, fronts = {key: {key} for key in found}, {key: [(key, score)] for key, score in entries}
    for hop in range(1, hops + 1 if limit > 0 else 1):
        if not (starts := sorted({start for front in fronts.values() for start, _ in front})):
            break
        edges, others = dict[int, list[tuple[int, float]]](), set[int]()
        for origin, other, weight in store.all("neighbours_semantic", keys=encode_keys(starts), floor=edge_floor):
            edges.setdefault(origin, []).append((other, weight))
            others.add(other)
        shown = may(sorted(others))
        for key, front in fronts.items():
            reached: list[tuple[int, float]] = []
            for start, value in front:
                own = seen[key]
                # what may not be shown takes no place
                near = [one for one in edges.get(start, ())[:MOST_EDGES] if one[0] in shown and one[0] not in own]
                for other, weight in near[:limit]:
                    worth = round(value * weight, 6)
                    found[key].append(Reached(other, key, "lateral", "semantic", weight, hop, worth))
                    reached.append((other, worth))
                    own.add(other)
            fronts[key] = reached
    return found


def vertical(store: Store, entries: Sequence[tuple[int, float]], steps: int, may: May) -> dict[int, list[Reached]]:
    """From each entry along its session, so many steps both ways; all entries go a step together."""
    found: dict[int, list[Reached]] = {key: [] for key, _ in entries}
    seen, fronts = {key: {key} for key in found}, {key: [key] for key in found}
    for step in range(1, steps + 1):
        if not (starts := sorted({start for front in fronts.values() for start in front})):
            break
        edges = dict[int, list[int]]()
        for origin, other in store.all("neighbours_chain", keys=encode_keys(starts)):
            edges.setdefault(origin, []).append(other)
        for key, score in entries:
            others = [other for start in fronts[key] for other in edges.get(start, ()) if other not in seen[key]]
            seen[key].update(others)
            value = round(score * CHAIN_DECAY**step, 6)
            found[key] += [Reached(other, key, "vertical", "chain", 1.0, step, value) for other in others]
            fronts[key] = others
    shown = may(sorted({r.key for reached in found.values() for r in reached}))
    return {key: [r for r in reached if r.key in shown] for key, reached in found.items()}
