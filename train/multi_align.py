"""Which English words a word goes with: IBM's first model over sentence pairs, all of a language at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST = 30  # words of a sentence that takes part
PRIME = np.uint64(1_000_003)
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Words:
    """Sentences as numbers of words, and each word's token ids."""

    rows: Ints  # word numbers, flat
    offsets: Ints  # of sentences in `rows`
    tokens: list[tuple[int, ...]]  # by word number


def worded(ids: Ints, offsets: Ints, is_start: NDArray[np.bool_], is_left_out: NDArray[np.bool_]) -> Words:
    """Pieces joined to words: a word begins at a token that `is_start`, or with its sentence."""
    begins = is_start[ids].copy()
    begins[offsets[:-1][offsets[:-1] < len(ids)]] = True
    starts = np.flatnonzero(begins)
    if not len(starts):
        return Words(np.zeros(0, np.int64), np.zeros(len(offsets), np.int64), [])
    place = np.arange(len(ids)) - np.repeat(starts, np.diff([*starts, len(ids)]))
    power = np.cumprod(np.full(int(place.max()) + 1, PRIME, np.uint64))
    keys = np.add.reduceat((ids.astype(np.uint64) + np.uint64(1)) * power[place], starts)
    _, first, rows = np.unique(keys, return_index=True, return_inverse=True)
    ends = np.append(starts[1:], len(ids))
    tokens = [tuple(int(token) for token in ids[starts[word] : ends[word]]) for word in first]
    kept = ~is_left_out[ids[starts]]
    counts = np.concatenate([[0], np.cumsum(kept)])
    return Words(rows[kept], counts[np.searchsorted(starts, offsets)], tokens)


def aligned(words: Words, english: Words, rounds: int = 5) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Expected counts of pairs (word, English word), as three arrays."""
    many, few = np.diff(words.offsets), np.diff(english.offsets)
    rows = np.flatnonzero((many > 0) & (few > 0) & (many <= LONGEST) & (few <= LONGEST))
    sizes = many[rows] * few[rows]
    sentence = np.repeat(np.arange(len(rows)), sizes)
    step = np.arange(len(sentence)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    left = words.rows[words.offsets[rows][sentence] + step // few[rows][sentence]]
    spot = english.offsets[rows][sentence] + step % few[rows][sentence]
    right = english.rows[spot]
    keys, where = np.unique(left * len(english.tokens) + right, return_inverse=True)
    first, second = keys // len(english.tokens), keys % len(english.tokens)
    chance = np.ones(len(keys))
    counts: NDArray[np.float64] = chance
    for _ in range(rounds):
        weight = chance[where]
        weight /= np.bincount(spot, weight, len(english.rows))[spot]
        counts = np.bincount(where, weight, len(keys)).astype(np.float64)
        chance = counts / np.bincount(first, counts)[first]
    return first, second, counts


def best(
    first: Ints, second: Ints, counts: NDArray[np.float64], least: float = 0.05
) -> dict[int, list[tuple[int, float]]]:
    """Each word's English words with their shares, those with a share of `least` or more."""
    share = counts / np.bincount(first, counts)[first]
    found: dict[int, list[tuple[int, float]]] = {}
    for place in np.flatnonzero(share >= least):
        found.setdefault(int(first[place]), []).append((int(second[place]), float(share[place])))
    return found


def dictionary(
    first: Ints, second: Ints, counts: NDArray[np.float64], size: int, least: float = 0.3, most: int = 3
) -> dict[int, list[int]]:
    """English word -> words, where both go with each other."""
    there = counts / np.bincount(first, counts)[first]
    back = counts / np.bincount(second, counts, size)[second]
    score = np.sqrt(there * back)
    found: dict[int, list[int]] = {}
    for place in np.argsort(-score):
        if score[place] < least:
            break
        row = found.setdefault(int(second[place]), [])
        if len(row) < most and counts[place] >= 1.5:
            row.append(int(first[place]))
    return {word: row for word, row in found.items() if row}


def flat(rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Lists of ids as one array and offsets."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return np.fromiter((token for row in rows for token in row), np.int64, int(offsets[-1])), offsets
