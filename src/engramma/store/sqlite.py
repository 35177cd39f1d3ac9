"""SQLite as the store's database: connections, transactions, named queries, errors in our words.

Any number of threads and processes may use one file. Writers take the lock at once (BEGIN
IMMEDIATE), so a transaction never fails half way because another one came first.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from ..errors import BadInput, StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreNotFound, StoreNotWritable
from . import database
from .database import Params, Row
from .driver import PAGE_SIZE, connect, errors, key_in, operational_errors, row_type
from .migrate import migrate
from .switching import finish_switch

POLL_SECONDS = 0.02
NEEDED = (3, 37, 0)  # STRICT tables

UNKEYED = " If the memory is encrypted, its key.json is missing: take it out of a backup."

__all__ = ["Database", "Row", "queries", "query"]

T = TypeVar("T")


def queries() -> dict[str, str]:
    """Name -> SQL of every query that SQLite runs."""
    return database.queries("sqlite")


def query(name: str, params: Params) -> str:
    """The SQL of a query. `{ns}` in it, a part of a table's name, becomes the namespace's number: never a text."""
    sql = queries()[name]
    return sql.replace("{ns}", str(int(params["ns"]))) if "{ns}" in sql else sql


class Database:
    """One SQLite file; a connection a thread."""

    def __init__(self, path: Path, *, busy_seconds: float, create: bool = True) -> None:
        if sqlite3.sqlite_version_info < NEEDED:
            raise StoreError(
                f"SQLite {sqlite3.sqlite_version} is too old; Engramma needs {'.'.join(map(str, NEEDED))}. "
                "Use a Python built with a newer one."
            )
        finish_switch(path.parent)
        self._key = key_in(path.parent)
        self.path = path
        self.name = str(path)
        self._busy_seconds = busy_seconds
        self._local = threading.local()
        self._all: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._closed = False
        self._lock = threading.Lock()
        self._pid = os.getpid()
        if not create and not path.exists():
            raise StoreNotFound(f"There is no memory at {path.parent}. Make one with `engramma init`.")
        with suppress(OSError):  # what is wrong with the folder, SQLite says better
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # private, also in a folder that is not
        with self._translated():
            self._patiently(lambda: migrate(self._connection()))
        self._place = place_of(path)

    # --- reading and writing -----------------------------------------------------------------

    def all(self, name: str, params: Params) -> list[Row]:
        with self._translated():
            return list(self._patiently(lambda: self._connection().execute(query(name, params), params).fetchall()))

    def one(self, name: str, params: Params) -> Row | None:
        rows = self.all(name, params)
        return rows[0] if rows else None

    def run(self, name: str, params: Params) -> int:
        """Run a statement inside the caller's transaction; returns the number of rows it touched."""
        with self._translated():
            return self._writer().execute(query(name, params), params).rowcount

    def many(self, name: str, rows: Iterable[Params]) -> None:
        with self._translated():
            listed = list(rows)
            if listed:
                self._writer().executemany(query(name, listed[0]), listed)

    def each(self, name: str, rows: Iterable[Params]) -> list[Row]:
        with self._translated():
            return [self._writer().execute(query(name, row), row).fetchone() for row in rows]

    @contextmanager
    def transaction(self, *, wait: bool = True, ns: int | None = None) -> Iterator[None]:
        """All or nothing, alone among writers, whatever the namespace. Does not nest.

        Without `wait`, busy at once if another one writes.
        """
        connection = self._connection()
        with self._translated():
            if wait:
                self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            else:
                connection.execute("PRAGMA busy_timeout = 0")
                try:
                    connection.execute("BEGIN IMMEDIATE")
                finally:
                    connection.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")
            try:
                self._check_place()
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads that see one state of the database."""
        connection = self._connection()
        if connection.in_transaction:
            yield
            return
        with self._translated():
            connection.execute("BEGIN")
            try:
                yield
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def backup(self, target: Path) -> None:
        """A consistent copy of the database while others go on writing."""
        with self._translated():
            copy = connect(target, self._key)
            try:
                # In one step: between steps a writer would make it begin again, and it might never end.
                self._connection().backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # one plain file, no side files
            finally:
                copy.close()

    def wipe(self) -> None:
        """Write the file anew without free pages and empty the journal: what was deleted is in neither.

        While another process reads an older state, the journal has to wait for it: StoreBusy, and the next call.
        """
        with self._translated():
            connection = self._connection()
            self._patiently(lambda: connection.execute("VACUUM"))
            self._patiently(lambda: emptied(connection))

    def settle(self, ns: int) -> None:
        """Nothing is due after a large write."""

    def unsettle(self) -> None:
        """Nothing hangs on the vectors' length."""

    def heard(self, ns: int) -> int | None:
        return None  # a file tells nobody

    def size(self) -> int:
        return self.path.stat().st_size

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for _, connection in self._all:
                connection.close()
            self._all.clear()
            self._local = threading.local()

    # --- the machinery -----------------------------------------------------------------------

    def _connection(self) -> sqlite3.Connection:
        if os.getpid() != self._pid:
            raise StoreError("This store was opened before a fork; open it again in the child process.")
        if self._closed:
            raise StoreError("This memory is closed. Open it again with Memory.open.")
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            self._local.connection = connection
        return connection

    def _writer(self) -> sqlite3.Connection:
        connection = self._connection()
        if not connection.in_transaction:
            raise RuntimeError("a write outside a transaction")  # a bug of ours, never of the user's
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = connect(
            self.path, self._key, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = row_type(self._key)
        if self._key is None:
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        self._patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
        # FULL: an acknowledged turn survives a power cut, for a few milliseconds a transaction.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -32768")
        connection.execute("PRAGMA temp_store = MEMORY")
        with self._lock:
            for thread, left in self._all:
                if not thread.is_alive():
                    left.close()  # a server may use a thread a request
            self._all = [pair for pair in self._all if pair[0].is_alive()]
            self._all.append((threading.current_thread(), connection))
        return connection

    def _check_place(self) -> None:
        """A file that was deleted or replaced under us would take what is said and never give it back."""
        if place_of(self.path) != self._place:
            raise StoreNotFound(
                f"{self.path} was deleted or replaced while it was open. Nothing was stored: open the memory again."
            )

    def _patiently(self, act: Callable[[], T]) -> T:
        """Retry while others hold the lock: SQLite's own wait does not cover every case (WAL recovery)."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                return act()
            except operational_errors() as error:
                if not is_busy(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(POLL_SECONDS)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except errors() as error:
            raise self._in_our_words(error) from error
        except UnicodeEncodeError as error:
            raise BadInput(
                f"A text has half a character (a lone surrogate) at position {error.start} and cannot be stored or "
                "looked up. Decode the source as UTF-8 or UTF-16 and try again."
            ) from error

    def _in_our_words(self, error: Exception) -> StoreError:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        folder = self.path.parent
        if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and disk_is_full(folder)):
            return StoreFull(
                f"No space left for {self.path}. The write was rolled back and everything stored before is safe. "
                "Free some space and run the same command again: what is already there is skipped."
            )
        if code == sqlite3.SQLITE_IOERR:
            return StoreError(
                f"The disk failed under {self.path} ({error}): a quota, a limit on file sizes, or damage. Nothing "
                "of the write was kept and everything stored before is safe. Mend that and run the same command again."
            )
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreBusy(
                f"Other processes kept {self.path} busy for {self._busy_seconds:g} s. Try again, "
                "or raise busy_seconds in config.toml."
            )
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return StoreNotWritable(
                f"Cannot write {self.path} ({error}). Check the permissions of {folder}, or pass --store."
            )
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return StoreCorrupt(
                f"{self.path} is damaged ({error}). Restore a backup with `engramma restore`, "
                f"or look closer with `engramma doctor`.{'' if self._key else UNKEYED}"
            )
        return StoreError(f"{self.path}: {error}")


def emptied(connection: sqlite3.Connection) -> None:
    """Bring everything from the journal into the database and cut the journal to nothing."""
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("others still read what was there before")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error


def is_busy(error: Exception) -> bool:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def place_of(path: Path) -> tuple[int, int] | None:
    """Which file this is; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def disk_is_full(folder: Path) -> bool:
    try:
        stat = os.statvfs(folder)
    except (OSError, AttributeError):  # no statvfs on Windows
        return False
    return stat.f_bavail * stat.f_frsize < 1024 * 1024
