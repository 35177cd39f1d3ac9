"""SQLite as the store's database: connections, transactions, named queries, errors in our words.

Any number of threads and processes may use one file. Writers take the lock at once (BEGIN
IMMEDIATE), so a transaction never fails half way because another one came first.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from ...errors import (
    BadInput,
    StoreCorrupt,
    StoreError,
    StoreNotFound,
    StoreNotWritable,
    StoreReplaced,
)
from .. import database
from ..database import Params, Row
from ..migrate import is_schema_current, migrate
from .driver import PAGE_SIZE, errors, find_database_key, open_connection, operational_errors, row_type
from .errors import is_busy, of_a_copy, words_of_sqlite
from .file_owner import Held, Lost, release, share
from .key_switch import finish_switch
from .missing_database import emptied as emptied_beside
from .missing_database import made_before
from .read_only import place_for

POLL_SECONDS = 0.02
FULL = 2  # PRAGMA synchronous: an acknowledged turn survives a power cut, for a few milliseconds a transaction
NEEDED = (3, 37, 0)  # STRICT tables

__all__ = ["Row", "SqliteDatabase", "load_sqlite_queries", "query"]

T = TypeVar("T")


def load_sqlite_queries() -> Mapping[str, str]:
    """Name -> SQL of every query that SQLite runs."""
    return database.queries("sqlite")


def query(name: str, params: Params) -> str:
    """The SQL of a query. `{ns}` in it, a part of a table's name, becomes the namespace's number: never a text."""
    sql = load_sqlite_queries()[name]
    return sql.replace("{ns}", str(int(params["ns"]))) if "{ns}" in sql else sql


class SqliteDatabase:
    """One SQLite file; a connection a thread. Those who open the same file share its owner."""

    def __init__(self, path: Path, *, busy_seconds: float, create: bool = True) -> None:
        if sqlite3.sqlite_version_info < NEEDED:
            raise StoreError(
                f"SQLite {sqlite3.sqlite_version} is too old; Engramma needs {'.'.join(map(str, NEEDED))}. "
                "Use a Python built with a newer one."
            )
        if not create and not path.exists():
            raise StoreNotFound.at(path.parent)
        finish_switch(path.parent)
        self._key = find_database_key(path.parent)
        self.path = path
        self.name = str(path)
        self._busy_seconds = busy_seconds
        self._local = threading.local()
        self._mine: list[Held] = []
        self._lock = threading.Lock()
        self._closed = False
        self._pid = os.getpid()
        self._place = place_for(path)
        self._owner = share(self._place.path, create=create and not self._place.is_readonly)
        self._looked_over = -1  # the generation of the files whose schema was looked at
        try:
            with suppress(StoreReplaced), self._using():  # for those who had it open before; we open what is there now
                return
            with self._using():
                pass
        except BaseException:
            self.close()
            raise

    @property
    def generation(self) -> int:
        return self._owner.generation

    # --- reading and writing -----------------------------------------------------------------

    def all(self, name: str, params: Params) -> list[Row]:
        if getattr(self._local, "is_inside", False) and (inside := self._held().connection) is not None:
            with suppress(*errors()):  # inside a snapshot all is looked after; what goes wrong is told below
                return list(inside.execute(query(name, params), params))
        with self._using() as connection:
            return list(self._patiently(lambda: connection.execute(query(name, params), params).fetchall()))

    def one(self, name: str, params: Params) -> Row | None:
        rows = self.all(name, params)
        return rows[0] if rows else None

    def run(self, name: str, params: Params) -> int:
        """Run a statement inside the caller's transaction; returns the number of rows it touched."""
        with self._writing() as connection:
            return connection.execute(query(name, params), params).rowcount

    def many(self, name: str, rows: Iterable[Params]) -> None:
        with self._writing() as connection:
            listed = list(rows)
            if listed:
                connection.executemany(query(name, listed[0]), listed)

    def each(self, name: str, rows: Iterable[Params]) -> list[Row]:
        with self._writing() as connection:
            return [connection.execute(query(name, row), row).fetchone() for row in rows]

    @contextmanager
    def transaction(self, *, wait: bool = True, ns: int | None = None, lasting: bool = True) -> Iterator[None]:
        """All or nothing, alone among writers, whatever the namespace. Does not nest.

        Without `wait`, busy at once if another one writes. Without `lasting`, the disk is not waited for.
        """
        if self._place.is_readonly:
            raise StoreNotWritable(f"{self.path} is read-only: nothing was stored. Copy it to a writable place.")
        with self._using(strict=True) as connection, _synchronous(connection, lasting):
            if connection.in_transaction:
                raise StoreError("A transaction within a transaction: end the first one first.")
            try:  # Ctrl-C in the wait for others is told when it is over, and then the transaction has begun
                if wait:
                    self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
                else:
                    connection.execute("PRAGMA busy_timeout = 0")
                    try:
                        connection.execute("BEGIN IMMEDIATE")
                    finally:
                        connection.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")
                self._local.is_writing = True
                self._owner.check(strict=True)  # what is written into a deleted file is lost
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._local.is_writing = False
            self._owner.check(strict=True)  # nor is it stored if they went while it was written

    @contextmanager
    def snapshot(self, ns: int | None = None) -> Iterator[None]:
        """Several reads that see one state of the database."""
        with self._using() as connection:
            if connection.in_transaction:
                yield
                return
            try:
                connection.execute("BEGIN")
                self._local.is_inside = True
                yield
            finally:
                self._local.is_inside = False
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @property
    def is_writing(self) -> bool:
        return getattr(self._local, "is_writing", False)

    def backup(self, target: Path) -> None:
        """A consistent copy of the database while others go on writing."""
        with self._using() as connection, closing(open_connection(target, self._key)) as copy:
            try:
                # In one step: between steps a writer would make it begin again, and it might never end.
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # one plain file, no side files
            except errors() as error:
                raise of_a_copy(error, target, self._in_our_words(error)) from error

    def wipe(self) -> None:
        """Write the file anew without free pages and empty the journal: what was deleted is in neither.

        While another process reads an older state, the journal has to wait for it: StoreBusy, and the next call.
        """
        with self._using(strict=True) as connection:
            self._patiently(lambda: connection.execute("VACUUM"))
            self._patiently(lambda: _emptied(connection))

    def renew_triggers(self) -> None:
        """Make triggers as this version's schema has them, and nothing else that runs by itself: a file that came from
        elsewhere could keep what is purged, or delete what is stored."""
        listed = database.queries("copying.sql")["sqlite_acting"]
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
            migrate(fresh)
            ours = fresh.execute(listed).fetchall()
        with self.transaction(), self._writing() as connection:
            for kind, name, _ in connection.execute(listed).fetchall():
                quoted = name.replace('"', '""')
                connection.execute(f'DROP {kind} "{quoted}"')
            for *_, sql in ours:
                connection.execute(sql)

    def settle(self, ns: int) -> None:
        """Nothing is due after a large write."""

    def unsettle(self) -> None:
        """Nothing hangs on the vectors' length."""

    def heard(self, ns: int) -> int | None:
        return None  # a file tells nobody

    def size(self) -> int:
        return self.path.stat().st_size

    def close(self) -> None:
        """Close this memory's connections. In a forked child they are the parent's, and stay as they are."""
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._pid:
            return
        with self._lock:
            mine, self._mine = self._mine, []
        for held in mine:
            self._owner.drop(held)
        release(self._owner)
        self._place.tidy()

    # --- the machinery -----------------------------------------------------------------------

    @contextmanager
    def _using(self, *, strict: bool = False) -> Iterator[sqlite3.Connection]:
        """This thread's connection, which nobody closes meanwhile; errors in our words."""
        try:
            with self._taken() as connection:
                if not connection.in_transaction:
                    self._owner.check(strict=strict)
                if self._looked_over != (generation := self._owner.generation):
                    self._look_over(connection)
                    self._looked_over = generation
                yield connection
        except Lost as lost:
            raise self._owner.begin_anew(lost) from None
        except errors() as error:
            raise self._in_our_words(error) from error
        except UnicodeEncodeError as error:
            raise BadInput(
                f"A text has half a character (a lone surrogate) at position {error.start} and cannot be stored or "
                "looked up. Decode the source as UTF-8 or UTF-16 and try again."
            ) from error

    @contextmanager
    def _taken(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection and its lock; another one if it was closed by a fork or a new beginning."""
        while True:
            held = self._held()
            with held.lock:
                if held.connection is not None:
                    yield held.connection
                    return

    def _look_over(self, connection: sqlite3.Connection) -> None:
        """Bring the schema up to date; an empty file in the place of a memory that we had open is no new memory."""
        (tables,) = self._patiently(lambda: connection.execute("PRAGMA schema_version").fetchone())
        if self._looked_over >= 0 and not tables:
            raise StoreCorrupt(f"{self.path} is empty now. `engramma doctor --salvage` saves what is left.")
        # Nothing of it reached the file before its journal was deleted; or another made it just now: look again.
        left = None if tables else made_before(self.path.parent)
        if left and not self._patiently(lambda: connection.execute("PRAGMA schema_version").fetchone())[0]:
            raise emptied_beside(self.path, "holds nothing", left)
        if self._place.mode == "rw":
            self._patiently(lambda: migrate(connection))
        elif not is_schema_current(connection):
            raise StoreNotWritable(
                f"{self.path} is from an earlier version and cannot be upgraded in place. Copy {self.path.parent} to "
                "a writable place."
            )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._using() as connection:
            if not connection.in_transaction:
                raise RuntimeError("a write outside a transaction")  # a bug of ours, never of the user's
            yield connection

    def _held(self) -> Held:
        if os.getpid() != self._pid:
            raise StoreError("This store was opened before a fork; open it again in the child process.")
        if self._closed:
            raise StoreError("This memory is closed. Open it again with Memory.open.")
        held: Held | None = getattr(self._local, "held", None)
        if held is None or held.connection is None:
            held = self._local.held = self._owner.connect(self._opened)
            with self._lock:
                self._mine = [one for one in self._mine if one.connection is not None] + [held]
        return held

    def _opened(self, path: Path) -> sqlite3.Connection:
        if not self._place.is_readonly:
            finish_switch(path.parent)
        # asked anew: it may have been encrypted since by somebody who had it alone
        self._key = find_database_key(self.path.parent)
        connection = open_connection(
            f"{path.as_uri()}?mode={self._place.mode}",  # a store that was deleted is not made again behind its back
            self._key,
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.row_factory = row_type(self._key)
            if self._place.mode == "rw":
                if self._key is None:
                    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
                self._patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
            connection.execute(f"PRAGMA synchronous = {FULL}")
            connection.execute("PRAGMA cache_size = -32768")
            connection.execute("PRAGMA temp_store = MEMORY")
        except BaseException:
            connection.close()
            raise
        return connection

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

    def _in_our_words(self, error: Exception) -> StoreError:
        return words_of_sqlite(error, self.path, self._busy_seconds, has_key=self._key is not None)


@contextmanager
def _synchronous(connection: sqlite3.Connection, lasting: bool) -> Iterator[None]:
    """A transaction that waits until the disk has it, as the connection is set, or one that does not."""
    if lasting or connection.execute("PRAGMA synchronous").fetchone()[0] < FULL:
        yield
        return
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA synchronous = {FULL}")


def _emptied(connection: sqlite3.Connection) -> None:
    """Bring everything from the journal into the database and cut the journal to nothing."""
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("other processes still read the old version")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error
