"""Measures which similarities are typical in a store, from sampled segments with and without their neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..store.store import Store, encode_keys
from .place_table import KeptPlaces
from .windows import Near

# A turn of talk is understood with those around it: how much of each goes into its vector.
AROUND = {-1: 0.5, 1: 0.3, -2: 0.3}
USUAL = 10  # as many segments may be as near, or have as many of a question's words, without standing out
LOOKED_AT = 4_000  # characters of a text: the rest of a pasted page tells no more about its kind


Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Background:
    """Sampled segments: their vectors, alone and with those around them, and how long they are."""

    alone: NDArray[np.float64]
    around: NDArray[np.float64]
    length_mean: float
    length_sd: float


class SegmentWords(NamedTuple):
    """A segment's words and who spoke them."""

    text: str
    speakers: frozenset[str]


def background(store: Store, places: KeptPlaces, index: VectorIndex, keys: NDArray[np.int64]) -> Background:
    """What is ordinary here, from sampled segments."""
    if not len(keys):
        return Background(np.zeros((0, 1)), np.zeros((0, 1)), 0.0, 1.0)
    near = places.near_to(index, keys.tolist())
    alone, around = with_surroundings(near, index, near.rows_of(keys))
    lengths = np.array([length(said.text) for said in said_by(store, keys.tolist()).values()] or [0.0])
    spread = max(float(lengths.std()), 0.1)
    return Background(alone.astype(np.float64), around.astype(np.float64), float(lengths.mean()), spread)


def with_surroundings(
    near: Near, index: VectorIndex, rows: NDArray[np.int64], is_near: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors of some rows, and each with a share of those around it, if they are near, at unit length."""
    beside = [near.at(rows, step) for step in AROUND]
    if is_near is not None:
        beside = [np.where(is_near[other], other, -1) for other in beside]
    is_needed = np.zeros(len(near.keys) + 1, bool)  # the last one is for those whom nobody is beside: -1
    for some in (rows, *beside):
        is_needed[some] = True
    is_needed[-1] = False
    place = np.cumsum(is_needed) - 1  # of a row among those that are needed
    vectors = index.singles(near.keys[is_needed[:-1]])
    alone, lean = vectors.take(place[rows], axis=0), near.leaning[rows]
    mixed = alone.copy()
    for share, other in zip(AROUND.values(), beside, strict=True):
        added = vectors.take(place[other], axis=0)
        added *= (share * lean * (other >= 0)).astype(np.float32)[:, None]
        mixed += added
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), np.float32(1e-9))
    return alone, mixed


def mixed_vectors(
    near: Near, index: VectorIndex, rows: NDArray[np.int64], found: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The vectors of some rows, each with a share of those around it that are within reach of what was found; of a
    whole namespace they are kept."""
    if near.learnt is None:
        return with_surroundings(near, index, rows)[1]
    is_near = near.reached(found)
    if (kept := near.mixed) is None:
        return with_surroundings(near, index, rows, is_near)[1]
    is_short = np.zeros(len(rows), bool)
    for step in AROUND:
        other = near.at(rows, step)
        is_short |= (other >= 0) & ~is_near[other]
    places = np.where(is_short, rows + len(near.keys), rows)
    is_new = ~kept.is_made.take(places)
    if is_new.any():
        kept.vectors[places[is_new]] = with_surroundings(near, index, rows[is_new], is_near)[1]
        kept.is_made[places[is_new]] = True
    return kept.vectors.take(places, axis=0)


def said_by(store: Store, keys: Sequence[int]) -> dict[int, SegmentWords]:
    """The words of some segments, in the order of the keys; none of one whose turns are hidden."""
    turns: dict[int, list[tuple[str, str]]] = {key: [] for key in keys}
    for key, speaker, text in store.all("words_by_segments", keys=encode_keys(sorted(turns))):
        turns[key].append((speaker, text))
    return {
        key: SegmentWords("\n".join([text for _, text in said]), frozenset([speaker for speaker, _ in said]))
        for key, said in turns.items()
    }


def length(text: str) -> float:
    return math.log1p(text.count(" ", 0, LOOKED_AT) + 1)


def ordinary(sample: NDArray[np.float64], vector: NDArray[np.float32]) -> tuple[float, float]:
    """The mean and the spread of a query's similarity to sampled segments."""
    if not len(sample):
        return 0.0, 1.0
    similarities = likeness(sample, vector)
    return float(similarities.mean()), max(float(similarities.std()), 1e-3)


def above_usual(values: Values) -> Values:
    """By how much each value is above the tenth best."""
    found: Values = np.maximum(0.0, values - np.sort(values)[-min(USUAL, len(values))])
    return found


def likeness(vectors: NDArray[np.floating[Any]], vector: NDArray[np.float32]) -> Values:
    """Cosines in full precision: the same on every machine, and wherever among the others a segment stands."""
    return vectors.astype(np.float64, copy=False) @ vector.astype(np.float64)
