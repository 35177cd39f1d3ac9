"""How fast, how large and how hungry Engramma is on this machine, beside other encoders and stores, in one run.

    python evaluate/bench/speed.py [--data LOCOMO.json] [--turns 400] [--rounds 5] [--json OUT]
                                   [--only encoder stores] [--skip chroma readers] [--environments DIR]

Parts, which `--only` takes alone and `--skip` leaves out:

    encoder    the packaged encoder, the same network in fp32 in batches, and ONNX Runtime's ordinary dynamic int8 of it
    stores     import session by session, import of a file, embedding alone; queries with their embedding; peak memory
    langgraph  LangGraph's SqliteStore with the same texts and questions, beside `stores`
    chroma     Chroma, likewise
    shell      `engramma recall` in a new process, without a daemon and with one
    installed  megabytes of the base install, and of the other stores' environments
    readers    readers.py: 1 and 8 threads, 4 processes, alone and beside a writer
    disk       disk.py: a fresh store, bytes a turn

What is compared is measured in turns, and medians of the rounds are shown. The other stores are installed for the run
into environments that are thrown away (`--environments` keeps them for the next run); they embed by our network in
fp32, since no model has to be fetched for that. Without `--data` a talk is made up. Run nothing beside it: the load
average is part of the figures, and on a busy machine only processor times and ratios say something.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from speed_encoder import measure_encoder  # noqa: E402
from speed_installs import environment, installed_mb, installed_versions  # noqa: E402
from speed_machine import load_now, machine, versions  # noqa: E402
from speed_report import show  # noqa: E402
from speed_shell import measure_shell  # noqa: E402
from speed_stores import KEPT, measure_stores, one_run  # noqa: E402
from speed_talk import lay_out  # noqa: E402

RIVALS = ("langgraph", "chroma")
PARTS = ("encoder", "stores", *RIVALS, "shell", "installed", "readers", "disk")


def measure(options: argparse.Namespace, parts: set[str], work: Path) -> dict[str, Any]:
    """All parts that are asked for, one after the other."""
    environments, say = options.environments or work / "environments", narrator()
    figures: dict[str, Any] = {
        "command": " ".join(["python", "evaluate/bench/speed.py", *map(without_folder, sys.argv[1:])]),
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions(),
        "load": {"before": load_now()},
    }
    turns = lay_out(work, options.data, options.turns)
    pythons = {}
    for name in (name for name in RIVALS if name in parts and parts & {"stores", "installed"}):
        say(f"installing {name}")
        pythons[name] = environment(name, environments)
    if "encoder" in parts:
        figures["encoder"] = measure_encoder(work, options.rounds, say)
    if "stores" in parts:
        figures["stores"] = measure_stores(work, turns, pythons, options.rounds, say)
    if "shell" in parts:
        if not (work / KEPT).exists():
            say("filling a store")
            one_run(work, "talk", None)
        figures["shell"] = measure_shell(work, work / KEPT, options.rounds, say)
    if "readers" in parts:
        say("readers")
        shapes = ["--threads", "1", "8", "--processes", "4", "--seconds", "3"]
        figures["readers"] = other_script(work, "readers.py", *shapes)
    if "disk" in parts:
        say("disk")
        figures["disk"] = other_script(work, "disk.py", str(work / "talk.json"), "--turns", str(turns))
    if "installed" in parts:
        say("installing engramma")
        pythons["engramma"] = environment("engramma", environments)
        figures["installed"] = {
            name: {"mb": installed_mb(python), "versions": installed_versions(name, python)}
            for name, python in sorted(pythons.items(), key=lambda one: one[0] != "engramma")
        }
    figures["load"]["after"] = load_now()
    return figures


def other_script(work: Path, name: str, *arguments: str) -> Any:
    """What another benchmark writes as JSON."""
    target = work / f"{name}.json"
    command = [sys.executable, str(HERE / name), *arguments, "--json", str(target)]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        sys.exit(f"{name} failed; run it alone to see why: {' '.join(command[1:])}")
    return json.loads(target.read_text(encoding="utf-8"))


def narrator() -> Callable[[str], None]:
    """Says on stderr what is being done, and since when."""
    began = time.monotonic()

    def say(what: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {what}", file=sys.stderr, flush=True)

    return say


def without_folder(argument: str) -> str:
    """A path as its last part: where a file lay on this machine tells others nothing."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def commit() -> str:
    told = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE)
    return told.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a LoCoMo file; without it a talk is made up")
    parser.add_argument("--turns", type=int, default=400, help="turns to measure with, in whole sessions")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts alone")
    parser.add_argument("--skip", nargs="+", choices=PARTS, default=(), help="all but these parts")
    parser.add_argument("--environments", type=Path, help="keep the other stores' environments here")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    if options.turns < 1 or options.rounds < 1:
        parser.error("--turns and --rounds must be at least 1")
    with tempfile.TemporaryDirectory() as made:
        figures = measure(options, set(options.only) - set(options.skip), Path(made))
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
