"""Rewrites a database with another key, or without one, using SQLCipher's function, and compares it row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...errors import BadInput, StoreError
from ..copy_tables import SqliteRows, Table, compared, table_of
from ..database import queries
from .driver import CIPHER_PAGE_SIZE, PAGE_SIZE, errors, find_database_key, literal, open_connection

Told = Callable[[str, int, int], None]  # which table, rows so far, rows in all


def recode(source: sqlite3.Connection, target: Path, key: bytes | None, told: Told = lambda *_: None) -> None:
    """Write all that is in a database into a new file under another key, and compare both.

    The connection is one of SQLCipher's library, also to a plain file. StoreError if the copy is not the same.
    """
    sql = queries("recoding.sql")
    try:
        source.execute(sql["recode_attach"], (str(target), "" if key is None else literal(key)))
        try:
            if key is None:
                source.execute(f"PRAGMA target.page_size = {PAGE_SIZE}")
            else:
                source.execute(f"PRAGMA target.cipher_page_size = {CIPHER_PAGE_SIZE}")
            source.execute(sql["recode_export"])
            for pragma in ("user_version", "application_id"):
                (number,) = source.execute(f"PRAGMA main.{pragma}").fetchone()
                source.execute(f"PRAGMA target.{pragma} = {int(number)}")
        finally:
            source.execute(sql["recode_detach"])
        with closing(open_connection(target, key, cipher=True, isolation_level=None)) as copy:
            _compare(source, copy, told)
    except errors() as error:
        raise StoreError(f"The new database could not be written ({error}). Nothing was changed.") from error


def _compare(source: sqlite3.Connection, copy: sqlite3.Connection, told: Told) -> None:
    """Raise StoreError unless two databases say the same: the schema, every row, the counters, the pages themselves."""
    sql = queries("recoding.sql")
    schemas = [one.execute(sql["recode_schema"]).fetchall() for one in (source, copy)]
    if schemas[0] != schemas[1]:
        raise StoreError("The new database has another schema than the old one. Nothing was changed.")
    one, other = SqliteRows.over(source), SqliteRows.over(copy)
    tables = [table_of(source, row[0]) for row in source.execute(sql["recode_tables"]).fetchall()]
    done, total = 0, sum(map(one.count, tables))

    def step(table: Table, rows: int) -> None:
        nonlocal done
        done += rows
        told(table.name, done, total)

    for table in tables:
        if compared(one, other, table, step, whole=True) is None:
            raise StoreError(f"The rows of {table.name} differ in the new database. Nothing was changed.")
    if one.counters() != other.counters():
        raise StoreError("The counters differ in the new database. Nothing was changed.")
    found = [row[0] for row in copy.execute("PRAGMA integrity_check").fetchall()]
    if found != ["ok"]:
        raise StoreError(f"The new database is not sound ({found[0]}). Nothing was changed.")


def fit_to_store_key(database: Path, store: Path) -> Path:
    """A database out of a backup as the store needs it whose place it takes: under that store's key."""
    key, wanted = find_database_key(database.parent), find_database_key(store)
    if key == wanted:
        return database
    if wanted is None:
        raise BadInput(
            "This backup is encrypted and the memory here is not: it would be in plain text. Restore it into another "
            "folder, or encrypt this memory first (`engramma encrypt`)."
        )
    target = database.with_name(f"fitted-{database.name}")
    with closing(open_connection(database, key, cipher=True, isolation_level=None)) as source:
        recode(source, target, wanted)
    return target
