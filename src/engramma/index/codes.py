"""One-bit codes of vectors, and the scan over them that proposes candidates in a large index.

Two vectors that point the same way agree in the signs of most dimensions, so the number of signs in
which they differ (the Hamming distance) orders rows roughly as similarity does, at a fraction of the
bytes. Every row is judged by a short code of 256 signs; those it lets through, by all their signs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .vector_index import Vectors
from .workers import in_chunks

Codes = NDArray[np.uint8]
RowNumbers = NDArray[np.int64]
Distances = NDArray[np.integer[Any]]

# Bits of a short code, in whole words of 64. With faiss 32 bytes take 4.6 ns a row and the 48 of a whole sign code 8.9,
# with numpy 13 and 24 (docs/log/diet.md). On 60,000 embedded sentences the 2,000 nearest short
# codes held .999 of the ten nearest vectors.
SHORT_BITS = 256
SHORT_WIDTHS = (8, 16, 32)

# The scan keeps what lies within a radius, which is read off a sample: runs of rows, evenly spaced (single
# rows would each miss the cache). More rows than wanted are aimed at, as a sample errs by a fifth.
SAMPLE_RUNS = 128
SAMPLE_RUN = 32
SAMPLE_AIM = 1.5

# Rows a thread scans before it takes the next: less than half a millisecond.
SCAN_CHUNK = 131_072

# Bytes of which faiss counts the differing bits at once, on some processors in a byte.
BLOCK = 32

# Rows turned into bits, or compared without faiss, at once: bounds the temporaries.
CHUNK = 16_384


def sign_code(vectors: NDArray[np.floating[Any]]) -> Codes:
    """One bit a dimension, set where it is positive: (n, d) vectors give (n, ceil(d / 8)) bytes."""
    given = np.asarray(vectors)
    # The bits of a positive float16 are those of a positive int16, which numpy compares 40 times as fast.
    positive = given.view(np.int16) > 0 if given.dtype == np.float16 else given > 0
    return np.packbits(positive, axis=-1)


def long_width(dimension: int) -> int:
    """Bytes of a sign code in memory: whole words of 8."""
    return -(-dimension // 64) * 8


def short_width(dimension: int) -> int:
    """Bytes of a short code: for SHORT_BITS or for all dimensions, whichever is less."""
    return next(width for width in SHORT_WIDTHS if width * 8 >= min(dimension, SHORT_BITS))


def long_code(vectors: Vectors) -> Codes:
    """The sign codes of vectors, in whole words."""
    codes = np.zeros((len(vectors), long_width(vectors.shape[1])), dtype=np.uint8)
    for start in range(0, len(vectors), CHUNK):
        bits = sign_code(vectors[start : start + CHUNK])
        codes[start : start + CHUNK, : bits.shape[1]] = bits
    return codes


def short_code(vectors: Vectors) -> Codes:
    """The sign codes of vectors folded to SHORT_BITS dimensions: number 256 is added to 0, 257 to 1.

    A folded dimension has something of all that went into it, so no part of a vector is ignored.
    """
    count, dimension = vectors.shape
    codes = np.zeros((count, short_width(dimension)), dtype=np.uint8)
    for start in range(0, count, CHUNK):
        part = vectors[start : start + CHUNK]
        folded = part[:, :SHORT_BITS].astype(np.float32)
        for fold in range(SHORT_BITS, dimension, SHORT_BITS):
            more = part[:, fold : fold + SHORT_BITS]
            folded[:, : more.shape[1]] += more
        bits = sign_code(folded)
        codes[start : start + CHUNK, : bits.shape[1]] = bits
    return codes


def proposed(shorts: Codes, longs: Codes, query: Vectors, count: int) -> RowNumbers:
    """At least `count` rows (all, if there are fewer) for one query, those of the nearest codes first.

    At the same distance they stand in row order; threads have no influence on what is proposed.
    """
    near, distances = _nearest(shorts, short_code(query[None])[0], count)
    distances += _distances(longs.take(near, axis=0), long_code(query[None])[0])
    return near.take(np.argsort(distances.astype(np.uint16), kind="stable"))  # a radix sort at 16 bits


def _nearest(shorts: Codes, query: Codes, count: int) -> tuple[RowNumbers, Distances]:
    """The rows whose short codes lie within a radius that takes in `count` of them; in row order."""
    sample = np.sort(_distances(_sample(shorts), query))
    rank = SAMPLE_AIM * count * len(sample) / len(shorts)
    while True:
        radius = int(sample[int(rank)]) if rank < len(sample) else query.size * 8
        near, distances = _within(shorts, query, radius)
        if len(near) >= min(count, len(shorts)):
            return near, distances
        rank = max(rank, 1.0) * SAMPLE_AIM


def _within(shorts: Codes, query: Codes, radius: int) -> tuple[RowNumbers, Distances]:
    def scan(chunk: slice) -> tuple[RowNumbers, Distances]:
        distances = _distances(shorts[chunk], query)
        near = np.flatnonzero(distances <= radius)
        return near + chunk.start, distances.take(near)

    parts = in_chunks(scan, len(shorts), SCAN_CHUNK)
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([values for _, values in parts])


def _sample(shorts: Codes) -> Codes:
    step = len(shorts) // SAMPLE_RUNS
    if step <= SAMPLE_RUN:
        return shorts
    runs = shorts[: step * SAMPLE_RUNS].reshape(SAMPLE_RUNS, step, -1)[:, :SAMPLE_RUN]
    return runs.reshape(SAMPLE_RUNS * SAMPLE_RUN, -1)


def _distances(codes: Codes, query: Codes) -> Distances:
    """The Hamming distance of one code to each of many."""
    query, codes = np.ascontiguousarray(query), np.ascontiguousarray(codes)  # bare pointers, or words of 64 bits
    faiss = faiss_library()
    return _counted(codes, query) if faiss is None else _hammings(faiss, codes, query)


@cache
def faiss_library() -> Any:
    """faiss, or None where the extra is not installed. It only counts faster; what it counts is the same."""
    try:
        import faiss
    except ImportError:
        return None
    return faiss


def _hammings(faiss: Any, codes: Codes, query: Codes) -> NDArray[np.int32]:
    """Distances counted by faiss, and again by numpy where faiss may have lost some."""
    found = _hammings_as_given(faiss, codes, query)
    if query.size >= BLOCK and _loses_blocks():
        doubtful = np.flatnonzero(found <= 8 * (query.size - BLOCK))
        found[doubtful] = _counted(np.ascontiguousarray(codes[doubtful]), query)
    return found


@cache
def _loses_blocks() -> bool:
    """Whether faiss counts in bytes, as it does on ARM: 256 bits that differ in a block of 32 bytes are none to it."""
    full = np.full((1, BLOCK), 255, np.uint8)
    return int(_hammings_as_given(faiss_library(), full, np.zeros(BLOCK, np.uint8))[0]) != 8 * BLOCK


def _hammings_as_given(faiss: Any, codes: Codes, query: Codes) -> NDArray[np.int32]:
    # Distances of all pairs; faiss has it, its type stubs do not. Unlike faiss's searches it starts no OpenMP threads,
    # which would spin when they are done and take the cores from whatever comes next (a scoring of 0.5 ms became 8 ms).
    found = np.empty(len(codes), dtype=np.int32)
    pointers = [faiss.swig_ptr(array) for array in (query, codes, found)]
    vars(faiss)["hammings"](pointers[0], pointers[1], 1, len(codes), codes.shape[1], pointers[2])
    return found


def _counted(codes: Codes, query: Codes) -> NDArray[np.uint16]:
    words, many = query.size // 8, len(codes)
    asked = np.tile(query.view(np.uint64), min(CHUNK, many))  # over and over: numpy is slow at rows of four words
    other, bits = np.empty_like(asked), np.empty(asked.size, np.uint8)
    found = np.zeros(many, np.uint16)
    flat = codes.view(np.uint64).reshape(-1)
    for start in range(0, many, CHUNK):
        part = found[start : start + CHUNK]
        size = len(part) * words
        np.bitwise_xor(flat[start * words : start * words + size], asked[:size], out=other[:size])
        np.bitwise_count(other[:size], out=bits[:size])
        for word in range(words):
            part += bits[word:size:words]
    return found
