"""Bytes on disk: a fresh store, and a store of real turns, table by table.

    python evaluate/bench/disk.py LOCOMO.json [--turns 2800 100000] [--embedder packaged] [--page-size 4096]

The turns of LoCoMo's talks are remembered again and again, every time with other names in the place of the speakers',
until there are so many, and claims are read from them. Unless `--embedder packaged` is given, nothing is embedded: a
turn's vector is the sum of its words' directions, so that turns that share words are linked. It is of the size of a
real one. `--page-size` makes the store with other pages than it would have.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from engramma import Memory, Turn
from engramma.ingest.pipeline import Request
from engramma.ingest.remember import remember_requests
from engramma.store.sqlite import database

DIMENSION = 384
NAMES = re.findall(r"\w+", "Ada Ben Cleo Dan Eva Finn Gina Hugo Iris Jon Kim Leo Mia Noah Olga Paul Rosa Sam Tess Uwe")
START = datetime(2020, 1, 1, tzinfo=UTC)
QUERIES = 40


class WordsEmbedder:
    """A vector without a model: the sum of the directions of a text's words."""

    name, sha256, dimension, edge_floor = "words", "1" * 64, DIMENSION, 0.6

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> NDArray[np.float32]:
        rows = np.array([sum(map(direction, re.findall(r"\w+", text.lower()) or ["-"])) for text in texts], np.float32)
        rows = rows.reshape(len(texts), DIMENSION)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@lru_cache(maxsize=50_000)
def direction(word: str) -> NDArray[np.float32]:
    digest = hashlib.sha256(word.encode()).digest()
    # a word in seven is as good as any other of them, or texts would be as far apart as no sentences are
    return np.random.default_rng(int.from_bytes(digest[:4], "big") % 700).standard_normal(DIMENSION, dtype=np.float32)


def renamed(pattern: re.Pattern[str], called: Mapping[str, str], text: str) -> str:
    return pattern.sub(lambda found: called[found[0]], text)


def talks(path: Path) -> Iterator[Request]:
    """The sessions of all talks, for ever, with other names each time."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for copy in itertools.count():
        for number, entry in enumerate(data):
            talk = entry["conversation"]
            first = NAMES[(copy * 3 + number) % len(NAMES)] + str(copy // len(NAMES) or "")
            second = NAMES[(copy * 7 + number + 1) % len(NAMES)] + "a" * (copy % 5)
            called = {talk["speaker_a"]: first, talk["speaker_b"]: second} if copy else {}
            pattern = re.compile("|".join(map(re.escape, called)) or "(?!)")
            sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
            for place, key in enumerate(sorted(sessions, key=lambda one: int(one[8:]))):
                at = START + timedelta(days=place * 9 + copy, hours=number)
                turns = tuple(
                    Turn(
                        called.get(turn["speaker"], turn["speaker"]),
                        renamed(pattern, called, turn["text"]),
                        at + timedelta(seconds=20 * said),
                        turn["dia_id"],
                    )
                    for said, turn in enumerate(talk[key])
                )
                yield Request(f"talk-{number}-{copy}", key, turns)


def pour(memory: Memory, path: Path, turns: int) -> tuple[int, float]:
    """Remember so many turns, and read claims from them; how many there are, and the seconds of CPU."""
    stored, begun = 0, time.process_time()
    sessions = talks(path)
    while stored < turns:
        batch = list(itertools.islice(sessions, 50))
        remember_requests(memory._core, batch)
        stored += sum(len(request.turns) for request in batch)
    memory.claims.extract()
    return stored, time.process_time() - begun


def by_table(path: Path) -> dict[str, int]:
    """Bytes of every table with what SQLite keeps for it; indexes by their own names."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC").fetchall())


def measure(path: Path, turns: int, embedder: Any, folder: Path) -> dict[str, Any]:
    with Memory.open(folder / "fresh", embedder=embedder):
        pass
    fresh = (folder / "fresh" / "memory.db").stat().st_size
    with Memory.open(folder / "poured", embedder=embedder) as memory:
        stored, seconds = pour(memory, path, turns)
        asked = [turn.text for request in itertools.islice(talks(path), 3) for turn in request.turns][:QUERIES]
        memory.recall(asked[0])
        begun = time.process_time()
        for question in asked:
            memory.recall(question)
        recall_ms = (time.process_time() - begun) / len(asked) * 1000
    tables = by_table(folder / "poured" / "memory.db")
    archive = sum(one.stat().st_size for one in (folder / "poured" / "archive").rglob("*") if one.is_file())
    return {
        "turns": stored,
        "fresh_bytes": fresh,
        "bytes": sum(tables.values()),
        "bytes_a_turn": round(sum(tables.values()) / stored),
        "archive_a_turn": round(archive / stored),
        "import_cpu_ms_a_turn": round(seconds / stored * 1000, 3),
        "recall_cpu_ms": round(recall_ms, 2),
        "tables_a_turn": {name: round(size / stored, 1) for name, size in tables.items() if size / stored >= 1},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--turns", type=int, nargs="+", default=[2_800])
    parser.add_argument("--embedder", choices=["words", "packaged"], default="words")
    parser.add_argument("--page-size", type=int)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.page_size:
        vars(database)["PAGE_SIZE"] = given.page_size
    found = []
    for turns in given.turns:
        with tempfile.TemporaryDirectory() as folder:
            embedder = WordsEmbedder() if given.embedder == "words" else None
            found.append(measure(given.locomo, turns, embedder, Path(folder)))
        Console().print_json(json.dumps(found[-1]))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
