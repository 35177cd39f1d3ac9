"""Search in the default index against a float32 scan with numpy, both in one run.

    python evaluate/bench/index.py [--sizes 100000 1000000] [--vectors FILE.npy] [--json OUT]

Without --vectors the rows are made: unit vectors of 384 dimensions around random centres, 200 to a centre,
with noise of 0.8 of a centre's length, which makes two of one centre about .61 alike (embedded sentences
on one subject are .5 to .7); queries are drawn the same way. The scan is `matrix @ query` and the ten
best by argpartition, with the threads BLAS takes by default. Query by query the two take turns, so what
disturbs one disturbs the other; the threads of BLAS spin for a while after each scan and leave the index
one core less, so it is also timed alone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from engramma.index.scan import FaissIndex

DIMENSION = 384
ROWS_A_CENTRE = 200
NOISE = 0.8
QUERIES = 100
K = 10
CHUNK = 50_000
NAMESPACE = 300
SETTLE_S = 1.0  # BLAS threads have stopped spinning by then

Half = NDArray[np.float16]
Single = NDArray[np.float32]


def made(count: int, seed: int = 0) -> Half:
    """Clustered unit vectors, a chunk at a time so that no float32 copy of all of them is needed."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(50, count // ROWS_A_CENTRE), DIMENSION), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    rows = np.empty((count, DIMENSION), dtype=np.float16)
    for start in range(0, count, CHUNK):
        part = rows[start : start + CHUNK]
        noise = random.standard_normal(part.shape, dtype=np.float32) * np.float32(NOISE / DIMENSION**0.5)
        noise += centres[random.integers(0, len(centres), len(part))]
        part[...] = noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return rows


def read(path: Path) -> Half:
    """Embeddings from a file, scaled to length one, in an order without runs of one subject."""
    given = np.load(path).astype(np.float32)
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    rows: Half = given[np.random.default_rng(0).permutation(len(given))].astype(np.float16)
    return rows


def scan(matrix: Single, query: Single) -> NDArray[np.intp]:
    scores = matrix @ query
    return np.argpartition(-scores, K)[:K]


def truth(matrix: Single, query: Half) -> set[int]:
    """The ten nearest, exactly: the best of float32 with room for its error, decided in float64."""
    near = np.argpartition(-(matrix @ query.astype(np.float32)), 10 * K)[: 10 * K]
    exact = matrix[near].astype(np.float64) @ query.astype(np.float64)
    return set(near[np.lexsort((near, -exact))[:K]].tolist())


def timed(work: Callable[..., Any], *given: Any, **named: Any) -> tuple[float, Any]:
    """Milliseconds of a call, and what it returned."""
    begin = time.perf_counter()
    found = work(*given, **named)
    return (time.perf_counter() - begin) * 1000, found


def compare(rows: Half, queries: Half) -> dict[str, Any]:
    """Times, recall and memory of the two over the same rows."""
    index = FaissIndex(rows.shape[1])
    add_ms, _ = timed(index.add, np.arange(len(rows)), rows)
    matrix = rows.astype(np.float32)
    singles = queries.astype(np.float32)
    for query, single in zip(queries[:5], singles, strict=False):  # warm up
        scan(matrix, single)
        index.search(query, K)
    scans, searches, shares = [], [], []
    for query, single in zip(queries, singles, strict=True):
        scans.append(timed(scan, matrix, single)[0])
        took, (keys, _) = timed(index.search, query, K)
        searches.append(took)
        shares.append(len(truth(matrix, query) & set(keys.tolist())) / K)
    time.sleep(SETTLE_S)
    alone = [timed(index.search, query, K)[0] for query in queries]
    scan_ms, search_ms, alone_ms = (float(np.median(times)) for times in (scans, searches, alone))
    held = index.rows
    arrays = (held.room_keys, held.room_shorts, held.room_longs, held.room_slots, held.tail, held.floats)
    return {
        "rows": len(rows),
        "queries": len(queries),
        "scan_p50_ms": round(scan_ms, 3),
        "search_p50_ms": round(search_ms, 3),
        "search_p95_ms": round(float(np.quantile(searches, 0.95)), 3),
        "search_alone_p50_ms": round(alone_ms, 3),
        "times_faster": round(scan_ms / search_ms, 2),
        "times_faster_alone": round(scan_ms / alone_ms, 2),
        "recall_at_10": round(float(np.mean(shares)), 4),
        "scan_mb": round(matrix.nbytes / 1e6),
        "index_mb": round(sum(array.nbytes for array in arrays if array is not None) / 1e6),
        "add_rows_per_s": round(len(rows) / add_ms * 1000),
    }


def namespace_is_exact(rows: Half, queries: Half) -> dict[str, Any]:
    """A namespace of a few among many: the index and a sort of its rows agree, bit for bit."""
    index = FaissIndex(rows.shape[1])
    index.add(np.arange(len(rows)), rows)
    own = np.sort(np.random.default_rng(1).choice(len(rows), NAMESPACE, replace=False))
    equal, times = 0, []
    for query in queries:
        exact = rows[own].astype(np.float64) @ query.astype(np.float64)
        order = np.lexsort((own, -exact))[:K]
        took, (keys, similarities) = timed(index.search, query, K, allowed=own)
        times.append(took)
        equal += bool(np.array_equal(keys, own[order]) and np.array_equal(similarities, exact[order]))
    return {
        "rows": len(rows),
        "namespace": NAMESPACE,
        "queries": len(queries),
        "equal": equal,
        "search_p50_ms": round(float(np.median(times)), 3),
    }


def run(sizes: list[int], vectors: Path | None = None) -> dict[str, Any]:
    """Every figure of this script."""
    figures: dict[str, Any] = {"sizes": []}
    if vectors is not None:
        rows = read(vectors)
        figures["vectors"] = compare(rows[QUERIES:], rows[:QUERIES])
    for size in sizes:
        rows = made(size + QUERIES)
        figures["sizes"].append(compare(rows[:size], rows[size:]))
    rows = made(100_000 + QUERIES)
    figures["namespace"] = namespace_is_exact(rows[:-QUERIES], rows[-QUERIES:])
    return figures


def show(figures: dict[str, Any]) -> None:
    table = Table(title="search for the ten nearest, p50")
    for heading in ("rows", "numpy", "index", "faster", "alone", "recall@10", "memory"):
        table.add_column(heading, justify="right")
    measured = figures["sizes"] + ([figures["vectors"]] if "vectors" in figures else [])
    for row in measured:
        table.add_row(
            f"{row['rows']:,}",
            *(f"{row[name]:.2f} ms" for name in ("scan_p50_ms", "search_p50_ms")),
            *(f"{row[name]:.1f}x" for name in ("times_faster", "times_faster_alone")),
            f"{row['recall_at_10']:.4f}",
            f"{row['index_mb']:,} MB",
        )
    namespace = figures["namespace"]
    console = Console()
    console.print(table)
    console.print(
        f"{namespace['namespace']} rows among {namespace['rows']:,}: {namespace['equal']} of"
        f" {namespace['queries']} answers equal the exact ones, {namespace['search_p50_ms']} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000], help="rows in the index")
    parser.add_argument("--vectors", type=Path, help="embeddings of your own, an array of rows")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    figures = run(options.sizes, options.vectors)
    show(figures)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
