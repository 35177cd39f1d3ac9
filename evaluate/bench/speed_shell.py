"""`engramma recall` from a cold shell: a new process each time, without a daemon and with one that answers.

Python finds everything compiled, as after `pip install`, whatever this environment says of writing bytecode: the first
command leaves it in a folder of this measurement.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from speed_talk import laid_out

# A child's peak memory begins with its parent's, so a small process starts the command and times it.
LAUNCHER = """
import os, subprocess, sys, time
began = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
Environment = dict[str, str]


def measure_shell(work: Path, store: Path, rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Wall, processor time and peak memory of a command, alone and answered by a daemon, in turns on two copies."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(work / "bytecode")}
    own = {"alone": work / "shell-alone", "daemon": work / "shell-daemon"}
    for path in own.values():
        shutil.copytree(store, path)
    question = laid_out(work, "questions")[0]
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in own}
    engramma(environment, own["daemon"], "start", "--port", "0")
    try:
        for path in own.values():  # compiles; what the daemon loads, what the disk has to read
            one_command(environment, path, "recall", question)
        for number in range(rounds):
            for name, path in own.items():
                say(f"cold recall, round {number + 1}: {name}")
                runs[name].append(one_command(environment, path, "recall", question))
    finally:
        engramma(environment, own["daemon"], "stop", "--relay")
    found: dict[str, Any] = {}
    for name, figures in runs.items():
        found[name] = {one: round(median(run[one] for run in figures), 3) for one in figures[0]}
    return found


def engramma(environment: Environment, store: Path, *arguments: str) -> None:
    command = [*COMMAND, "--store", str(store), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def one_command(environment: Environment, store: Path, *arguments: str) -> dict[str, float]:
    """A command in a process of its own: seconds, seconds of the processor, megabytes."""
    command = [*COMMAND, "--store", str(store), *arguments]
    launched = [sys.executable, "-S", "-c", LAUNCHER, *command]
    told = subprocess.run(launched, capture_output=True, text=True, env=environment)
    if told.returncode:
        sys.exit(f"engramma {' '.join(arguments)} failed:\n{told.stderr}")
    wall, cpu, peak = map(float, told.stdout.split())
    return {"wall_s": wall, "cpu_s": cpu, "peak_mb": peak / (2**20 if sys.platform == "darwin" else 2**10)}
