"""Computes the statistics of the dashboard's overview from the counts the store keeps."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

from ..core.core import ARCHIVE_FOLDER, INDEX_FOLDER, Core
from ..language.times import format_time, from_micros
from ..people import People
from ..recall.browse import speakers
from ..store.engine import DATABASE_FILE
from .stats import MOST_SPEAKERS, size_of

TOP = 8  # of those who speak most
EVERYBODY = -1
DAY = 86_400_000_000  # microseconds
KEPT_SECONDS = 60.0  # how old the size of a folder may be: a large archive has thousands of files

_sizes: dict[Path, tuple[float, int]] = {}


def compute_figures(core: Core) -> dict[str, Any]:
    """What is remembered, when it was said and by whom, and how large it is."""
    store = core.store
    with store.snapshot():
        counts = store.one("overview_counts")
        assert counts is not None
        edges = store.all("tallies_of", kind="edges", limit=EVERYBODY)
        days = store.all("activity")
        redacted = store.all("redactions_counts")
        spoken = {row["name"]: row["turns"] for row in speakers(core, MOST_SPEAKERS)}
        top = islice(spoken.items(), TOP)
    return {
        **dict(counts),
        "first_turn": day_of(days[0]["day"]) if days else None,
        "last_turn": day_of(days[-1]["day"]) if days else None,
        "edges": {row["name"]: row["count"] for row in edges},
        "people": People(core).count(),
        "top": [{"name": name, "turns": turns} for name, turns in top],
        "activity": [[row["day"], row["turns"]] for row in days],
        "redacted": {row["rule"]: row["found"] for row in redacted},
        "bytes": measure_sizes(core.path),
    }


def day_of(number: int) -> str:
    """A day as it is counted, days from 1970, as a moment."""
    return format_time(from_micros(number * DAY))


def measure_sizes(store: Path) -> dict[str, int]:
    """Bytes of a store's files and folders; those of folders may be a minute old."""
    files = {name: size_of(store / name) for name in (DATABASE_FILE, f"{DATABASE_FILE}-wal")}
    return {**files, **{name: size_of_folder(store / name) for name in (ARCHIVE_FOLDER, INDEX_FOLDER)}}


def size_of_folder(folder: Path) -> int:
    now = time.monotonic()
    known = _sizes.get(folder)
    if known is None or now - known[0] > KEPT_SECONDS:
        known = _sizes[folder] = (now, size_of(folder))
    return known[1]
