"""The figures of a store: what is remembered, how large it is, which model and thresholds it works with."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from ..core.core import ARCHIVE_FOLDER, Core
from ..core.speakers import turns_by_speaker
from ..ingest.waiting_segments import backlog
from ..language.times import format_time, from_micros
from ..store.sqlite.database import SqliteDatabase
from .switch_index import health

MOST_SPEAKERS = 1_000  # among whom the user's names are looked for


def compute_stats(core: Core) -> dict[str, Any]:
    """What is remembered, how large it is, which model and which thresholds it works with."""
    store = core.store
    counts = store.one("counts")
    span = store.one("time_span")
    assert counts is not None and span is not None
    figures: dict[str, Any] = {"store": str(core.path), "namespace": core.namespace, **dict(counts)}
    figures["edges"] = {row["kind"]: row["edges"] for row in store.all("counts_edges")}
    figures["first_turn"] = None if span[0] is None else format_time(from_micros(span[0]))
    figures["last_turn"] = None if span[1] is None else format_time(from_micros(span[1]))
    figures["redacted"] = {row["rule"]: row["found"] for row in store.all("redactions_counts")}
    spoken = {row["speaker"]: row["turns"] for row in store.all("speakers", limit=MOST_SPEAKERS)}
    figures["speakers"] = dict(islice(spoken.items(), 20))
    figures["speakers_by_person"] = dict(islice(turns_by_speaker(store, spoken).items(), 20))  # the user as one
    figures["namespaces"] = [row["name"] for row in store.database.all("namespace_names", {})]
    figures["bytes"] = {
        name: size_of(core.path / name) for name in ("memory.db", "memory.db-wal", ARCHIVE_FOLDER, "index")
    }
    if not isinstance(store.database, SqliteDatabase):
        figures["bytes"] = {"database": store.database.size(), **figures["bytes"]}
    figures["embedder"] = {part: store.meta(f"embedder_{part}") for part in ("name", "sha256", "dimension")}
    figures["embedder"]["name"] = figures["embedder"]["name"] or store.meta("embedder_spec")  # one never reached yet
    figures["backlog"] = backlog(core).values()
    figures["index"] = asdict(health(core))
    figures["thresholds"] = None
    if counts["vectors"] and (found := core.known_thresholds(core.default_plan)) is not None:
        figures["thresholds"] = {
            "mode": found.mode,
            "floor": found.floor,
            "edge": found.edge,
            "dedup": found.dedup,
            "background": dict(found.background),
        }
    return figures


def size_of(path: Path) -> int:
    if path.is_dir():
        return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
    return path.stat().st_size if path.exists() else 0
