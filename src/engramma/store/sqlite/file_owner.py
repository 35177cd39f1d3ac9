"""The one owner of a SQLite file in this process: every connection to it is made, watched and closed here.

SQLite's locks belong to the process and the file, not to a connection: closing any descriptor of the file drops them
all. So only SQLite itself opens `memory.db`, `-wal` and `-shm`; whoever needs to know something about these files asks
for their status, which opens nothing. And because another program may still delete or replace them under us, the owner
remembers which files it began with, and says so when they are others.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import StoreBusy, StoreError, StoreNotFound, StoreReplaced
from ...files import held_databases as held_files
from ...files.folders import make_private_file
from .driver import errors
from .guard import hold_guard
from .rescue import rescue

LOOK_SECONDS = 0.05  # reads look this often whether the files are still the same; writes look every time
LET_GO_SECONDS = 30.0  # other threads have so long to end what they are doing before their connection is closed

Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Files:
    """Which files a database consists of, by device and number; None where there is none."""

    database: Identity | None
    journal: Identity | None
    shared: Identity | None


class Lost(Exception):
    """The files of a database are not the ones that it was opened with."""

    def __init__(self, began: Files, found: Files, generation: int) -> None:
        super().__init__("the files of the database were replaced")
        self.began, self.found, self.generation = began, found, generation

    @property
    def what(self) -> str:
        if self.found.database == self.began.database:
            return "lost its journal (-wal, -shm)"
        return "was deleted" if self.found.database is None else "was replaced"


@dataclass(eq=False, slots=True)
class Held:
    """One connection of one thread. Its lock is held while it is used, so that nobody closes it then."""

    connection: sqlite3.Connection | None
    thread: threading.Thread
    lock: Any = field(default_factory=threading.RLock)

    def close(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()


class Owner:
    """All connections of this process to one database file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.users = 0
        self.generation = 0  # grows when the files were replaced: what was read before may not hold any more
        self._held: list[Held] = []
        self._files: Files | None = None
        self._looked_at = 0.0
        self._lock = threading.RLock()

    def connect(self, opened: Callable[[Path], sqlite3.Connection]) -> Held:
        """A new connection for this thread. Those of threads that ended are closed: a server may use one a request."""
        with self._lock:
            if not self.path.exists():
                raise StoreNotFound(f"There is no longer a memory at {self.path.parent}.")
            held = Held(opened(self.path), threading.current_thread())
            left = [one for one in self._held if not one.thread.is_alive()]
            self._held = [one for one in self._held if one.thread.is_alive()] + [held]
            for one in left:
                one.close()
            return held

    def drop(self, held: Held) -> None:
        """Close one connection, when its thread has ended what it is doing."""
        has_it = held.lock.acquire(timeout=LET_GO_SECONDS)
        try:
            held.close()
        finally:
            if has_it:
                held.lock.release()
        with self._lock:
            self._held = [one for one in self._held if one is not held]
            if not self._held:
                self._files = None  # whoever opens next may find another journal

    def check(self, *, strict: bool) -> None:
        """Raise Lost if the files are not the ones that we began with."""
        now = time.monotonic()
        if not strict and now - self._looked_at < LOOK_SECONDS:
            return
        generation, began, found = self.generation, self._files, files_of(self.path)
        if found != began:
            if began is not None and not grown(began, found):
                raise Lost(began, found, generation)
            self._files = found
        self._looked_at = now

    def begin_anew(self, lost: Lost) -> StoreError:
        """Close every connection; the next call opens the files that are there now. Returns what to tell.

        What is in a lost journal is not written to the database: others may have written to it since.
        """
        with self._lock:
            kept = None if self.generation != lost.generation else self._close_all(lost)
        saved = "" if kept is None else f"What only it contained was saved as {kept}: see `engramma doctor --salvage`. "
        anew, gone = "The memory was reopened: try again.", "Nothing is stored until it is back."
        return StoreReplaced(
            f"{self.path} {lost.what} while it was open, by another program. What was being written was not "
            f"stored. {saved}{anew if lost.found.database else gone}"
        )

    def _close_all(self, lost: Lost) -> Path | None:
        resting: list[Held] = []
        try:
            deadline = time.monotonic() + LET_GO_SECONDS
            for held in self._held:
                if not held.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                    raise StoreBusy(f"{self.path} {lost.what} and is still being read here. Nothing was stored.")
                resting.append(held)
            kept = None
            for held in resting:
                with suppress(*errors()):
                    if held.connection is not None and held.connection.in_transaction:
                        held.connection.rollback()
                if kept is None and held.connection is not None:
                    kept = rescue(held.connection, self.path)
            with hold_guard(self.path):
                for held in resting:
                    with suppress(*errors()):
                        held.close()
            self._set_aside(lost, kept)
            self._held = []
            self._files = None
            self.generation += 1
            return kept
        finally:
            for held in resting:
                held.lock.release()

    def _set_aside(self, lost: Lost, kept: Path | None) -> None:
        """Keep SQLite from reading the journal of a database that is gone into the one that took its place, which
        would mix both. What it holds is in the copy that was kept; without one, the journal gets another name."""
        if lost.found.database == lost.began.database:
            return
        for end, began in (("-wal", lost.began.journal), ("-shm", lost.began.shared)):
            path = _beside(self.path, end)
            if began is None or _identity(path) != began:
                continue
            with suppress(OSError):
                if kept is None:
                    os.replace(path, path.with_name(f"{path.name}.lost-{time.time_ns() // 1_000_000}"))
                else:
                    path.unlink()

    def rest(self) -> None:
        """Close the connections that nobody is using, before a fork: SQLite in the child would believe that it has the
        locks of the parent, which the system does not hand on."""
        for held in self._held:
            if held.lock.acquire(blocking=False):
                try:
                    if held.connection is not None and not held.connection.in_transaction:
                        held.close()
                finally:
                    held.lock.release()
        self._held = [held for held in self._held if held.connection is not None]
        if not self._held:
            self._files = None


_owners: dict[Path, Owner] = {}
_registry = threading.RLock()
_torn: set[Path] = set()  # files that a parent was using at the very moment of a fork: not to be had in this process


def share(path: Path, *, create: bool) -> Owner:
    """The owner of a file in this process; `create` makes the file if there is none."""
    real = path.resolve()
    with _registry:
        if real in _torn:
            raise StoreError(
                f"{path} was in use when this process was forked, so SQLite cannot use it here. Close the "
                "memory before the fork, or start the process another way (multiprocessing: spawn)."
            )
        if create:
            make_private_file(real)
        owner = _owners.setdefault(real, Owner(real))
        owner.users += 1
        held_files.note_open_file(real)
        return owner


def release(owner: Owner) -> None:
    with _registry:
        owner.users -= 1
        held_files.note_closed_file(owner.path)
        if owner.users == 0 and _owners.get(owner.path) is owner:
            del _owners[owner.path]


def files_of(path: Path) -> Files:
    return Files(_identity(path), _identity(_beside(path, "-wal")), _identity(_beside(path, "-shm")))


def _beside(path: Path, end: str) -> Path:
    """A file that SQLite keeps beside its database."""
    return path.with_name(path.name + end)


def _identity(path: Path) -> Identity | None:
    """Which file this is; None if there is none. It opens nothing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def grown(began: Files, found: Files) -> bool:
    """Whether the files are the same, but for a journal that had not been made then."""
    pairs = ((began.database, found.database), (began.journal, found.journal), (began.shared, found.shared))
    return all(before is None or before == after for before, after in pairs)


# --- forks ------------------------------------------------------------------------------------------


def _before_fork() -> None:
    _registry.acquire()
    for owner in _owners.values():
        owner._lock.acquire()
        owner.rest()


def _after_fork_in_parent() -> None:
    for owner in _owners.values():
        owner._lock.release()
    _registry.release()


def _after_fork_in_child() -> None:
    for path, owner in _owners.items():
        for held in owner._held:  # of a thread that is not here: never to be touched, not even by the collector
            _torn.add(path)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(held.connection))
        owner._held = []
        owner._lock.release()
    _owners.clear()
    held_files.forget_held_files()
    _registry.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
