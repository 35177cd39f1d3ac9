"""Measures which similarities are typical in a store, from sampled segments with and without their neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..store.store import Store, encode_keys
from .windows import Near, near_to

# A turn of talk is understood with those around it: how much of each goes into its vector.
AROUND = {-1: 0.5, 1: 0.3, -2: 0.3}
EXCHANGE = 0.2  # an exchange brings its own context: what stands around it counts by this much
LOOKED_AT = 4_000  # characters of a text: the rest of a pasted page tells no more about its kind


@dataclass(frozen=True, slots=True)
class Background:
    """Sampled segments: their vectors, alone and with those around them, and how long they are."""

    alone: NDArray[np.float32]
    around: NDArray[np.float32]
    length_mean: float
    length_sd: float


@dataclass(frozen=True, slots=True)
class SegmentWords:
    """A segment's words and who spoke them."""

    text: str
    speakers: frozenset[str]


def background(store: Store, index: VectorIndex, keys: NDArray[np.int64]) -> Background:
    """What is ordinary here, from sampled segments."""
    if not len(keys):
        return Background(np.zeros((0, 1), np.float32), np.zeros((0, 1), np.float32), 0.0, 1.0)
    near = near_to(store, index, keys.tolist())
    rows = near.rows_of(keys)
    lengths = np.array([length(said.text) for said in said_by(store, keys.tolist()).values()] or [0.0])
    around = surrounded(near)
    return Background(near.vectors[rows], around[rows], float(lengths.mean()), max(float(lengths.std()), 0.1))


def leaning(near: Near) -> NDArray[np.float64]:
    """How much a segment leans on what stands around it: an utterance in full, an exchange little."""
    return np.where(near.is_exchange, EXCHANGE, 1.0)


def surrounded(near: Near) -> NDArray[np.float32]:
    """Each segment's vector with a share of those around it, at unit length."""
    mixed = near.vectors.copy()
    for step, share in AROUND.items():
        mixed += (share * leaning(near)).astype(np.float32)[:, None] * near.shifted(near.vectors, step)
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9), np.float32)


def said_by(store: Store, keys: Sequence[int]) -> dict[int, SegmentWords]:
    texts: dict[int, list[str]] = {key: [] for key in keys}
    speakers: dict[int, set[str]] = {key: set() for key in keys}
    for row in store.all("turns_by_segments", keys=encode_keys(sorted(texts))):
        texts[row["key"]].append(row["text"])
        speakers[row["key"]].add(row["speaker"])
    return {key: SegmentWords("\n".join(texts[key]), frozenset(speakers[key])) for key in texts}


def length(text: str) -> float:
    return math.log1p(text.count(" ", 0, LOOKED_AT) + 1)
