"""An import against embedding alone: wall time, memory, a second import, and one that was interrupted.

    python evaluate/bench/imports.py EXPORT [--json OUT]

The texts that an import embeds are embedded first without a store (by the packaged encoder, as the import does);
then the export is imported twice, and once more into another store with interrupts in between. All in one run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from engramma import Conversation, Memory, sources
from engramma.ingest.segment import segment
from engramma.ingest.validate import sifted_turns
from engramma.models.embed import load
from engramma.models.segments import embed_segments
from engramma.text import labelled
from engramma.transfer import export_lines, import_file

GROUP = 128  # turns embedded together, as an import does
INTERRUPTS = 5


def embedded_alone(path: Path) -> tuple[float, int]:
    """Seconds to embed everything that an import would, and how many segments that is."""
    model, texts, seconds = load(), list[tuple[str, ...]](), 0.0
    model.embed(["warm up"])
    for talk in sources.read(path, idle_gap=timedelta(minutes=30)):
        if isinstance(talk, Conversation):
            for session in talk.sessions:
                turns, _ = sifted_turns(session.turns, 4 * 1024 * 1024)
                spans = [turns[span.first : span.last + 1] for span in segment(turns)]
                texts += [tuple(labelled([(t.speaker, t.text)]) for t in own) for own in spans]
    began = time.perf_counter()
    for start in range(0, len(texts), GROUP // 2):
        embed_segments(model, texts[start : start + GROUP // 2])
    seconds += time.perf_counter() - began
    return seconds, len(texts)


def grown() -> float:
    """The most memory this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def interrupted(path: Path, folder: Path, seconds: float) -> int:
    """Import in a process that is killed again and again at random moments, then to the end; returns the kills."""
    draw, kills = random.Random(4), 0
    command = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()", "--store", str(folder)]
    for last in [False] * INTERRUPTS + [True]:
        child = subprocess.Popen([*command, "import", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=None if last else draw.uniform(1.0, max(2.0, seconds / 3)))
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            kills += 1
    return kills


def bench(path: Path, folder: Path) -> dict[str, Any]:
    alone, segments = embedded_alone(path)
    base = grown()
    with Memory.open(folder / "one") as memory:
        began = time.perf_counter()
        first = import_file(memory, path)
        took = time.perf_counter() - began
        peak = grown()
        second = import_file(memory, path)
        said = "".join(export_lines(memory))
    kills = interrupted(path, folder / "two", took)
    with Memory.open(folder / "two") as memory:
        same = "".join(export_lines(memory)) == said
    return {
        "bytes": path.stat().st_size,
        "turns": first.turns,
        "segments": segments,
        "embedding_s": round(alone, 1),
        "import_s": round(took, 1),
        "ratio": round(took / alone, 3),
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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        figures = bench(options.export, Path(made))
    Console().print_json(json.dumps(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
