"""What an index must answer: every row, summed in float64, sorted in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float16]


def unit(values: NDArray[np.float32]) -> Vector:
    """Rows scaled to length one, as float16."""
    return (values / np.linalg.norm(values, axis=-1, keepdims=True)).astype(np.float16)


def clustered(count: int, dimension: int, *, clusters: int, seed: int = 0, noise: float = 0.8) -> Vector:
    """Unit vectors around random centres, `noise` long on average; alike only within a cluster."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((clusters, dimension), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    spread = random.standard_normal((count, dimension), dtype=np.float32) * (noise / dimension**0.5)
    return unit(centres[random.integers(0, clusters, count)] + spread)


def similarity(one: Vector, other: Vector) -> float:
    return float(one.astype(np.float64) @ other.astype(np.float64))


def nearest(rows: Mapping[int, Vector], query: Vector, k: int | None = None) -> list[tuple[int, float]]:
    """All rows (or the first k) by similarity and then by key."""
    found = [(key, similarity(vector, query)) for key, vector in rows.items()]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def pairs(answer: tuple[NDArray[np.int64], NDArray[np.float64]]) -> list[tuple[int, float]]:
    """An index's answer in the shape of `nearest`."""
    keys, similarities = answer
    return list(zip(keys.tolist(), similarities.tolist(), strict=True))


def keys_of(keys: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(keys, dtype=np.int64)
