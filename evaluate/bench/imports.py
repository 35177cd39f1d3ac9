"""An import against embedding alone: wall time, memory, a second import, and one that was interrupted.

    python evaluate/bench/imports.py EXPORT [--json OUT] [--cheap] [--kills N]

The texts that an import embeds are embedded first without a store (by the packaged encoder, as the import does, in a
process of its own); then the export is imported twice, and once more into another store with kills in between.
With --cheap a vector is made of a text's hash, in groups whose members are near each other so that there is as much
to link: for memory, repetition, interrupts and what an import costs beside embedding, at sizes that the encoder would
read for an hour.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from engramma import Conversation, Memory, Turn, sources
from engramma.ingest.segment import segment
from engramma.ingest.validate import sifted_turns
from engramma.language.text import labelled
from engramma.models.load import load
from engramma.models.segments import embed_segments
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file

GROUP = 128  # turns embedded together, as an import does
GROUPS, SPREAD = 2_000, 0.6  # of cheap vectors: how many, and how far apart their members are (cosine about 0.7)


class Cheap:
    """Vectors of the right shape that mean nothing and cost little, 50 of a hundred thousand near each other."""

    name = "cheap"
    dimension = 384
    edge_floor = 0.6
    sha256 = hashlib.sha256(b"cheap").hexdigest()

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> Any:
        found = np.empty((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            group, own = np.random.default_rng(seed % GROUPS), np.random.default_rng(seed)
            row[:] = group.standard_normal(self.dimension) + own.standard_normal(self.dimension) * SPREAD
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def embedded_alone(path: Path) -> tuple[float, int]:
    """Seconds to embed everything that an import would, and how many segments that is."""
    model, texts = load(), list[tuple[str, ...]]()
    model.embed(["warm up"])
    for talk in sources.read_source(path, idle_gap=timedelta(minutes=30)):
        if isinstance(talk, Conversation):
            for session in talk.sessions:
                turns, _ = sifted_turns(session.turns, 4 * 1024 * 1024)
                spans = [turns[span.first : span.last + 1] for span in segment(turns)]
                texts += [tuple(labelled([(t.speaker, t.text)]) for t in own) for own in spans]
    began = time.perf_counter()
    for start in range(0, len(texts), GROUP // 2):
        embed_segments(model, texts[start : start + GROUP // 2])
    return time.perf_counter() - began, len(texts)


def grown() -> float:
    """The most memory this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def interrupted(path: Path, folder: Path, seconds: float, cheap: bool, times: int) -> int:
    """Import in a process that is killed again and again at random moments, then to the end; returns the kills."""
    draw, kills = random.Random(4), 0
    command = [sys.executable, __file__, str(path), "--into", str(folder), *(["--cheap"] if cheap else [])]
    for last in [False] * times + [True]:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=None if last else draw.uniform(1.0, max(2.0, seconds / 3)))
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            kills += 1
    return kills


def in_a_child(path: Path) -> tuple[float, int]:
    """`embedded_alone` in another process, whose memory does not count."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(embedded_alone, path).result()


def bench(path: Path, folder: Path, cheap: bool, times: int) -> dict[str, Any]:
    alone, segments = (math.nan, 0) if cheap else in_a_child(path)
    embedder = Cheap() if cheap else None
    with Memory.open(folder / "base", embedder=embedder) as memory:  # everything is loaded once
        memory.remember_session("c", "s", [Turn("Ana", "Hello.", datetime.now(UTC), "1")])
    base = grown()
    with Memory.open(folder / "one", embedder=embedder) as memory:
        began = time.perf_counter()
        first = import_file(memory._core, path)
        took = time.perf_counter() - began
        peak = grown()
        second = import_file(memory._core, path)
        said = "".join(export_lines(memory._core))
    kills, same = 0, None
    if times:
        kills = interrupted(path, folder / "two", took, cheap, times)
        with Memory.open(folder / "two", embedder=embedder) as memory:
            same = "".join(export_lines(memory._core)) == said
    return {
        "bytes": path.stat().st_size,
        "turns": first.turns,
        "segments": segments,
        "embedding_s": None if cheap else round(alone, 1),
        "import_s": round(took, 1),
        "ratio": None if cheap else round(took / alone, 3),
        "memory_grown_mb": round(peak - base, 1),
        "added_again": second.turns,
        "kills": kills,
        "same_after_kills": same,
        "problems": len(first.problems),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--cheap", action="store_true", help="vectors that cost nothing")
    parser.add_argument("--kills", type=int, default=5, help="interrupts of another import; 0: none")
    parser.add_argument("--into", type=Path, help="import only, into this store (for the interrupts)")
    options = parser.parse_args()
    if options.into:
        with Memory.open(options.into, embedder=Cheap() if options.cheap else None) as memory:
            import_file(memory._core, options.export)
        return
    with tempfile.TemporaryDirectory() as made:
        figures = bench(options.export, Path(made), options.cheap, options.kills)
    Console().print_json(json.dumps(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
