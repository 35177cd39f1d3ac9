"""Different values of an array, without numpy's own functions for it: those import numpy.ma, which takes 25 ms."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different values, in order."""
    ordered = np.sort(values)
    return ordered[_begins(ordered)]


def number_distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each value its place among the different ones."""
    order = np.argsort(values, kind="stable")
    numbers = np.empty(len(values), np.int64)
    numbers[order] = np.cumsum(_begins(values[order])) - 1
    return numbers


def quantile_of(values: NDArray[np.float64], share: float) -> float:
    """The value below which this share of them lies, between two of them by how far it is from each."""
    place = share * (len(values) - 1)
    low = math.floor(place)
    ordered = np.partition(values, (low, min(low + 1, len(values) - 1)))
    below, above = float(ordered[low]), float(ordered[min(low + 1, len(values) - 1)])
    return below + (above - below) * (place - low)


def round_all(values: NDArray[np.float64], digits: int) -> list[float]:
    """As `round` does with each, in a fourth of the time."""
    scale = 10.0**digits
    scaled = values * scale
    found: list[float] = (np.rint(scaled) / scale).tolist()
    # a number half way between two may lie on either side of it once it was multiplied
    unsure = (np.abs(scaled - np.floor(scaled) - 0.5) < 1e-3) | (np.abs(scaled) >= 2**50)
    for place in np.flatnonzero(unsure).tolist():
        found[place] = round(float(values[place]), digits)
    return found


def _begins(ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where another value begins."""
    return np.concatenate([np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1]])
