"""Communities of a graph: the Leiden algorithm over nodes numbered from 0, the same result every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput

INSTALL = "pip install 'engramma[topics]'"
RANDOMNESS = 0.001  # Leiden's own default: how freely it tries moves that gain nothing at once
ITERATIONS = 2  # a second one starts from the first's result; ten gave the same figures (docs/log.md, "Topics")
NONE = -1  # the community of a node without edges


@dataclass(frozen=True, slots=True)
class Edges:
    """Undirected, weighted edges, each pair once with first < second, in order of both; `nodes` counts the nodes."""

    nodes: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: NDArray[np.float64]

    @property
    def total(self) -> float:
        """The sum of all nodes' weights of edges: every edge has two ends."""
        return 2 * float(self.weight.sum())


def join_edges(nodes: int, one: NDArray[np.int64], other: NDArray[np.int64], weight: NDArray[np.float64]) -> Edges:
    """Edges of any direction, in any order, as undirected ones: a pair is as close as its strongest edge says."""
    good = (one != other) & (weight > 0)
    one, other, weight = one[good], other[good], weight[good]
    pair = np.minimum(one, other) * nodes + np.maximum(one, other)
    order = np.lexsort((-weight, pair))
    pair, starts = np.unique(pair[order], return_index=True)
    first, second = np.divmod(pair, max(nodes, 1))
    return Edges(nodes, first, second, weight[order][starts])


def communities(edges: Edges, starting: NDArray[np.int64] | None, resolution: float, seed: int) -> NDArray[np.int64]:
    """The community of every node, the largest first and equals by their smallest node; NONE without edges.

    `starting` is the community each node is in so far (NONE: in none): what need not move then stays.
    """
    found = np.full(edges.nodes, NONE, dtype=np.int64)
    if not len(edges.first):
        return found
    names = [str(node) for node in range(edges.nodes)]
    listed = list(
        zip(
            map(names.__getitem__, edges.first.tolist()),
            map(names.__getitem__, edges.second.tolist()),
            edges.weight.tolist(),
            strict=True,
        )
    )
    _, by_name = native().leiden(
        listed,
        starting_communities=None if starting is None else _start_of(edges, starting),
        resolution=resolution,
        randomness=RANDOMNESS,
        iterations=ITERATIONS,
        use_modularity=True,
        seed=seed,
        trials=1,
    )
    at = np.fromiter(map(int, by_name), dtype=np.int64, count=len(by_name))
    found[at] = np.fromiter(by_name.values(), dtype=np.int64, count=len(by_name))
    return renumbered(found)


def renumbered(found: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same communities, numbered by size and then by their smallest node."""
    result = np.full(len(found), NONE, dtype=np.int64)
    inside = found != NONE
    _, smallest, place, sizes = np.unique(found[inside], return_index=True, return_inverse=True, return_counts=True)
    number = np.empty(len(sizes), dtype=np.int64)
    number[np.lexsort((smallest, -sizes))] = np.arange(len(sizes))
    result[inside] = number[place]
    return result


def _start_of(edges: Edges, starting: NDArray[np.int64]) -> dict[str, int]:
    """Where Leiden starts: what is in no community yet begins alone."""
    linked = np.unique(np.concatenate([edges.first, edges.second]))
    start = starting[linked]
    alone = start == NONE
    start[alone] = start.max(initial=0) + 1 + np.arange(alone.sum())
    return dict(zip(map(str, linked.tolist()), start.tolist(), strict=True))


def native() -> Any:
    """The library that has the algorithm; it comes with an extra."""
    try:
        import graspologic_native
    except ImportError as error:
        raise BadInput(f"Finding topics needs graspologic-native. Install it with: {INSTALL}") from error
    return graspologic_native
