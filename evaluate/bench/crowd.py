"""Many processes on one SQLite store, three namespaces each, commands that come and go, and kill -9: is anything lost?

    python evaluate/bench/crowd.py [--minutes 10] [--processes 6] [--commands 3] [--kills-a-minute 30] [--seed 1]
                                   [--json OUT] [--keep FOLDER]
    python evaluate/bench/crowd.py --two-namespaces 100 [--real-encoder] [--json OUT]

Each process holds three of five namespaces and does at random: a session at once and its continuation, one turn by
turn, notes, imports of a file, recalls, figures, exports, backups, and closing a namespace after opening it a second
time. Beside them the commands stats, recall, remember, sessions, doctor, backup and export run, some at a time. Any of
them is killed at random moments; a process that was killed is started again. Who writes notes what it begins and, after
the call has returned, what is acknowledged, in a file of its own, synced. In the end every acknowledged turn must be
stored word for word exactly once, nothing that nobody began, `PRAGMA integrity_check` and `doctor` must find nothing,
and the graph must be the one that a single writer makes. Vectors are made of hashed words: it is the database that is
tried.

The second form repeats one case: a process with two namespaces open, `engramma stats` and `engramma recall` beside it,
ten writes, kill -9. See crowd_namespaces.py.

A table goes to stderr, one JSON object to stdout. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import multiprocessing.process
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import crowd_namespaces
import crowd_processes
from crowd_check import check
from crowd_processes import END, HELD, NAMESPACES, Hashed, command, hold
from rich.console import Console
from rich.table import Table

from engramma import Memory

POLL_SECONDS = 0.05
GRACE_SECONDS = 120.0  # for the last call of a process, once the time is over

HERE = Path(__file__).resolve().parent  # where the fork server finds this script's modules
# What commands import only when they need it.
LATE = (
    "faiss",
    "engramma.index.scan",
    "engramma.apps.render",
    "engramma.steward.run",
    "rich.progress",
    "platformdirs",
)

# A fork server starts a process in milliseconds, so that kills meet its work and not its start.
METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
CONTEXT: Any = multiprocessing.get_context(METHOD)


def crowd(
    work: Path, seconds: float, processes: int, commands: int, kills: float, seed: int, graph: bool
) -> dict[str, Any]:
    """Let the crowd at a new store for so many seconds, then look what is in it."""
    for name in ("journals", "refused", "commands", "files"):
        (work / name).mkdir()
    for space in NAMESPACES:  # a command may ask for any of them before a process has begun
        Memory.open(work / "store", space, embedder=Hashed()).close()
    began = time.monotonic()
    killed, ended = run(work, seconds, processes, commands, kills, random.Random(seed), seed)
    ran = time.monotonic() - began
    found = check(work, graph=graph)
    refused = Counter(
        line.partition(":")[0] for path in (work / "refused").glob("*.log") for line in path.read_text().splitlines()
    )
    done = [json.loads(path.read_text()) for path in (work / "commands").glob("*.json")]
    wrong = [text for one in done for text in one["wrong"]]
    return {
        "ok": found.ok and not wrong and not ended and not set(refused) - {"StoreBusy"},
        "seed": seed,
        "seconds": round(ran, 1),
        "processes": processes,
        "namespaces_each": HELD,
        "commands": dict(sorted(Counter(one["kind"] for one in done).items())),
        "killed": dict(killed),
        "acknowledged_turns": found.acknowledged,
        "stored_turns": found.stored,
        "lost_turns": len(found.lost),
        "doubled_turns": len(found.doubled),
        "turns_nobody_began": len(found.foreign),
        "refused": dict(refused),
        "integrity_check": found.integrity,
        "doctor": found.doctor[:20] or "clean",
        "graph_as_by_one_writer": found.graph,
        "wrong": [*wrong, *ended, *found.lost, *found.doubled, *found.foreign][:20],
    }


def run(
    work: Path, seconds: float, processes: int, commands: int, kills: float, chance: random.Random, seed: int
) -> tuple[Counter[str], list[str]]:
    """Start processes and commands and kill some, until the time is over: how many were, and who fell by itself."""
    lives, number, killed, fallen = Counter[int](), 0, Counter[str](), list[str]()
    held: dict[int, multiprocessing.process.BaseProcess] = {}
    running: dict[int, multiprocessing.process.BaseProcess] = {}

    def started(target: Any, *arguments: Any) -> multiprocessing.process.BaseProcess:
        process: multiprocessing.process.BaseProcess = CONTEXT.Process(target=target, args=(str(work), *arguments))
        process.start()
        return process

    until, next_kill, late = None, float("inf"), time.monotonic() + GRACE_SECONDS
    while until is None or time.monotonic() < until:
        if until is None and (time.monotonic() > late or begun(work) >= processes):  # all are at work: the time begins
            until = time.monotonic() + seconds
            next_kill = time.monotonic() + chance.expovariate(kills / 60) if kills else next_kill
        for slot in range(processes):
            if slot not in held:
                lives[slot] += 1
                held[slot] = started(hold, slot, lives[slot], seed)
        while len(running) < commands:
            number += 1
            running[number] = started(command, number, seed)
        for group in (held, running):
            for key in [key for key, process in group.items() if not process.is_alive()]:
                fallen += exit_of(group.pop(key))
        if time.monotonic() >= next_kill:
            group = held if chance.random() < 0.6 or not running else running
            victim = group.pop(chance.choice(sorted(group)))
            victim.kill()
            victim.join()
            killed["processes" if group is held else "commands"] += 1
            next_kill = time.monotonic() + chance.expovariate(kills / 60)
        time.sleep(POLL_SECONDS)
    (work / END).touch()
    for process in (*held.values(), *running.values()):
        process.join(GRACE_SECONDS)
        if process.is_alive():
            process.kill()
            fallen.append(f"{process.name} did not end")
        fallen += exit_of(process)
    return killed, fallen


def begun(work: Path) -> int:
    """How many of the processes have written something."""
    return len({path.name.partition("-")[0] for path in (work / "journals").glob("p*.log") if path.stat().st_size})


def exit_of(process: multiprocessing.process.BaseProcess) -> list[str]:
    process.join()
    return [] if process.exitcode == 0 else [f"{process.name} ended with {process.exitcode}"]


def prepare() -> None:
    """Have the fork server import what its children need."""
    if METHOD == "forkserver":
        os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        CONTEXT.set_forkserver_preload([crowd_processes.__name__, *LATE])


def shown(figures: dict[str, Any]) -> Table:
    table = Table("what", "figure", title="crowd")
    for name, value in figures.items():
        told = json.dumps(value) if isinstance(value, dict | list) else str(value)
        table.add_row(name.replace("_", " "), told)
    return table


@contextmanager
def working(keep: Path | None) -> Iterator[Path]:
    """The folder that all lies in: one that stays, or one that goes."""
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="crowd-") as made:
        yield Path(made)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=6, help="that hold three namespaces each")
    parser.add_argument("--commands", type=int, default=3, help="that run at a time")
    parser.add_argument("--kills-a-minute", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-graph", action="store_true", help="do not build the store once more by one writer")
    parser.add_argument("--two-namespaces", type=int, metavar="N", help="the case of two namespaces, N times")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a new folder to work in, which stays")
    parser.add_argument("--real-encoder", action="store_true", help="with --two-namespaces: the packaged encoder")
    options = parser.parse_args()
    prepare()
    with working(options.keep) as work:
        if options.two_namespaces:
            figures = crowd_namespaces.rounds(CONTEXT, work, options.two_namespaces, options.real_encoder)
        else:
            figures = crowd(
                work,
                options.minutes * 60,
                options.processes,
                options.commands,
                options.kills_a_minute,
                options.seed,
                not options.no_graph,
            )
    Console(stderr=True).print(shown(figures))
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return 0 if figures["ok"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
