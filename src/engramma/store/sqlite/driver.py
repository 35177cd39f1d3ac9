"""Which SQLite library opens a database file: Python's own, or SQLCipher's for an encrypted one.

Both speak the same DB-API, each with errors of its own. A file is opened by one of them in a process, never by both:
two libraries do not know of each other's locks.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from ...encryption import keys_in
from ...encryption.keys import EXTRA
from ...errors import StoreError

PAGE_SIZE = 4096  # of new stores: five 384-dim vectors fill a page, and a hundred small tables take half of 8192's
CIPHER_PAGE_SIZE = 8192  # an encrypted file does not tell its own, so this one stays as it was
BYTES_OF_KEY = 32

# Python cannot decode what SQLite says of a schema whose bytes are no UTF-8.
_errors: list[type[Exception]] = [sqlite3.Error, UnicodeDecodeError]
_operational: list[type[Exception]] = [sqlite3.OperationalError]


def open_connection(
    path: Path | str, key: bytes | None = None, *, cipher: bool = False, **options: Any
) -> sqlite3.Connection:
    """A connection to a database file: an encrypted one by its key, `cipher` also a plain one by SQLCipher's library.

    The type is the standard library's, whose methods SQLCipher's connection has, too.
    """
    if key is None and not cipher:
        plain: sqlite3.Connection = sqlite3.connect(path, **options)
        return plain
    connection: sqlite3.Connection = library().connect(str(path), **options)
    try:
        if key is not None:
            connection.execute(f'PRAGMA key = "{literal(key)}"')
            connection.execute(f"PRAGMA cipher_page_size = {CIPHER_PAGE_SIZE}")
        connection.execute("PRAGMA temp_store = MEMORY")  # no passing file with what is looked for
    except BaseException:
        connection.close()
        raise
    return connection


def find_database_key(folder: Path) -> bytes | None:
    """The key of the databases in a folder; None if they are not encrypted. The folder's `key.json` decides."""
    keys = keys_in(folder)
    return None if keys is None else keys.database


def row_type(key: bytes | None) -> Any:
    """What a connection's `row_factory` has to be for rows that answer by name."""
    return sqlite3.Row if key is None else library().Row


def errors() -> tuple[type[Exception], ...]:
    """Every error of the libraries that are in use, for `except`."""
    return tuple(_errors)


def operational_errors() -> tuple[type[Exception], ...]:
    return tuple(_operational)


def library() -> Any:
    try:
        import sqlcipher3.dbapi2 as found
    except ImportError as error:
        raise StoreError(EXTRA) from error
    if found.Error not in _errors:
        _errors.append(found.Error)
        _operational.append(found.OperationalError)
    return found


def literal(key: bytes) -> str:
    """A raw key as SQLCipher reads it: no derivation, so opening a connection costs nothing. Hex digits only."""
    if len(key) != BYTES_OF_KEY:
        raise ValueError("a key of another length")
    return f"x'{key.hex()}'"
