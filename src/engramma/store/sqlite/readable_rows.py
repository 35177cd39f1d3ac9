"""The rows that can still be read of a database, table by table: by SQLite where it is sound, else page by page.

The pages of an encrypted one mean nothing to us: its tables are read by SQLCipher from both ends up to the damage.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import StoreError
from ...files import foreign_json
from ..copy_tables import SqliteRows, Table, Values, tables
from ..database import queries
from ..migrate import list_migrations, split_statements
from .driver import errors, find_database_key
from .pages import Record, orphans, read_image, read_tree, roots

# Columns that hold JSON, whatever the table, and what stands there if it cannot be read.
JSON: dict[str, str] = {"meta": "{}", "detail": "{}", "tags": "[]", "conversations": "[]", "evidence": "[]"}
CALENDAR = range(-62_135_596_800_000_000, 253_402_300_800_000_000)  # microseconds since 1970
TOMBSTONE = re.compile(r"[0-9a-f]{32}")
KINDS: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "TEXT": (str,), "BLOB": (bytes,), "REAL": (float, int)}
SOUND, PAGES, NOTHING = "sound", "damaged: read page by page", "nothing"
SEALED = "encrypted: read table by table"


class Column(NamedTuple):
    """What a column of our schema may hold, and what a row that is older than the column has in it."""

    name: str
    kinds: tuple[type, ...] | None  # None: anything
    may_be_null: bool
    default: int | None


@dataclass(slots=True)
class Remains:
    """What is left of a database: rows by table and key, and how they were read."""

    rows: dict[str, dict[Values, Values]] = field(default_factory=dict)
    how: str = NOTHING
    pages: int = 0
    damaged: int = 0  # pages that could not be read, or not to the end

    def of(self, name: str) -> list[dict[str, Any]]:
        """A table's rows by the names of their columns, in the order of their keys."""
        columns = _shapes()[name][0].columns
        found = self.rows.get(name, {})
        return [dict(zip(columns, found[key], strict=True)) for key in sorted(found, key=str)]


@cache
def _shapes() -> dict[str, tuple[Table, tuple[Column, ...], bool]]:
    """Each table of our schema: columns and key, what each column may hold, whether its rows have ids of SQLite's."""
    found = {}
    with closing(sqlite3.connect(":memory:")) as connection:
        for _, sql in list_migrations():
            for one in split_statements(sql):
                connection.execute(one)
        for table in tables():
            rows = connection.execute(f"PRAGMA table_info({table.name})").fetchall()
            (made,) = connection.execute(queries("copying.sql")["sqlite_made"], (table.name,)).fetchone()
            has_rowid = "WITHOUT ROWID" not in made.upper()
            columns = tuple(
                Column(
                    row[1],
                    KINDS.get(row[2]),
                    not row[3] and not (row[5] and not has_rowid),
                    None if row[4] is None else int(row[4]),
                )
                for row in rows
            )
            found[table.name] = (table, columns, has_rowid)
    return found


def read_remains(path: Path) -> Remains:
    """All that can be read of a database. It must be a copy: SQLite brings its journal into it."""
    found = _read(path)
    for name, rows in found.rows.items():
        found.rows[name] = {key: mended(name, row) for key, row in rows.items()}
    return found


def _read(path: Path) -> Remains:
    if not path.exists() and not path.with_name(f"{path.name}-wal").exists():
        return Remains()
    if find_database_key(path.parent) is not None:
        return by_cipher(path)
    paged = by_pages(path)  # first: SQLite may cut a journal that it does not understand
    if is_sound(path) and (sound := by_sqlite(path)) is not None:
        sound.pages = paged.pages
        return sound
    return paged


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a file that holds our schema."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            if [row[0] for row in connection.execute("PRAGMA integrity_check(1)")] != ["ok"]:
                return False
            names = {row[0] for row in connection.execute(queries("copying.sql")["sqlite_tables"])}
            return names >= {"namespaces", "sessions", "turns"}
    except errors():
        return False


def by_sqlite(path: Path) -> Remains | None:
    found = Remains(how=SOUND)
    try:
        rows = SqliteRows(path)
        try:
            for table in tables():
                places = table.places()
                found.rows[table.name] = {tuple(row[n] for n in places): row for row in rows.stream(table)}
        finally:
            rows.close()
    except errors():  # a schema of an earlier version, or a change of mind since it was called sound
        return None
    return found


def by_cipher(path: Path) -> Remains:
    """The rows of an encrypted database that stand before the first damage of a table, and those behind the last."""
    found = Remains(how=SEALED)
    try:
        rows = SqliteRows(path)
    except StoreError:
        return Remains(how=NOTHING)
    except errors():
        return Remains(how=NOTHING)
    try:
        for table in tables():
            places, own = table.places(), found.rows.setdefault(table.name, {})
            for name in ("copy_stream", "copy_stream_back"):
                try:
                    for row in rows.stream_by(name, table):
                        own[tuple(row[n] for n in places)] = row
                    break  # to the end
                except errors():
                    found.damaged += name == "copy_stream"
    finally:
        rows.close()
    return found


def by_pages(path: Path) -> Remains:
    """The rows of every page that can be read; those that a tree leads to are trusted before others."""
    image = read_image(path)
    found = Remains(how=PAGES if image.count else NOTHING, pages=image.count)
    named = roots(image)
    ours = _shapes()
    if image.count >= 1:
        for _ in read_tree(image, 1):  # the schema's own pages belong to nobody else
            pass
    for name, root in named.items():
        rows = list(read_tree(image, root))
        if name in ours:
            _add(found, name, rows)
    for has_rowid, records in orphans(image):
        for name in likely(has_rowid, records):
            _add(found, name, records)
    found.damaged = len(image.damaged)
    return found


def _add(found: Remains, name: str, records: Iterable[Record]) -> None:
    table, columns, has_rowid = _shapes()[name]
    places = table.places()
    own = found.rows.setdefault(name, {})
    for record in records:
        row = _fitting(name, columns, record, has_rowid)
        if row is not None:
            own.setdefault(tuple(row[n] for n in places), row)


def _fitting(name: str, columns: tuple[Column, ...], record: Record, has_rowid: bool) -> Values | None:
    """A record as a row of a table; None if it cannot be one."""
    if not len(columns) // 2 <= len(record.values) <= len(columns):
        return None
    values = list(record.values)
    for column in columns[len(values) :]:  # the row is older than these columns
        if column.default is None and not column.may_be_null:
            return None
        values.append(column.default)
    if has_rowid and values[0] is None and record.rowid is not None:
        values[0] = record.rowid  # a key that is the row's id is not stored twice
    for value, column in zip(values, columns, strict=True):
        if value is None:
            if not column.may_be_null:
                return None
        elif (column.kinds is not None and not isinstance(value, column.kinds)) or (
            isinstance(value, str) and "\0" in value
        ):
            return None
    if name == "tombstones" and not TOMBSTONE.fullmatch(str(values[1])):
        return None
    return tuple(
        float(v) if c.kinds == KINDS["REAL"] and v is not None else v for v, c in zip(values, columns, strict=True)
    )


def mended(name: str, row: Values) -> Values:
    """A row whose times are in the calendar and whose JSON can be read: of one bad value nothing else is lost."""
    return tuple(_mended(column, value) for column, value in zip(_shapes()[name][1], row, strict=True))


def _mended(column: Column, value: Any) -> Any:
    if column.name in JSON and value is not None:
        usual = JSON[column.name]
        try:
            return value if type(foreign_json.loads(value)) is type(foreign_json.loads(usual)) else usual
        except ValueError:
            return usual
    if (column.name == "at" or column.name.endswith("_at")) and value is not None and value not in CALENDAR:
        return None if column.may_be_null else 0
    return 0.0 if isinstance(value, float) and not isfinite(value) else value


def likely(has_rowid: bool, records: list[Record]) -> list[str]:
    """The one table whose rows look like these; none if several do."""
    fits = [
        name
        for name, (_, columns, own) in _shapes().items()
        if own == has_rowid and records and all(_fitting(name, columns, one, own) is not None for one in records)
    ]
    return fits if len(fits) == 1 else []
