"""Every figure of `make bench`, in one run, as a table and as JSON.

    python evaluate/bench/run.py [--locomo FILE] [--sizes 100000 1000000] [--json OUT]

Timings are ratios against a baseline measured in the same run: read those, not the milliseconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import embedding
import locomo

import index
from engramma import __version__


def texts_of(path: Path | None) -> list[str]:
    """Turns to embed: a LoCoMo file's if there is one, else the demo's."""
    if path is None:
        lines = (resources.files("engramma.apps") / "demo" / "conversations.jsonl").read_text(encoding="utf-8")
        found = [json.loads(line) for line in lines.splitlines()]
        said = [f"{r['speaker']}: {r['text']}" for r in found if r.get("type") == "turn"]
        return [f"{text} {number}" for number in range(4) for text in said]  # equal texts are embedded only once
    samples = json.loads(path.read_text(encoding="utf-8"))
    return [
        f"{turn['speaker']}: {turn['text']}"
        for sample in samples
        for name, turns in sample["conversation"].items()
        if name.startswith("session_") and isinstance(turns, list)
        for turn in turns
    ][:1000]


def help_cpu_seconds() -> float:
    """CPU time of `engramma --help`, the least of five."""
    command = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()", "--help"]
    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(min(found), 3)


def commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return found.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locomo", type=Path, help="a LoCoMo file, for turn recall@10")
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000], help="vectors in the index")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    figures: dict[str, Any] = {
        "engramma": __version__,
        "commit": commit(),
        "command": " ".join(["python", "evaluate/bench/run.py", *sys.argv[1:]]),
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }
    for name, measure in (
        ("help_cpu_s", help_cpu_seconds),
        ("embedding", lambda: embedding.run(texts_of(options.locomo))),
        ("index", lambda: index.run(options.sizes)),
        ("locomo_turn_recall_at_10", lambda: locomo.run(options.locomo) if options.locomo else None),
    ):
        print(f"measuring {name} …", file=sys.stderr)
        figures[name] = measure()
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
