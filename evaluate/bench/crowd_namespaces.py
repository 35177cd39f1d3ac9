"""One process with two namespaces open, commands beside it, ten writes, kill -9: the second form of crowd.py.

    python evaluate/bench/crowd_namespaces.py STORE        # the process itself; it obeys lines on its standard input

Closing any descriptor of a file drops every POSIX lock that the process holds on it, so a store that was opened twice
by code that opens and closes `memory.db` itself stood unlocked. The next command that ended took itself for the last
one and deleted the journal, and the process wrote on into a deleted file.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma import Memory, Turn
from engramma.upkeep import doctor_all

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
NAMESPACES = ("default", "work")
WRITES = 10
LOCKED = ("memory.db", "memory.db-shm")
CLI = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]


def rounds(work: Path, count: int) -> dict[str, Any]:
    """Play the case so many times on one store, and look what is in it after each."""
    began, found = time.monotonic(), list[dict[str, Any]]()
    store = work / "two"
    for number in range(count):
        found.append(one_round(store, number))
        one = found[-1]
        sys.stderr.write(
            f"round {number + 1}/{count}: {one['acknowledged']} acknowledged, {one['lost']} lost, "
            f"locks {'held' if one['locks_held'] else 'GONE'}\n"
        )
    with Memory.open(store, create=False) as memory:
        unwell = [f"{check.name}: {check.detail}" for check in doctor_all(memory) if not check.ok]
    lost = sum(one["lost"] for one in found)
    without = sum(not one["locks_held"] for one in found)
    return {
        "ok": not (lost or unwell or without or any(one["errors"] for one in found)),
        "rounds": count,
        "seconds": round(time.monotonic() - began, 1),
        "acknowledged": sum(one["acknowledged"] for one in found),
        "lost": lost,
        "rounds_without_locks": without,
        "doctor": unwell or "clean",
        "errors": [error for one in found for error in one["errors"]][:5],
    }


def one_round(store: Path, number: int) -> dict[str, Any]:
    """Start the process, run commands beside it, have it write, kill it, and count what is stored."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(store), str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    errors, acknowledged = list[str](), list[str]()
    try:
        expect(process, "ready")
        for command in (["stats"], ["recall", "garden"]):
            done = subprocess.run([*CLI, *command, "--store", str(store)], capture_output=True, text=True)
            if done.returncode:
                errors.append(done.stderr[-500:])
        held = locks_of(process.pid, store)
        process.stdin.write(f"write {WRITES}\n")
        process.stdin.flush()
        for _ in range(WRITES):
            if not (line := process.stdout.readline()):
                break
            acknowledged.append(line.strip())
        process.kill()
        errors += [error[-500:] for error in (process.stderr.read(),) if error]
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
    there = Counter(words(store))
    lost = [text for text in acknowledged if there[text] != 1]
    return {
        "acknowledged": len(acknowledged),
        "lost": len(lost),
        "locks_held": held is None or set(LOCKED) <= held,
        "errors": errors + ([] if len(acknowledged) == WRITES else [f"{len(acknowledged)} of {WRITES} were answered"]),
    }


def expect(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None and process.stderr is not None
    if (line := process.stdout.readline().strip()) != word:
        raise RuntimeError(f"the process said {line!r}: {process.stderr.read()}")


def words(store: Path) -> list[str]:
    """Every text in the two namespaces, read by another process than the one that was killed."""
    found = []
    for name in NAMESPACES:
        with Memory.open(store, name) as memory:
            found += [turn.text for talk in memory.conversations() for part in talk.sessions for turn in part.turns]
    return found


def locks_of(pid: int, store: Path) -> set[str] | None:
    """The names of a store's files on which a process holds a POSIX lock; None where the system does not tell."""
    listing = Path("/proc/locks")
    if not listing.exists():
        return None
    files = {path.stat().st_ino: path.name for path in store.iterdir() if path.is_file()}
    held = set()
    for line in listing.read_text().splitlines():
        parts = line.split()
        if "->" not in parts and parts[1] == "POSIX" and int(parts[4]) == pid:
            held.add(files.get(int(parts[5].rsplit(":", 1)[1]), "another"))
    return held


def obey(store: Path, number: int) -> None:
    """Open two namespaces, then write what is asked for, and say each text once it is stored."""
    memories = [Memory.open(store, name) for name in NAMESPACES]
    for memory in memories:
        memory.recall("garden")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    wanted = int(sys.stdin.readline().split()[1])
    for n in range(wanted):
        text = f"round {number} says line {n} of the garden"
        said_at = START + timedelta(hours=number, minutes=n)
        memories[n % 2].remember_session("talk", f"r{number}-{n}", [Turn("Ana", text, said_at, f"t{n}")])
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    sys.stdin.read()  # until it is killed


if __name__ == "__main__":
    obey(Path(sys.argv[1]), int(sys.argv[2]))
