"""Finds communities in a picture of the graph by label propagation, over its edges as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROUNDS = 10
OWN = 0.3  # what a node's own label counts: without it labels of two nodes may change places for ever

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ties:
    """Edges between numbered nodes, with their weights."""

    source: Ints
    target: Ints
    weight: NDArray[np.float64]


def ties_of(edges: Iterable[tuple[int, int, float]]) -> Ties:
    listed = list(edges)
    return Ties(
        np.array([edge[0] for edge in listed], dtype=np.int64),
        np.array([edge[1] for edge in listed], dtype=np.int64),
        np.array([edge[2] for edge in listed], dtype=np.float64),
    )


def groups_in(count: int, ties: Ties) -> Ints:
    """A number for each node: that of its community, the largest community first. Same graph, same numbers."""
    own = np.arange(count, dtype=np.int64)
    hears = np.concatenate([ties.source, ties.target, own])
    says = np.concatenate([ties.target, ties.source, own])
    loud = np.concatenate([ties.weight, ties.weight, np.full(count, OWN)])
    label = own
    for _ in range(ROUNDS):
        heard, which = np.unique(hears * count + label[says], return_inverse=True)
        volume = np.bincount(which, loud)
        node, heard_label = heard // count, heard % count
        order = np.lexsort((heard_label, -volume, node))
        first = np.unique(node[order], return_index=True)[1]
        chosen = heard_label[order][first]
        if np.array_equal(chosen, label):
            break
        label = chosen
    _, place, sizes = np.unique(label, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.asarray(rank[place])
