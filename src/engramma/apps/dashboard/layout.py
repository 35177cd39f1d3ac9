"""Where the nodes of a small network stand: forces between them, computed here so that the page only draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS = 120
PULL = 0.05  # towards the middle, so that parts without edges between them stay in sight
MANY = 300  # nodes from which on fewer rounds have to do
MOST = 1_000  # nodes that forces are computed for; all pairs repel, so their number counts twice


def spiral(count: int) -> NDArray[np.float64]:
    """Points of a sunflower: even, and the same each time."""
    number = np.arange(count, dtype=np.float64)
    angle, radius = number * 2.399963, np.sqrt(number + 0.5)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def place(
    count: int, edges: Sequence[tuple[int, int, float]], start: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Positions by the forces of Fruchterman and Reingold; edges pull by their weight. Same graph, same picture.

    With a start, nodes move little from where they stand: a picture that grows stays the same picture.
    """
    at = spiral(count) if start is None else start.astype(np.float64, copy=True)
    if count < 2 or count > MOST:
        return at
    source = np.array([edge[0] for edge in edges], dtype=np.int64)
    target = np.array([edge[1] for edge in edges], dtype=np.int64)
    weight = np.array([edge[2] for edge in edges], dtype=np.float64)
    ideal = 1.6
    heat = 0.35 * np.sqrt(count) if start is None else 0.3
    rounds = ROUNDS if count < MANY else ROUNDS // 3
    for step in range(rounds):
        delta = at[:, None, :] - at[None, :, :]
        square = np.maximum((delta**2).sum(axis=2), 1e-3)
        move = (delta * (ideal**2 / square)[:, :, None]).sum(axis=1)
        if len(source):
            span = at[source] - at[target]
            length = np.sqrt(np.maximum((span**2).sum(axis=1), 1e-6))
            pull = span * (length / ideal * (0.4 + weight))[:, None] * 0.5
            np.add.at(move, source, -pull)
            np.add.at(move, target, pull)
        move -= PULL * ideal * at
        size = np.sqrt(np.maximum((move**2).sum(axis=1), 1e-9))[:, None]
        at += move / size * np.minimum(size, heat * (1 - step / rounds) + 0.02)
    return at - at.mean(axis=0) if start is None else at
