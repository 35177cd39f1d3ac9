"""The graph of a large store: neighbours against one vector scan, and a new note's links against one recall.

    python evaluate/bench/graph.py [--segments 1000000] [--edges 10000000] [--store DIR] [--json OUT]

The store is evaluate/bench/recall.py's, filled straight into the database; so are the edges. Chains join the turns
of a session, the others have a random end, half of them nearby, and a hundred segments are hubs with many. The two
hops' neighbours of ten seeds, which the scan found, both directions, at most twenty, take turns with that scan.
Then notes are remembered in families of twelve that are .8 alike, so that each finds notes to be linked with; they take
turns with recalls. Embedding counts in neither.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from engramma import Memory, __version__
from engramma.ingest.near_lists import ENTRY, SCALE
from engramma.memory import DATABASE_FILE
from engramma.recall.walk import best_ways, neighbours_of
from recall import DIMENSION, MadeUp, asked, fill_bare, spoken

SEEDS, HOPS, CAP = 10, 2, 20
FAMILIES, FAMILY, FIRST_COUNTED = 12, 12, 6  # notes; the first of a family find too few to be linked with
LIST_CAP = 20
HUBS, HUB_SHARE = 100, 0.01
LOCAL = 2_000  # how far away, on average, the near half of the random ends lies
KINDS = ("after", "before", "caused_by", "contradicts", "part_of", "related_to", "semantic", "supports")
SHARES = (0.01, 0.01, 0.01, 0.02, 0.05, 0.25, 0.60, 0.05)
CHAIN = KINDS.index("caused_by") + 0.5  # where `chain` stands among them, in the order of the table


class Families(MadeUp):
    """Made-up vectors; of texts with `family <n>` in them such that two of one family are .8 alike."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> NDArray[np.float32]:
        began = time.perf_counter()
        rows = super().embed(texts, kind, progress)
        for number, text in enumerate(texts):
            if found := re.search(r"family (\d+)", text):
                centre = unit(np.random.default_rng(10_000 + int(found[1])))
                rows[number] = centre + 0.5 * unit(np.random.default_rng(zlib.crc32(text.encode())))
                rows[number] /= np.linalg.norm(rows[number])
        self.seconds += time.perf_counter() - began
        return rows


def unit(random: np.random.Generator) -> NDArray[np.float32]:
    row = random.standard_normal(DIMENSION, dtype=np.float32)
    return np.asarray(row / np.linalg.norm(row), np.float32)


# --- filling ---------------------------------------------------------------------------------------------------


def fill_graph(path: Path, count: int) -> float:
    """Edges and near lists straight into the database, in the order of their table; every session is done with."""
    began, connection = time.perf_counter(), sqlite3.connect(path, isolation_level=None)
    keys, sessions = np.array(connection.execute("SELECT key, session FROM segments ORDER BY key").fetchall()).T
    src, kind, dst, weight = made_edges(keys, sessions, count)
    names: dict[float, str] = {CHAIN: "chain", **dict(enumerate(KINDS))}
    (index,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'edges_in'").fetchone()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DROP INDEX edges_in")
    connection.execute("DELETE FROM edges")
    for start in range(0, len(src), 500_000):
        part = slice(start, start + 500_000)
        columns = (src[part], kind[part], dst[part], weight[part])
        rows = ((1, s, names[k], d, w) for s, k, d, w in zip(*(column.tolist() for column in columns), strict=True))
        connection.executemany("INSERT INTO edges VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute(index)
    connection.execute("DELETE FROM near")
    chosen = kind == KINDS.index("semantic")
    connection.executemany(
        "INSERT INTO near VALUES (1, ?, ?, ?)", near_lists(keys, src[chosen], dst[chosen], weight[chosen])
    )
    connection.execute("UPDATE sessions SET closed = 1, linked = 1, archived = 1")
    connection.execute("COMMIT")
    connection.close()
    return time.perf_counter() - began


def made_edges(keys: NDArray[np.int64], sessions: NDArray[np.int64], count: int) -> tuple[NDArray[Any], ...]:
    """(src, kind, dst, weight) of about `count` edges, in the order of the table."""
    random = np.random.default_rng(4)
    joined = np.flatnonzero(sessions[:-1] == sessions[1:])
    rest = max(0, count - 2 * len(joined))
    near = random.integers(0, len(keys), rest)
    offset = random.geometric(1 / LOCAL, rest) * random.choice((-1, 1), rest)
    far = np.where(random.random(rest) < 0.5, (near + offset) % len(keys), random.integers(0, len(keys), rest))
    far = np.where(random.random(rest) < HUB_SHARE, random.choice(len(keys), HUBS)[random.integers(0, HUBS, rest)], far)
    src = np.concatenate([keys[joined], keys[joined + 1], keys[near]])
    dst = np.concatenate([keys[joined + 1], keys[joined], keys[far]])
    kind = np.concatenate([np.full(2 * len(joined), CHAIN), random.choice(len(KINDS), rest, p=SHARES)])
    weight = np.concatenate([np.ones(2 * len(joined)), random.integers(6_000, 9_500, rest) / SCALE])
    order = np.lexsort((dst, kind, src))
    src, kind, dst, weight = src[order], kind[order], dst[order], weight[order]
    new = np.ones(len(src), bool)
    new[1:] = (src[1:] != src[:-1]) | (kind[1:] != kind[:-1]) | (dst[1:] != dst[:-1])
    new &= src != dst
    return src[new], kind[new], dst[new], weight[new]


def near_lists(
    keys: NDArray[np.int64], src: NDArray[np.int64], dst: NDArray[np.int64], weight: NDArray[np.float64]
) -> Iterator[tuple[int, int, bytes]]:
    """(key, reach, packed list) of every segment: both ends of a semantic edge list each other."""
    own, other = np.concatenate([src, dst]), np.concatenate([dst, src])
    heavy = np.rint(np.concatenate([weight, weight]) * SCALE).astype(np.int64)
    order = np.lexsort((-heavy, own))
    entries = np.zeros(len(own), ENTRY)
    entries["key"], entries["weight"] = other[order], heavy[order]
    starts = np.searchsorted(own[order], keys)
    ends = np.searchsorted(own[order], keys, side="right")
    for key, start, end in zip(keys.tolist(), starts.tolist(), ends.tolist(), strict=True):
        last = min(end, start + LIST_CAP)
        reach = int(entries["weight"][last - 1]) if last - start == LIST_CAP else 0
        yield key, reach, entries[start:last].tobytes()


# --- measuring -------------------------------------------------------------------------------------------------


def measure_neighbours(memory: Memory, question: str) -> dict[str, float]:
    """Milliseconds of a scan and of the two hops around what it found."""
    vector = memory._core.embedder.embed([question], "query")[0].astype(np.float16)
    index, _ = memory._core.live_index().fresh()
    began = time.perf_counter()
    seeds, _ = index.search(vector, SEEDS)
    scanned = time.perf_counter()
    found = neighbours_of(memory._core.store, seeds.tolist(), HOPS, CAP)
    walked = time.perf_counter()
    assert len(found) == CAP
    full = best_ways(memory._core.store, seeds.tolist(), HOPS, CAP)
    looked = time.perf_counter()
    assert full == found
    alone = neighbours_of(memory._core.store, seeds[:1].tolist(), HOPS, CAP)  # two of three need their second hop
    walked_alone = time.perf_counter()
    assert len(alone) == CAP
    ids = [segment.id for segment in memory._core.store.hydrate(seeds.tolist()).values()]
    asked_at = time.perf_counter()
    assert len(memory.links.neighbors(ids, HOPS)) == CAP
    ended = time.perf_counter()
    return {
        "vector scan": (scanned - began) * 1e3,
        "neighbours": (walked - scanned) * 1e3,
        "neighbours, no hop left out early": (looked - walked) * 1e3,
        "neighbours of one seed": (walked_alone - looked) * 1e3,
        "neighbours with their texts": (ended - asked_at) * 1e3,
    }


def measure_linking(memory: Memory, embedder: Families, questions: list[str]) -> tuple[list[dict[str, float]], int]:
    """Milliseconds of a new note with its links and of recalls beside it; and how many links the notes got."""
    rows, links, said = [], 0, spoken(FAMILIES * FAMILY, 5)
    for number in range(FAMILIES * FAMILY):
        text = f"Note {number} of family {number // FAMILY}: {' '.join(next(said).split()[:20])}"
        question = questions[number % len(questions)]
        embedded, began = embedder.seconds, time.perf_counter()
        kept = memory.remember(text, at=datetime(2026, 1, 1, 12, number // 60, number % 60, tzinfo=UTC))
        noted = time.perf_counter() - began - (embedder.seconds - embedded)
        assert kept.is_new
        first, second = recalled(memory, embedder, question), recalled(memory, embedder, question)
        if number % FAMILY >= FIRST_COUNTED:
            links += len(kept.links)
            rows.append({"note": noted * 1e3, "recall": second * 1e3, "first recall after a note": first * 1e3})
    return rows, links


def recalled(memory: Memory, embedder: Families, question: str) -> float:
    embedded, began = embedder.seconds, time.perf_counter()
    memory.recall(question)
    return time.perf_counter() - began - (embedder.seconds - embedded)


def summed(rows: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    return {
        name: {part: round(float(np.quantile([row[name] for row in rows], q)), 2) for part, q in PARTS}
        for name in rows[0]
    }


PARTS = (("p50", 0.5), ("p95", 0.95))


def bench(folder: Path, segments: int, edges: int) -> dict[str, Any]:
    embedder = Families()
    with Memory.open(folder, embedder=embedder) as memory:
        filled = 0.0 if memory._core.store.one("last_said")[0] else fill_bare(memory, segments)  # type: ignore[index]
        empty = not memory._core.store.all("counts_edges")
    if empty:
        filled += fill_graph(folder / DATABASE_FILE, edges)
    with Memory.open(folder, embedder=embedder) as memory:
        counts = memory._core.store.one("counts")
        assert counts is not None
        questions = asked()
        for question in questions[:10]:
            measure_neighbours(memory, question)
        near = summed([measure_neighbours(memory, question) for question in questions])
        channel = [memory.recall(q, recipe="takizen").trace.timings_ms["graph"] for q in questions]
        near |= summed([{"graph channel of recipe takizen": value} for value in channel])
        rows, links = measure_linking(memory, embedder, questions)
        linking = summed(rows)
        by_kind = {row["kind"]: row["edges"] for row in memory._core.store.all("counts_edges")}
    return {
        "segments": counts["segments"],
        "edges": by_kind,
        **({"filled_s": round(filled, 1)} if filled else {}),
        "queries": len(questions),
        **near,
        "neighbours_to_scan": {
            part: round(near["neighbours"][part] / near["vector scan"][part], 2) for part, _ in PARTS
        },
        "one_seed_to_scan": {
            part: round(near["neighbours of one seed"][part] / near["vector scan"][part], 2) for part, _ in PARTS
        },
        "notes": len(rows),
        "links_a_note": round(links / len(rows), 2),
        **linking,
        "note_to_recall": {part: round(linking["note"][part] / linking["recall"][part], 2) for part, _ in PARTS},
    }


def head(options: argparse.Namespace) -> dict[str, Any]:
    """What one needs to make the figures again."""
    here = Path(__file__).parent
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=here)
    return {
        "engramma": __version__,
        "commit": found.stdout.strip(),
        "command": f"python evaluate/bench/graph.py --segments {options.segments} --edges {options.edges}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--store", type=Path, help="keep the store here; a second run fills nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        figures = head(options) | bench(options.store or Path(made) / "store", options.segments, options.edges)
    text = json.dumps(figures, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
