"""Which processes have a store's files open, and which of these files were deleted under them.

Linux lists the open files of every process of the same user under /proc; elsewhere `lsof` is asked, if it is there.
Nothing of the store itself is opened: that would cost this process its locks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATABASE_FILE = "memory.db"
DELETED = " (deleted)"
PROC = Path("/proc")
LSOF_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Holder:
    """A process with files of a store open."""

    pid: int
    program: str
    files: tuple[str, ...]
    deleted: tuple[str, ...]

    def told(self) -> str:
        return f"process {self.pid} ({self.program})"


def can_look() -> bool:
    """Whether this system tells who has which files open."""
    return (PROC / "self" / "fd").is_dir() or shutil.which("lsof") is not None


def holders(store: Path, *, but: int | None = None) -> list[Holder]:
    """The other processes that have the database, its journal or the journal's index open; readable ones only."""
    own = os.getpid() if but is None else but
    folder = Path(os.path.realpath(store))
    found = from_proc(folder) if (PROC / "self" / "fd").is_dir() else from_lsof(folder)
    return [holder for holder in found if holder.pid != own]


def with_deleted(store: Path) -> list[Holder]:
    """The processes, this one too, that write to files of the store which are no longer there."""
    return [holder for holder in holders(store, but=0) if holder.deleted]


def from_proc(folder: Path) -> Iterator[Holder]:
    for process in PROC.iterdir():
        if not process.name.isdecimal():
            continue
        mine = [link for link in open_files(process / "fd") if _is_ours(folder, link)]
        if mine:
            yield holder_of(int(process.name), program_of(process), mine)


def open_files(descriptors: Path) -> Iterator[str]:
    """What a process has open. Without a Path for each: a busy machine has tens of thousands."""
    try:
        with os.scandir(descriptors) as entries:
            links = [entry.path for entry in entries]
    except OSError:  # it ended, or it is another user's
        return
    for link in links:
        try:
            yield os.readlink(link)  # noqa: PTH115
        except OSError:  # closed meanwhile
            continue


def _is_ours(folder: Path, link: str) -> bool:
    if DATABASE_FILE not in link:
        return False
    path = Path(link.removesuffix(DELETED))
    return path.name.startswith(DATABASE_FILE) and path.parent == folder


def holder_of(pid: int, program: str, links: list[str]) -> Holder:
    names = sorted({Path(link).name for link in links})
    deleted = tuple(name.removesuffix(DELETED) for name in names if name.endswith(DELETED))
    return Holder(pid, program, tuple(name for name in names if not name.endswith(DELETED)), deleted)


def program_of(process: Path) -> str:
    try:
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "?"
    named = [Path(word).name for word in words[:3] if word and not word.startswith("-")]
    return " ".join(named)[:60] or name


def from_lsof(folder: Path) -> Iterator[Holder]:
    """The same by `lsof`, which tells a file without a name on the disk by a count of links that is zero."""
    if (program := shutil.which("lsof")) is None:
        return
    try:
        done = subprocess.run(
            [program, "-w", "-F", "pcnk"], capture_output=True, text=True, timeout=LSOF_SECONDS, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    yield from read_lsof(folder, done.stdout)


def read_lsof(folder: Path, text: str) -> Iterator[Holder]:
    """Holders from lsof's output: lines that begin with p (process), c (its name), k (links) and n (file)."""
    pid, name, links, found = 0, "?", "1", list[str]()
    for line in [*text.splitlines(), "p0"]:
        kind, value = line[:1], line[1:]
        if kind == "p":
            if found:
                yield holder_of(pid, name, found)
            pid, name, links, found = int(value), "?", "1", []
        elif kind == "c":
            name = value
        elif kind == "f":
            links = "1"
        elif kind == "k":
            links = value
        elif kind == "n" and _is_ours(folder, value):
            found.append(value if links != "0" or value.endswith(DELETED) else f"{value}{DELETED}")
