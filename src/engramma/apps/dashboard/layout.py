"""Lays out the nodes of a network by forces, so that the page only has to draw."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .groups import Ties, groups_in

EXACT = 400  # nodes up to which every pair repels; beyond, a grid stands for those far away
ROUNDS, ROUNDS_OF_MANY = 120, 60
IDEAL = 1.6  # length of an edge
PULL = 0.05  # towards the middle, so that parts without edges between them stay in sight
CELLS, FINE_CELLS = 128, 256  # a side of the grid, and in the last rounds
FINE_FROM = 0.75

Points = NDArray[np.float64]


def spiral(count: int) -> Points:
    """Points of a sunflower: even, and the same each time."""
    number = np.arange(count, dtype=np.float64)
    angle, radius = number * 2.399963, np.sqrt(number + 0.5)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def place_by_forces(count: int, ties: Ties, start: Points | None = None) -> Points:
    """Positions by the forces of Fruchterman and Reingold; edges pull by their weight. Same graph, same picture.

    With a start, nodes move little from where they stand: a picture that grows stays the same picture.
    """
    many = count > EXACT
    if start is not None:
        at = start.astype(np.float64, copy=True)
    else:
        at = beginning(count, ties) if many else spiral(count)
    if count < 2:
        return at
    heat = 0.3 if start is not None else (0.1 if many else 0.35) * np.sqrt(count)
    rounds = ROUNDS_OF_MANY if many else ROUNDS
    if start is not None:
        rounds //= 3
    for step in range(rounds):
        if many:
            move = far_apart(at, CELLS if step < FINE_FROM * rounds else FINE_CELLS)
        else:
            move = each_apart(at)
        move += drawn_together(at, ties) - PULL * IDEAL * at
        size = np.sqrt(np.maximum((move**2).sum(axis=1), 1e-9))[:, None]
        at += move / size * np.minimum(size, heat * (1 - step / rounds) + 0.02)
    return at - at.mean(axis=0) if start is None else at


def each_apart(at: Points) -> Points:
    """Every pair repels."""
    delta = at[:, None, :] - at[None, :, :]
    square = np.maximum((delta**2).sum(axis=2), 1e-3)
    return np.asarray((delta * (IDEAL**2 / square)[:, :, None]).sum(axis=1))


def drawn_together(at: Points, ties: Ties) -> Points:
    """Edges pull their ends."""
    span = at[ties.source] - at[ties.target]
    length = np.sqrt(np.maximum((span**2).sum(axis=1), 1e-6))
    pull = span * (length / IDEAL * (0.4 + ties.weight) * 0.5)[:, None]
    sums = [
        np.bincount(ties.target, pull[:, axis], len(at)) - np.bincount(ties.source, pull[:, axis], len(at))
        for axis in (0, 1)
    ]
    return np.stack(sums, axis=1)


def far_apart(at: Points, cells: int) -> Points:
    """Every pair repels, by way of a grid: nodes are spread over its corners, whose forces are one convolution."""
    low = at.min(axis=0)
    width = max(float((at.max(axis=0) - low).max()), 1e-6) * 1.0001 / (cells - 1)
    spot = (at - low) / width
    cell = np.minimum(spot.astype(np.int64), cells - 2)
    part = spot - cell
    corners = [
        (
            (cell[:, 0] + dx) * cells + cell[:, 1] + dy,
            (part[:, 0] if dx else 1 - part[:, 0]) * (part[:, 1] if dy else 1 - part[:, 1]),
        )
        for dx in (0, 1)
        for dy in (0, 1)
    ]
    mass = np.zeros(cells * cells)
    for flat, share in corners:
        mass += np.bincount(flat, share, cells * cells)
    spectrum = np.fft.rfft2(mass.reshape(cells, cells), s=(2 * cells, 2 * cells))
    forces = []
    for kernel in kernels(cells):
        field = np.fft.irfft2(spectrum * kernel)[:cells, :cells].ravel() * (IDEAL**2 / width)
        forces.append(np.sum([field[flat] * share for flat, share in corners], axis=0))
    return np.stack(forces, axis=1)


@lru_cache(maxsize=4)
def kernels(cells: int) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """The spectra of how a mass at the origin pushes to the right and upwards, per cell of distance."""
    step = np.fft.fftfreq(2 * cells, 1 / (2 * cells))
    right, up = np.meshgrid(step, step, indexing="ij")
    square = np.maximum(right**2 + up**2, 1.0)
    return np.fft.rfft2(right / square), np.fft.rfft2(up / square)


def beginning(count: int, ties: Ties) -> Points:
    """Where many nodes begin: what hangs together side by side, the groups placed as nodes of a graph of their own."""
    group = groups_in(count, ties)
    sizes = np.bincount(group)
    shown = min(len(sizes), EXACT)
    ends = group[ties.source], group[ties.target]
    between = (ends[0] != ends[1]) & (ends[0] < shown) & (ends[1] < shown)
    code, which = np.unique(ends[0][between] * shown + ends[1][between], return_inverse=True)
    weight = np.minimum(np.bincount(which, ties.weight[between], len(code)), 3.0)
    middle = np.empty((len(sizes), 2))
    room = np.sqrt(count / shown) * 1.2
    middle[:shown] = place_by_forces(shown, Ties(code // shown, code % shown, weight)) * room
    reach = float(np.abs(middle[:shown]).max()) + IDEAL
    outside = spiral(len(sizes))[shown:]
    middle[shown:] = outside * (reach / max(float(np.abs(outside[:1]).max(initial=1.0)), 1e-6)) if len(outside) else 0
    order = np.argsort(group, kind="stable")
    within = np.empty((count, 2))
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    petals = spiral(int(sizes.max()))
    for first, last in pairwise(firsts):
        within[order[first:last]] = petals[: last - first]
    return np.asarray(middle[group] + within)
