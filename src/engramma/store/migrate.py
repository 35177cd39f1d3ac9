"""Brings a database to the schema of this version, one numbered file after the other."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ..errors import StoreCorrupt, StoreTooNew

APPLICATION_ID = 0x456E6772  # "Engr": tells `file` and us whose database this is


def list_migrations() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order."""
    return [(number, file.read_text(encoding="utf-8")) for number, file in migration_files()]


def migration_files() -> list[tuple[int, Path]]:
    """(number, file) of every migration, in order."""
    files = sorted((Path(__file__).parent / "sql/migrations").glob("*.sql"))
    return [(int(f.name.split("_", 1)[0]), f) for f in files]


def newest_schema() -> int:
    """The number of the last migration; a store that has it is opened without a look into any."""
    return migration_files()[-1][0]


def migrate(connection: sqlite3.Connection) -> None:
    """Apply what is missing, each file in a transaction of its own; safe when several processes start at once.

    A new store gets all of them in one transaction: it is made whole or not at all, and waits for the disk once.
    """
    newest = newest_schema()
    if (version := check_version(connection, newest)) == newest:
        return
    steps = list_migrations()
    for group in [steps] if version == 0 else [[step] for step in steps]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for number, sql in group:
                if check_version(connection, newest) < number:  # another process may have been faster
                    for statement in split_statements(sql):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def is_schema_current(connection: sqlite3.Connection) -> bool:
    """Whether a database has the schema of this version; an error if it is none of ours or a newer one."""
    newest = newest_schema()
    return check_version(connection, newest) == newest


def check_version(connection: sqlite3.Connection, newest: int) -> int:
    # The owner is asked last: another process may just be making the schema, and sets all of them at once.
    names = ("schema_version", "user_version", "application_id")
    changes, version, owner = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    if owner != APPLICATION_ID and (owner or version or changes):
        raise StoreCorrupt(
            "The memory.db here belongs to another program. Nothing was changed: move it away, or pass --store."
        )
    if version > newest:
        raise StoreTooNew(
            f"This store has schema {version}; this version of Engramma supports up to {newest}. "
            "Upgrade with `pip install -U engramma`. Nothing was changed."
        )
    return version


def split_statements(sql: str) -> list[str]:
    """The single statements of a migration (executescript would commit behind our back)."""
    found: list[str] = []
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return found
