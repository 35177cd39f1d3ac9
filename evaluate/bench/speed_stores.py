"""Imports and queries of Engramma and the stores beside it, each measurement in a fresh process and a fresh store."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from speed_networks import FLOAT, TOKENIZER, write_networks

HERE = Path(__file__).parent
OURS = ("alone", "talk", "file")
KEPT = "engramma-store"  # of the last round, for the parts that need a filled one

Run = dict[str, Any]


def measure_stores(
    work: Path, turns: int, pythons: Mapping[str, Path], rounds: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """Turns a second, query times and peak memory: medians of interleaved rounds. `pythons` are the other stores'."""
    if pythons and not (work / FLOAT).exists():
        write_networks(work)
    runs: dict[str, list[Run]] = {name: [] for name in (*OURS, *pythons)}
    for number in range(rounds):
        names = list(runs)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            say(f"stores, round {number + 1}: {name}")
            runs[name].append(one_run(work, name, pythons.get(name)))
    alone = [(a["alone_s"], a["alone_in_groups_s"]) for a in runs["alone"]]
    figures = {
        "turns": turns,
        "embedding_alone": {
            "turns_s": rate(turns, [one for one, _ in alone]),
            "in_groups_turns_s": rate(turns, [groups for _, groups in alone]),
            "cpu_ms_a_turn": per_turn(turns, runs["alone"], "alone_cpu_s"),
        },
        "engramma": store_figures(turns, runs["talk"])
        | {
            "times_embedding_alone": ratio(runs["talk"], "import_s", runs["alone"], "alone_s"),
            "cpu_times_embedding_alone": ratio(runs["talk"], "import_cpu_s", runs["alone"], "alone_cpu_s"),
            "file_turns_s": rate(turns, [run["file_s"] for run in runs["file"]]),
            "file_cpu_ms_a_turn": per_turn(turns, runs["file"], "file_cpu_s"),
            "file_times_embedding_alone": ratio(runs["file"], "file_s", runs["alone"], "alone_in_groups_s"),
        },
    }
    return figures | {name: store_figures(turns, runs[name]) for name in pythons}


def one_run(work: Path, name: str, python: Path | None) -> Run:
    store = work / f"store-{name}"
    shutil.rmtree(store, ignore_errors=True)
    if python is None:
        command = [sys.executable, str(HERE / "speed_ours.py"), name, str(work), str(store)]
    else:
        command = [str(python), str(HERE / "speed_rival.py"), name, str(work), str(store), str(TOKENIZER)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if told.returncode:
        sys.exit(f"the measurement of {name} failed; what it said is above")
    if name == "talk":
        shutil.rmtree(work / KEPT, ignore_errors=True)
        store.rename(work / KEPT)
    found: Run = json.loads(told.stdout.splitlines()[-1])
    return found


def store_figures(turns: int, runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "import_turns_s": rate(turns, [run["import_s"] for run in runs]),
        "import_cpu_ms_a_turn": per_turn(turns, runs, "import_cpu_s"),
        "query": {
            name: {
                "p50_ms": round(median(float(np.median(run["query_ms"][name])) for run in runs), 2),
                "p95_ms": round(median(float(np.quantile(run["query_ms"][name], 0.95)) for run in runs), 2),
                "cpu_ms": round(median(run["query_cpu_ms"][name] for run in runs), 2),
            }
            for name in runs[0]["query_ms"]
        },
        "peak_mb": median(run["peak_mb"] for run in runs),
    }


def rate(turns: int, seconds: Sequence[float]) -> dict[str, float]:
    """Turns a second: the median, the least and the most."""
    found = sorted(turns / one for one in seconds)
    return {"median": round(median(found), 1), "least": round(found[0], 1), "most": round(found[-1], 1)}


def per_turn(turns: int, runs: Sequence[Run], name: str) -> float:
    seconds: float = median(run[name] for run in runs)
    return round(seconds / turns * 1e3, 2)


def ratio(runs: Sequence[Run], name: str, others: Sequence[Run], other: str) -> float:
    """How many times as long, round by round; the median."""
    times: float = median(a[name] / b[other] for a, b in zip(runs, others, strict=True))
    return round(times, 3)
