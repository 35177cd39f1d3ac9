"""Stores for a benchmark: built once through the importer that users have, and found again in a cache."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..config.version import __version__
from ..errors import UnreadableSource
from ..memory import Memory
from ..models.embed import Embedder
from ..records import Turn
from ..sources import engramma_jsonl
from .metrics import percentile
from .task import BenchmarkStore, Task

PACKAGE = Path(__file__).parent.parent
DONE = "complete"  # a file beside the store: everything is in it
LAG_TRIALS = 5
PROBE = "The spare key to the lighthouse is under the third blue flowerpot, number {number}."
PROBE_QUESTION = "Where is the spare key to the lighthouse, number {number}?"

Told = Callable[[int], None]  # told how many turns were remembered since the last call


@dataclass(frozen=True, slots=True)
class BuiltStores:
    """A directory with one namespace per store, and its figures."""

    folder: Path
    stores: int
    turns: int
    segments: int
    bytes: int


@contextmanager
def open_workplace(cache: Path | None) -> Iterator[Path]:
    """The cache's folder, or one that is gone afterwards."""
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        yield cache
        return
    with tempfile.TemporaryDirectory(prefix="engramma-eval-") as folder:
        yield Path(folder)


def build_stores(
    task: Task, layout: str, stores: Sequence[BenchmarkStore], embedder: Embedder, place: Path, told: Told
) -> BuiltStores:
    """Remember every store in a namespace of its own, all in one directory. What is there already stays."""
    folder = place / f"{task.name}-{layout}-{_fingerprint(stores, embedder)}"
    if (folder / DONE).exists():
        told(sum(store.turns for store in stores))
    else:
        for store in stores:
            remember(store, folder, embedder, told)
        (folder / DONE).touch()
    segments = 0
    for store in stores:
        with Memory.open(folder, store.name, embedder=embedder) as memory:
            segments += memory.stats()["segments"]
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return BuiltStores(folder, len(stores), sum(store.turns for store in stores), segments, size)


def remember(store: BenchmarkStore, folder: Path, embedder: Embedder, told: Told) -> None:
    with tempfile.TemporaryDirectory() as work, Memory.open(folder, store.name, embedder=embedder) as memory:
        path = Path(work) / "talks.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(engramma_jsonl.write_export_lines(store.conversations, store.name))
        report = memory.import_(path, progress=lambda turns, _: told(turns))
    if report.problems:
        first = report.problems[0]
        raise UnreadableSource(
            f"{len(report.problems)} records cannot be remembered; the first: {first.where}: {first.reason}"
        )


def _fingerprint(stores: Sequence[BenchmarkStore], embedder: Embedder) -> str:
    """What a built store depends on: the talks, the model, and the code that writes."""
    hasher = hashlib.sha256(f"{__version__} {embedder.sha256}".encode())
    for part in ("ingest", "store", "index"):
        for path in sorted([*(PACKAGE / part).rglob("*.py"), *(PACKAGE / part).rglob("*.sql")]):
            hasher.update(path.read_bytes())
    for store in stores:
        hasher.update(store.name.encode())
        for line in engramma_jsonl.write_export_lines(store.conversations, store.name):
            hasher.update(line.encode())
    return hasher.hexdigest()[:16]


def write_to_readable(built: BuiltStores, largest: BenchmarkStore, embedder: Embedder) -> dict[str, float]:
    """Seconds from handing over a session until a recall has brought it back, on a copy of the largest store."""
    seconds, missed = [], 0
    with tempfile.TemporaryDirectory(prefix="engramma-eval-") as work:
        copy = Path(work) / "store"
        shutil.copytree(built.folder, copy)
        with Memory.open(copy, largest.name, embedder=embedder) as memory:
            memory.recall("warm", recipe="vector")
            said_at = max(t.said_at for c in largest.conversations for s in c.sessions for t in s.turns if t.said_at)
            for number in range(LAG_TRIALS):
                turn = Turn("user", PROBE.format(number=number), said_at, f"probe-{number}", "user")
                start = time.perf_counter()
                memory.remember_session("probe", f"probe-{number}", [turn])
                found = memory.recall(PROBE_QUESTION.format(number=number), recipe="vector")
                seconds.append(time.perf_counter() - start)
                missed += not any(turn.id in candidate.turn_ids for candidate in found.candidates)
    return {"p50": percentile(seconds, 0.5), "max": max(seconds), "trials": LAG_TRIALS, "missed": missed}


def query_embedding_ms(embedder: Embedder, texts: Sequence[str]) -> list[float]:
    """What the model itself needs for a question, one at a time."""
    times = []
    for text in texts:
        start = time.perf_counter()
        embedder.embed([text], "query")
        times.append((time.perf_counter() - start) * 1000)
    return times[1:] or times  # the first one warms up
