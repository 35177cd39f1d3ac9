"""Runs every face in one process that holds a memory open, and prints who opened or closed what only SQLite may.

    python descriptors.py STORE OTHER [--spoil]

Python tells an audit hook of every file that Python code opens, renames or deletes; what SQLite opens itself it does
not. With --spoil the files are opened on purpose instead, which the report must then say.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from functools import cache
from pathlib import Path

import typer.testing
from typer.testing import CliRunner

import engramma.core.embedder
import engramma.models.load
from engramma import Memory
from engramma.apps.cli.main import app
from engramma.files.held_databases import is_held
from engramma.transfer import replace as replacing
from tests.fakes import HashEmbedder

WATCHED = {"open": 0, "os.remove": 0, "os.rename": 0, "os.truncate": 0, "shutil.copyfile": 0}
ENDS = ("", "-wal", "-shm")

found: list[dict[str, str]] = []
ran: dict[str, int] = {}
now = "start"
store = Path()


def watch(event: str, arguments: tuple[object, ...]) -> None:
    place = WATCHED.get(event, -1)
    if place < 0 or not isinstance(arguments[place], str | bytes | os.PathLike):
        return
    path = Path(os.fsdecode(arguments[place]))  # type: ignore[arg-type]
    if not path.name.startswith("memory.db"):
        return
    ours = path.name in {f"memory.db{end}" for end in ENDS} and os.path.realpath(path.parent) == str(store)
    if ours or is_held(path):
        where = "".join(traceback.format_stack(limit=8)[:-1])
        found.append({"face": now, "event": event, "path": str(path), "where": where})


def face(name: str, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
    """Run a command as it is run from a shell, but in this process."""
    global now
    now = name
    result = CliRunner().invoke(app, ["--store", str(store), *arguments])
    ran[name] = result.exit_code
    if result.exit_code not in codes:
        raise SystemExit(f"{name} ended with {result.exit_code}: {result.output}") from result.exception
    return result.output


def locks() -> list[str]:
    """The store's files on which this process holds POSIX locks, by Linux's own list."""
    numbers = {(store / f"memory.db{end}").stat().st_ino: f"memory.db{end}" for end in ENDS}
    rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    mine = [row for row in rows if row[1] == "POSIX" and row[4] == str(os.getpid())]
    return sorted({numbers.get(int(row[5].rsplit(":", 1)[1]), "?") for row in mine} - {"?"})


def every_face(other: Path, held: Memory) -> None:
    global now
    talk = other / "talk.jsonl"
    face("remember", "remember", "the piano teacher comes on Fridays")
    face("turn", "remember", "the harbour is closed", "-c", "trip", "--session", "s1", "--close")
    for name in ("stats", "status", "sessions", "notes", "topics", "acts", "doctor"):
        face(name, name, codes=(0, 3))
    face("recall", "recall", "piano teacher")
    face("ask", "ask", "When does the piano teacher come?")
    face("namespace create", "namespace", "create", "work")
    face("work", "-n", "work", "remember", "the invoice is due in June")
    face("doctor --fix", "doctor", "--fix")
    face("export", "export", str(talk))
    face("import", "-n", "work", "import", str(talk))
    face("backup", "backup", str(other / "backup.zip"))
    face("restore", "--store", str(other / "restored"), "restore", str(other / "backup.zip"))
    replacing.LET_GO_SECONDS = 0.05
    face("restore --replace", "restore", "--replace", str(other / "backup.zip"), codes=(1,))  # we have it open
    face("migrate", "migrate", "--to", str(other / "moved"))
    face("forget", "forget", "--query", "harbour", "--yes")
    face("purge", "purge", "--query", "harbour", "--yes")
    face("redact --scan", "redact", "--scan", "--yes")
    face("steward", "steward", "--apply")
    face("reindex", "reindex", "--force")
    face("namespace rename", "namespace", "rename", "work", "office")
    face("namespace delete", "namespace", "delete", "office", "--yes", "office")
    face("salvage", "doctor", "--salvage", "--to", str(other / "salvaged"))
    now = "dashboard"
    held.admin.figures()
    now = "a second open, and its end"
    with Memory.open(store, "default"), Memory.open(store, "trips") as second:
        second.remember("a ticket for the night train")
    now = "the memory that was open all the time"
    held.remember("the violin is in the kitchen")


def spoil() -> None:
    global now
    for now in ("Path.open", "os.open", "copy"):
        if now == "Path.open":
            (store / "memory.db-wal").open("rb").close()
        elif now == "os.open":
            os.close(os.open(store / "memory.db", os.O_RDONLY))
        else:
            shutil.copyfile(store / "memory.db-shm", store / "copy")


def main() -> None:
    global store, now
    store, other = Path(os.path.realpath(sys.argv[1])), Path(sys.argv[2])
    other.mkdir()
    typer.testing._get_command = cache(typer.testing._get_command)  # put together once for all commands
    for module in (engramma.models.load, engramma.core.embedder):
        module.load = lambda *_a, **_k: HashEmbedder()  # type: ignore[attr-defined]
    sys.addaudithook(watch)
    now = "open"
    with Memory.open(store) as held:
        held.remember("the bicycle was repaired")
        if "--spoil" in sys.argv:
            spoil()
        else:
            every_face(other, held)
        report = {"found": found, "ran": ran, "locks": locks() if Path("/proc/locks").exists() else None}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
