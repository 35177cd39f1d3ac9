"""One-bit codes of vectors, and the scan over them that proposes candidates in a large index.

Two vectors that point the same way agree in the signs of most dimensions, so the Hamming distance
of their sign codes orders rows roughly as similarity does, at a thirtieth of the bytes.
"""

from __future__ import annotations

import faiss
import numpy as np
from numpy.typing import NDArray

from .index import Vectors
from .workers import Span, spans, spread

Codes = NDArray[np.uint8]
RowNumbers = NDArray[np.int64]

# faiss unrolls Hamming distances of these widths: 64 bytes are scanned 1.6 times as fast as 48, for
# which it falls back to a generic loop. The bits this leaves over carry the signs of sums of
# dimensions: on 60,000 embedded sentences they halved what the scan missed.
FAST_WIDTHS = (8, 16, 32, 64)

# faiss's counting variant reserves 8 bytes x bits x candidates a query (16 MB for 512 and 4,000).
QUERIES_A_CALL = 4

# Fewer codes than this are scanned sooner than a second thread wakes up.
CODES_A_WORKER = 16_384

# Rows of float16 at once where a whole array is turned into bits: bounds the temporaries.
CHUNK = 16_384

# When less than this share of the candidates stands below the last distance, most of them tie there:
# whole runs of rows share a code (repeats of one text), and then all of the tie are candidates.
LEAST_SHARE = 0.5


def sign_code(vectors: Vectors) -> Codes:
    """One bit a dimension, set where it is positive: (n, d) vectors give (n, ceil(d / 8)) bytes."""
    return np.packbits(np.asarray(vectors) > 0, axis=-1)


def scan_width(dimension: int) -> int:
    """Bytes of a scan code: those of the sign code, rounded up to a width that faiss scans fast."""
    needed = -(-dimension // 8)
    return next((width for width in FAST_WIDTHS if width >= needed), -(-needed // 8) * 8)


def scan_code(vectors: Vectors) -> Codes:
    """The sign code, filled up to the scan width with the signs of x + y and x - y of neighbours.

    The sign of a rounded sum is that of the exact one, so the same vector always has the same code.
    """
    count, dimension = vectors.shape
    codes = np.zeros((count, scan_width(dimension)), dtype=np.uint8)
    pairs = min((codes.shape[1] * 8 - dimension) // 2, dimension // 2)
    for start in range(0, count, CHUNK):
        part = vectors[start : start + CHUNK]
        x = part[:, 0 : 2 * pairs : 2].astype(np.float32)
        y = part[:, 1 : 2 * pairs : 2].astype(np.float32)
        bits = np.packbits(np.hstack((part > 0, x + y > 0, x - y > 0)), axis=1)
        codes[start : start + CHUNK, : bits.shape[1]] = bits
    return codes


def nearest_codes(codes: Codes, queries: Codes, count: int) -> list[RowNumbers]:
    """About `count` rows of the smallest Hamming distance to each query, as sorted row numbers.

    Rows tied at the last distance are left out, all of them, because which of them a scan meets first
    depends on how the work is split; the candidates so depend on nothing but the codes.
    """
    if count >= len(codes):
        return [np.arange(len(codes), dtype=np.int64) for _ in queries]
    found: list[RowNumbers] = []
    for start in range(0, len(queries), QUERIES_A_CALL):
        some = np.ascontiguousarray(queries[start : start + QUERIES_A_CALL])
        distances, rows = _scan(codes, some, count)
        last = np.partition(distances, count - 1, axis=1)[:, count - 1]
        for query in range(len(some)):
            nearer = rows[query][distances[query] < last[query]]
            if len(nearer) < count * LEAST_SHARE:
                nearer = _at_most(codes, some[query], int(last[query]))
            found.append(np.sort(nearer))
    return found


def _scan(codes: Codes, queries: Codes, count: int) -> tuple[NDArray[np.int32], RowNumbers]:
    """Distances and rows of the nearest codes in each worker's part, side by side and in no order."""

    def scan(span: Span) -> tuple[NDArray[np.int32], RowNumbers]:
        part = codes[slice(*span)]
        distances, rows = faiss.knn_hamming(queries, part, min(count, len(part)), variant="mc")
        return distances, rows + span[0]

    parts = spread(scan, spans(len(codes), CODES_A_WORKER))
    return np.hstack([distances for distances, _ in parts]), np.hstack([rows for _, rows in parts])


def _at_most(codes: Codes, query: Codes, distance: int) -> RowNumbers:
    """Every row within a Hamming distance: slower than faiss's scan, for the rare long ties."""
    words, wanted = codes.view(np.uint64), query.view(np.uint64)
    near = []
    for start in range(0, len(words), CHUNK):
        apart = np.bitwise_count(words[start : start + CHUNK] ^ wanted).sum(axis=1, dtype=np.int32)
        near.append(np.flatnonzero(apart <= distance) + start)
    return np.concatenate(near)
