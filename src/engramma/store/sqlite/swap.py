"""Replaces the contents of a database file with another's, while nobody else has it open."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ...errors import StoreBusy, StoreCorrupt, StoreError, StoreFull
from .driver import errors, find_database_key, open_connection, operational_errors
from .errors import is_busy, is_damage, is_full, of_a_copy
from .rekey import recode

POLL_SECONDS = 0.05
PAGES = 2_048  # copied between two words about how far it is


class HeldDatabase:
    """A database held exclusively until released: other openers wait."""

    def __init__(self, connection: sqlite3.Connection, key: bytes | None) -> None:
        self._connection = connection
        self._key = key

    def copy(self, target: Path) -> None:
        """All that is in it, as another file. (Opening the file itself and closing it again would end our lock.)"""
        with closing(open_connection(target, self._key)) as copy:
            try:
                self._connection.backup(copy)
            except errors() as error:
                raise of_a_copy(error, target, StoreError(f"Cannot copy the memory ({error}).")) from error

    def recode(self, target: Path, key: bytes | None, told: Callable[[str, int, int], None]) -> None:
        """All that is in it, as another file under another key, compared row by row."""
        recode(self._connection, target, key, told)

    def fill(self, source: Path, told: Callable[[int, int], None]) -> None:
        """Put what another file holds in its place, in one transaction: all of it, or it is as it was. The file itself
        stays, so that whoever waits to open it opens no other one. `told`: how many pages are done, of how many."""
        try:
            with closing(open_connection(source, self._key)) as other:
                other.execute("PRAGMA journal_mode = DELETE")

                def step(_status: int, left: int, total: int) -> None:
                    if total:  # a step that fails is told, too, perhaps before it is known how many pages there are
                        told(total - left, total)

                other.backup(self._connection, pages=PAGES, progress=step)
        except errors() as error:
            raise StoreError(f"The backup could not be put in place ({error}). The memory was not changed.") from error


@contextmanager
def held(path: Path, seconds: float, *, cipher: bool = False) -> Iterator[HeldDatabase]:
    """Hold a database alone. It leaves write-ahead mode, which only its one user can make it do, so nobody else has it
    open; StoreBusy, and nothing changed, if others do not let go in time. `cipher`: by SQLCipher's library."""
    key = find_database_key(path.parent)
    with closing(open_connection(path, key, cipher=cipher, timeout=0.0, isolation_level=None)) as connection:
        deadline = time.monotonic() + seconds
        while not is_alone(path, connection):
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    "Another program has this memory open, such as an assistant's MCP server or `engramma watch`. "
                    "Nothing was changed: stop it and try again."
                )
            time.sleep(POLL_SECONDS)
        yield HeldDatabase(connection, key)


def is_alone(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether the database could be taken, for this connection and for nobody else until it is closed."""
    try:
        connection.execute("PRAGMA locking_mode = NORMAL")
        (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        if mode != "delete":
            return False
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")  # in this mode the lock outlasts the transaction
    except errors() as error:
        if isinstance(error, operational_errors()) and is_busy(error):
            return False
        if is_full(error, path):
            raise StoreFull(f"No space left for {path}. Nothing was changed: free some space and try again.") from error
        if not is_damage(error):
            raise StoreError(f"{path} cannot be held ({error}). Nothing was changed.") from error
        raise StoreCorrupt(
            f"{path} is damaged ({error}). Nothing was changed. `engramma doctor --salvage` builds a new memory from "
            f"what is left. To restore a backup, move {path.parent} away first and leave out --replace."
        ) from error
    return True
