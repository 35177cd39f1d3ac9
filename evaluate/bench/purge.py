"""A purge of very many ids in one call: how long each step takes, and that nothing of it is left.

    python evaluate/bench/purge.py [--segments 100000] [--purge 100000] [--json OUT]

The store is made as in recall.py: nothing is embedded. One marked turn is searched for in every file afterwards.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from engramma import Memory, Turn
from engramma.admin.doctor import doctor
from engramma.language.times import to_micros
from recall import MadeUp, fill_bare, requests

MARK = "zanzibarheliotrope"


def marked(memory: Memory) -> str:
    """A talk of one turn that says the mark; returns its segment's id."""
    first = next(iter(requests(20))).turns[0].said_at
    assert first is not None and to_micros(first)
    memory.remember_session("marked", "m", [Turn("Ada", f"The word is {MARK} today.", first, "m0")])
    return "seg_marked/m_0"


def is_left(folder: Path) -> bool:
    return any(MARK.encode() in path.read_bytes().lower() for path in folder.rglob("*") if path.is_file())


def bench(folder: Path, segments: int, purged: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"segments": segments}
    with Memory.open(folder, embedder=MadeUp()) as memory:
        figures["filled_s"] = round(fill_bare(memory, segments), 1)
        ids = [marked(memory), *(segment.id for segment in memory.graph()[0])][: purged + 1]
        figures["found_before"] = is_left(folder)
        began = time.perf_counter()
        shown = memory.forget(ids, preview=True)
        figures["preview_s"] = round(time.perf_counter() - began, 2)
        began = time.perf_counter()
        done = memory.purge(ids)
        figures["purge_s"] = round(time.perf_counter() - began, 2)
        figures |= {"turns": shown.turns, "purged": done.turns}
        figures["unwell"] = [check.name for check in doctor(memory._core) if not check.ok]
    figures["found_after"] = is_left(folder)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--purge", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        figures = bench(Path(made) / "store", options.segments, options.purge)
    Console().print_json(json.dumps(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
