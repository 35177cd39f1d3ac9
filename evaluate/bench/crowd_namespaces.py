"""One process with two namespaces open, commands beside it, ten writes, kill -9: the second form of crowd.py.

Closing any descriptor of a file drops every POSIX lock that the process holds on it, so a store that was opened twice
by code that opens and closes `memory.db` itself stood unlocked. The next command that ended took itself for the last
one and deleted the journal, and the process wrote on into a deleted file.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crowd_processes import Hashed, run_cli, use_hashed

from engramma import Memory, Turn
from engramma.admin.doctor import doctor_all

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
NAMESPACES = ("default", "work")
WRITES = 10
LOCKED = {"memory.db", "memory.db-shm"}
PATIENCE_SECONDS = 120.0


def rounds(context: Any, work: Path, count: int, real: bool) -> dict[str, Any]:
    """Play the case so many times on one store, and look what is in it after each."""
    began, found = time.monotonic(), list[dict[str, Any]]()
    store = work / "two"
    for number in range(count):
        one = one_round(context, store, number, real)
        found.append(one)
        told = f"{one['acknowledged']} acknowledged, {one['lost']} lost, locks {'held' if one['locked'] else 'GONE'}"
        sys.stderr.write(f"round {number + 1}/{count}: {told}\n")
    with Memory.open(store, create=False, embedder=embedder(real)) as memory:
        unwell = [f"{check.name}: {check.detail}" for check in doctor_all(memory._core) if not check.ok]
    lost, without = (sum(values) for values in zip(*((one["lost"], not one["locked"]) for one in found), strict=True))
    errors = [error for one in found for error in one["errors"]]
    return {
        "ok": not (lost or without or unwell or errors),
        "rounds": count,
        "seconds": round(time.monotonic() - began, 1),
        "encoder": "packaged" if real else "hashed words",
        "acknowledged": sum(one["acknowledged"] for one in found),
        "lost": lost,
        "rounds_without_locks": without,
        "doctor": unwell or "clean",
        "errors": errors[:5],
    }


def one_round(context: Any, store: Path, number: int, real: bool) -> dict[str, Any]:
    """Start the process, run commands beside it, have it write, kill it, and count what is stored."""
    ours, theirs = context.Pipe()
    process = context.Process(target=obey, args=(theirs, str(store), number, real))
    process.start()
    theirs.close()
    errors, acknowledged, held = list[str](), list[str](), LOCKED
    try:
        expect(ours)
        for command in (["stats"], ["recall", "garden"]):
            beside = context.Process(target=one_command, args=([*command, "--store", str(store)], real))
            beside.start()
            beside.join()
            errors += [f"{command[0]} ended with {beside.exitcode}"] if beside.exitcode else []
        held = locks_of(process.pid, store)
        ours.send("write")
        acknowledged = [expect(ours) for _ in range(WRITES)]
    except (EOFError, TimeoutError) as error:
        errors.append(f"round {number}: {error!r}")
    finally:
        process.kill()
        process.join()
        ours.close()
    there = Counter(words(store, real))
    lost = [text for text in acknowledged if there[text] != 1]
    return {"acknowledged": len(acknowledged), "lost": len(lost), "locked": held >= LOCKED, "errors": errors}


def expect(pipe: Connection) -> str:
    if not pipe.poll(PATIENCE_SECONDS):
        raise TimeoutError("the process says nothing")
    return str(pipe.recv())


def words(store: Path, real: bool) -> list[str]:
    """Every text in the two namespaces, read by another process than the one that was killed."""
    found = []
    for name in NAMESPACES:
        with Memory.open(store, name, embedder=embedder(real)) as memory:
            found += [turn.text for talk in memory.conversations() for part in talk.sessions for turn in part.turns]
    return found


def embedder(real: bool) -> Hashed | None:
    return None if real else Hashed()


def locks_of(pid: int, store: Path) -> set[str]:
    """The names of a store's files on which a process holds a POSIX lock; where the system does not tell, all."""
    listing = Path("/proc/locks")
    if not listing.exists():
        return LOCKED
    files = {path.stat().st_ino: path.name for path in store.iterdir() if path.is_file()}
    rows = [line.split() for line in listing.read_text().splitlines() if "->" not in line]
    mine = [row for row in rows if row[1] == "POSIX" and int(row[4]) == pid]
    return {files.get(int(row[5].rsplit(":", 1)[1]), "another") for row in mine}


def one_command(arguments: list[str], real: bool) -> None:
    """Run a command of the CLI and end as it does."""
    if not real:
        use_hashed()
    code, text = run_cli(arguments)
    sys.stderr.write(text if code else "")
    raise SystemExit(code)


def obey(pipe: Connection, store: str, number: int, real: bool) -> None:
    """Open two namespaces, then write when told to, and say each text once it is stored."""
    if not real:
        use_hashed()
    memories = [Memory.open(store, name) for name in NAMESPACES]
    for memory in memories:
        memory.recall("garden")
    pipe.send("ready")
    pipe.recv()
    for n in range(WRITES):
        text = f"round {number} says line {n} of the garden"
        said_at = START + timedelta(hours=number, minutes=n)
        memories[n % 2].remember_session("talk", f"r{number}-{n}", [Turn("Ana", text, said_at, f"t{n}")])
        pipe.send(text)
    pipe.recv()  # until it is killed
