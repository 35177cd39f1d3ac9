"""Saves what only a lost journal holds: acknowledged writes that never reached the database file."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from ...errors import StoreError
from ...files.folders import make_private_file
from .driver import errors, find_database_key, open_connection

RESCUED_FOLDER = "rescued"


def rescue(connection: sqlite3.Connection, database: Path) -> Path | None:
    """A copy of the database as this connection still sees it, beside the store; None if none can be
    made: no room, or its folder or its key is gone."""
    folder = database.parent / RESCUED_FOLDER
    target = folder / f"memory-{time.time_ns() // 1_000_000}-{os.getpid()}.db"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        make_private_file(target)
        with closing(open_connection(target, find_database_key(database.parent))) as copy:
            if type(copy) is not type(connection):  # its key went too, or came: never in plain text what had one
                raise StoreError("the memory was encrypted, or is now")
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except (OSError, StoreError, *errors()):  # type: ignore[misc]
        with suppress(OSError):
            target.unlink(missing_ok=True)
        return None
    return target


def rescued_copies(store: Path) -> list[Path]:
    """The copies that were saved beside a store, the oldest first."""
    return sorted((store / RESCUED_FOLDER).glob("memory-*.db"))
