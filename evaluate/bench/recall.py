"""Recall with the default recipe against one bare vector scan and one bare BM25 query, all in one run.

    python evaluate/bench/recall.py [--sizes 10000 100000] [--store DIR] [--json OUT]

Turns are made of words drawn by Zipf's law from a vocabulary of 30,000, twenty to a session, two speakers to a
conversation of ten sessions; their vectors lie around random centres. So nothing is embedded, and what is timed
is everything but the query's embedding. The bare scan is the index's ten nearest, the bare query FTS5's ten best
of the same words, straight from the database. All three take turns, query by query.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from engramma import Memory, Turn
from engramma.ingest.pipeline import Request, tie_of
from engramma.ingest.remember import remember_requests
from engramma.language.lexical import match_expression, terms
from engramma.language.times import to_micros
from engramma.store.store import SegmentRow

DIMENSION, VOCABULARY, QUERIES = 384, 30_000, 100
NOISE = np.float32(1.5)  # two turns around one centre are .31 alike: few edges, so the store is filled fast
START = datetime(2020, 1, 1, tzinfo=UTC)
LINKED = 200_000  # beyond it nothing is linked: filling would take too long
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Iris", "Jon")


class MadeUp:
    """Vectors around random centres, drawn from the text's own bytes: no model, the same every time."""

    name, sha256, dimension, edge_floor = "made up", "0" * 64, DIMENSION, 0.6

    def __init__(self) -> None:
        self.centres = np.random.default_rng(1).standard_normal((500, DIMENSION), dtype=np.float32)

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> NDArray[np.float32]:
        rows = np.empty((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            seed = zlib.crc32(text.encode())
            noise = np.random.default_rng(seed).standard_normal(DIMENSION, dtype=np.float32)
            row[...] = self.centres[seed % 500] + NOISE * noise
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def spoken(count: int, seed: int) -> Iterator[str]:
    """Sentences of eight to thirty words; a word's frequency falls with its number."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        numbers = np.minimum(random.zipf(1.15, random.integers(8, 31)), VOCABULARY)
        yield " ".join(f"w{number:x}q" for number in numbers)


def requests(segments: int, seed: int = 2) -> Iterator[Request]:
    said = spoken(segments, seed)
    for session in range(segments // 20):
        talk = session // 10
        pair = (NAMES[talk % 10], NAMES[(talk * 7 + 3) % 10])
        at = START + timedelta(hours=session * 5)
        turns = [Turn(pair[n % 2], next(said), at + timedelta(seconds=n), f"t{n}") for n in range(20)]
        yield Request(f"c{talk}", f"s{session}", turns)


def fill_bare(memory: Memory, segments: int) -> float:
    """Straight into the database, without drafts, edges and archive: a million turns in minutes."""
    began, store = time.perf_counter(), memory._core.store
    for group in batched(requests(segments), 25):
        with store.transaction():
            for request in group:
                first = to_micros(request.turns[0].said_at or START)
                names = {"conversation": request.conversation, "id": request.session}
                store.run("conversation_put", id=request.conversation, title=None, source=None)
                store.run("session_add", **names, started_at=first, captured_at=0)
                session = store.session(request.conversation, request.session)
                assert session is not None
                store.add_turns(session.key, 0, request.turns)
                texts = [f"{turn.speaker}: {turn.text}" for turn in request.turns]
                vectors = memory._core.embedder.embed(texts).astype(np.float16)
                ties = [tie_of(request.conversation, request.session, n) for n in range(len(texts))]
                rows = [SegmentRow(0, n, "utterance", n, n, first + n, tie) for n, tie in enumerate(ties)]
                store.add_segments(session.key, rows, vectors)
    return time.perf_counter() - began


def batched(rows: Iterator[Request], size: int) -> Iterator[list[Request]]:
    while group := list(islice(rows, size)):
        yield group


def fill(memory: Memory, segments: int) -> float:
    if segments > LINKED:
        return fill_bare(memory, segments)
    began, group = time.perf_counter(), list[Request]()
    for request in requests(segments):
        group.append(request)
        if len(group) == 200:
            remember_requests(memory._core, group)
            group = []
    remember_requests(memory._core, group)
    return time.perf_counter() - began


def asked() -> list[str]:
    """Questions of six words, one in three with a name, one in five with a date."""
    words = [" ".join(text.split()[:6]) for text in spoken(QUERIES, 3)]
    questions = []
    for number, text in enumerate(words):
        before = f"What did {NAMES[number % 10]} say about " if number % 3 == 0 else ""
        questions.append(f"{before}{text}{' in May 2021' if number % 5 == 0 else ''}?")
    return questions


def measure(memory: Memory, question: str) -> dict[str, float]:
    """Milliseconds of each of the three."""
    store, embedder = memory._core.store, memory._core.embedder
    vector = embedder.embed([question], "query")[0].astype(np.float16)
    index, _ = memory._core.live_index().fresh()
    match = match_expression(store.telling(terms(question)))
    began = time.perf_counter()
    index.search(vector, 10)
    scanned = time.perf_counter()
    store.all("words_bare", match=match, limit=10)
    read = time.perf_counter()
    found = memory.recall(question)
    ended = time.perf_counter()
    embedding = found.trace.timings_ms["embed"]
    return {
        "vector scan": (scanned - began) * 1e3,
        "bm25": (read - scanned) * 1e3,
        "recall": (ended - read) * 1e3 - embedding,
        **{f"stage {name}": value for name, value in found.trace.timings_ms.items() if name != "embed"},
    }


def bench(size: int, folder: Path) -> dict[str, Any]:
    with Memory.open(folder / str(size), embedder=MadeUp()) as memory:
        took = 0.0 if memory.sessions() else fill(memory, size)
        questions = asked()
        for question in questions[:10]:
            measure(memory, question)
        rows = [measure(memory, question) for question in questions]
    figures: dict[str, Any] = {"segments": size, "filled_s": round(took, 1)}
    for name in sorted({name for row in rows for name in row}):
        values = [row.get(name, 0.0) for row in rows]
        figures[name] = {"p50": round(float(np.median(values)), 2), "p95": round(float(np.quantile(values, 0.95)), 2)}
    bare = figures["vector scan"]["p95"] + figures["bm25"]["p95"]
    figures["ratio_p95"] = round(figures["recall"]["p95"] / bare, 2)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--store", type=Path, help="keep the stores here; a second run fills nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        rows = [bench(size, options.store or Path(made)) for size in options.sizes]
    table = Table("segments", "vector scan p95", "bm25 p95", "recall p50", "recall p95", "ratio")
    for row in rows:
        table.add_row(
            f"{row['segments']:,}",
            *(f"{row[name][part]:.1f} ms" for name, part in BARE),
            f"{row['ratio_p95']:.2f}",
        )
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), "utf-8")


BARE = (("vector scan", "p95"), ("bm25", "p95"), ("recall", "p50"), ("recall", "p95"))


if __name__ == "__main__":
    main()
