"""Whole tables from one database to another: in batches, resumable, and compared row by row.

What is copied is every table of the schema, in the order of its key; words are left out, because each database builds
its own from the turns. A batch is one transaction in which the table's triggers rest: what they would write is copied
itself. Where a copy broke off, the last key says where it goes on.
"""

from __future__ import annotations

import hashlib
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..errors import StoreBusy, StoreError
from .database import Database as AnyDatabase
from .database import queries
from .migrate import list_migrations, split_statements
from .sqlite.database import SqliteDatabase
from .sqlite.driver import errors, find_database_key, open_connection
from .sqlite.errors import is_busy, words_of_sqlite

PATIENCE = 60.0  # seconds that others may hold a file
BATCH_ROWS = 5_000
BATCH_BYTES = 16 * 1024 * 1024
MOVING = "moving"  # in meta, while a copy is not whole: nobody may use it
OWN = ("schema_version", MOVING)  # of meta, each database's own
WORDS = "words_form_"  # of meta: which words each database has built

Values = tuple[Any, ...]
Told = Callable[[str, int, int], None]  # which table, rows so far, rows in all


class Table(NamedTuple):
    """A table as every database has it: its columns in order, and those of its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def places(self) -> list[int]:
        return [self.columns.index(name) for name in self.key]


class Copied(NamedTuple):
    """A table that is the same on both sides: how many rows, and one hash of all of them."""

    table: str
    rows: int
    sha256: str


@cache
def tables() -> tuple[Table, ...]:
    """Every table of the schema, as the migrations make it; what says that a store is there comes last."""
    connection = sqlite3.connect(":memory:")
    try:
        for _, sql in list_migrations():
            for one in split_statements(sql):
                connection.execute(one)
        names = [row[0] for row in connection.execute(queries("copying.sql")["sqlite_tables"])]
        found = [table_of(connection, name) for name in names]
    finally:
        connection.close()
    return tuple(sorted(found, key=lambda table: (table.name == "meta", table.name != "namespaces", table.name)))


def table_of(connection: sqlite3.Connection, name: str) -> Table:
    columns = connection.execute(f"PRAGMA table_info({quote_identifier(name)})").fetchall()
    key = sorted((row[5], row[1]) for row in columns if row[5])
    return Table(name, tuple(row[1] for row in columns), tuple(column for _, column in key))


class CopiedDatabase(Protocol):
    """A database as a copy sees it."""

    def count(self, table: Table) -> int: ...
    def last(self, table: Table) -> Values | None:
        """The key of the last row."""
        ...

    def stream(self, table: Table, after: Values | None = None) -> Iterator[Values]:
        """Rows in the order of their keys, all of one state of the database."""
        ...

    def append(self, table: Table, rows: Sequence[Values]) -> None:
        """Rows behind the last one, in one transaction."""
        ...

    def clear(self, table: Table) -> None:
        """Delete all rows that are not this database's own."""
        ...

    def counters(self) -> dict[str, int]:
        """The last number that was given, by table; also of what was deleted since."""
        ...

    def set_counters(self, counters: dict[str, int]) -> None: ...
    def close(self) -> None: ...


# --- copying -------------------------------------------------------------------------------------


def copy_all(source: CopiedDatabase, target: CopiedDatabase, told: Told = lambda *_: None) -> list[Copied]:
    """Copy what is missing and compare everything; a table that differs is copied anew, once."""
    step = stepping(source, tables(), told)
    found = []
    for table in tables():
        copy_table(source, target, table, step)
        same = compared(source, target, table, step)
        if same is None:  # the source went on since a copy that was interrupted
            target.clear(table)
            copy_table(source, target, table, step)
            same = compared(source, target, table, step)
        if same is None:
            raise StoreError(f"The rows of {table.name} differ even after copying them twice. Nothing was changed.")
        found.append(same)
    target.set_counters(source.counters())
    told("done", 1, 1)
    return found


def stepping(source: CopiedDatabase, listed: Sequence[Table], told: Told) -> Callable[[Table, int], None]:
    """A function that tells how far a copy of some tables is: every row is copied once and compared once."""
    total, done = 2 * sum(source.count(table) for table in listed), 0

    def step(table: Table, rows: int) -> None:
        nonlocal done
        done += rows
        told(table.name, min(done, total), total)

    return step


def copy_table(
    source: CopiedDatabase, target: CopiedDatabase, table: Table, step: Callable[[Table, int], None]
) -> None:
    """Add the rows behind the last one; of meta, which has rows of its own on either side, all."""
    if table.name == "meta":
        target.clear(table)
    last = None if table.name == "meta" else target.last(table)
    waiting: list[Values] = []
    size = 0
    for row in kept(table, source.stream(table, last)):
        waiting.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(waiting) >= BATCH_ROWS or size >= BATCH_BYTES:
            target.append(table, waiting)
            step(table, len(waiting))
            waiting, size = [], 0
    if waiting:
        target.append(table, waiting)
        step(table, len(waiting))


def compared(
    source: CopiedDatabase,
    target: CopiedDatabase,
    table: Table,
    step: Callable[[Table, int], None],
    *,
    whole: bool = False,
) -> Copied | None:
    """Both sides row by row, by a hash of each; None where they differ. `whole`: also what is each database's own."""
    made, count = hashlib.sha256(), 0
    sides = (one.stream(table) if whole else kept(table, one.stream(table)) for one in (source, target))
    for one, other in zip_longest(*sides):
        if one is None or other is None or (digest := row_hash(one)) != row_hash(other):
            return None
        made.update(digest)
        count += 1
        if count % BATCH_ROWS == 0:
            step(table, BATCH_ROWS)
    step(table, count % BATCH_ROWS)
    return Copied(table.name, count, made.hexdigest())


def kept(table: Table, rows: Iterable[Values]) -> Iterator[Values]:
    """The rows of a table that are not each database's own."""
    for row in rows:
        if table.name != "meta" or not (row[0] in OWN or str(row[0]).startswith(WORDS)):
            yield row


def row_hash(row: Values) -> bytes:
    """A hash of a row's values and their kinds."""
    made = hashlib.sha256()
    for value in row:
        kind, data = _packed(value)
        made.update(struct.pack("<cQ", kind, len(data)))
        made.update(data)
    return made.digest()


def _packed(value: Any) -> tuple[bytes, bytes]:
    if value is None:
        return b"n", b""
    if isinstance(value, float):
        return b"f", struct.pack("<d", value)
    if isinstance(value, int):
        return b"i", b"%d" % value
    if isinstance(value, str):
        return b"s", value.encode("utf-8", "surrogatepass")
    return b"b", bytes(value)


# --- SQL -----------------------------------------------------------------------------------------


def sql_of(name: str, table: Table, columns: Sequence[str] | None = None, mark: str = "?") -> str:
    """A statement about a table; what stands in its braces are names of the schema."""
    marks = ", ".join([mark] * len(table.key if "after" in name else columns or table.columns))
    filled = {
        "{table}": quote_identifier(table.name),
        "{columns}": ", ".join(map(quote_identifier, columns or table.columns)),
        "{key}": ", ".join(map(quote_identifier, table.key)),
        "{backwards}": ", ".join(f"{quote_identifier(column)} DESC" for column in table.key),
        "{marks}": marks,
    }
    sql = queries("copying.sql")[name].rstrip(";")
    for brace, text in filled.items():
        sql = sql.replace(brace, text)
    return sql


def clearing(table: Table) -> str:
    return "copy_clear_meta" if table.name == "meta" else "copy_clear"


def quote_identifier(name: str) -> str:
    if not name.isidentifier():
        raise ValueError(f"{name!r} is not the name of a table or column")
    return f'"{name}"'


class SqliteRows:
    """A SQLite file. Reading sees one state of it: the one that was when it was opened."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        if write:
            SqliteDatabase(path, busy_seconds=PATIENCE).close()  # makes the schema
        self._path = path
        self._connection = open_connection(path, find_database_key(path.parent), timeout=PATIENCE, isolation_level=None)
        try:
            self._connection.execute("PRAGMA synchronous = NORMAL")
            if not write:
                self._connection.execute("BEGIN")
                self._connection.execute("PRAGMA user_version").fetchone()  # the state begins with the first look
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def over(cls, connection: sqlite3.Connection) -> SqliteRows:
        """The rows that a connection sees which somebody else opened, and closes."""
        rows = cls.__new__(cls)
        rows._path, rows._connection = Path(connection.execute("PRAGMA database_list").fetchone()[2]), connection
        return rows

    def count(self, table: Table) -> int:
        return int(self._connection.execute(sql_of("copy_count", table)).fetchone()[0])

    def last(self, table: Table) -> Values | None:
        found: Values | None = self._connection.execute(sql_of("copy_last", table)).fetchone()
        return found

    def stream(self, table: Table, after: Values | None = None) -> Iterator[Values]:
        name = "copy_stream" if after is None else "copy_stream_after"
        yield from self._connection.execute(sql_of(name, table), after or ())

    def stream_by(self, name: str, table: Table) -> Iterator[Values]:
        """Rows by one of the statements that need no values."""
        yield from self._connection.execute(sql_of(name, table))

    def append(self, table: Table, rows: Sequence[Values]) -> None:
        with self._in_words(), self._writing(table):
            self._connection.executemany(sql_of("sqlite_add", table), rows)

    def clear(self, table: Table) -> None:
        with self._in_words(), self._writing(table):
            self._connection.execute(sql_of(clearing(table), table))

    def counters(self) -> dict[str, int]:
        return {name: int(seq) for name, seq in self._connection.execute(queries("copying.sql")["sqlite_counters"])}

    def set_counters(self, counters: dict[str, int]) -> None:
        sql, own = queries("copying.sql"), self.counters()
        known = {table.name for table in tables() if has_counter(self._connection, table.name)}
        with self._in_words():
            for name, seq in counters.items():
                if name in known:
                    self._connection.execute(sql["sqlite_counter_drop"], (name,))
                    self._connection.execute(sql["sqlite_counter_add"], (name, max(seq, own.get(name, 0))))

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """What goes wrong with a write, such as a full disk, in our words."""
        try:
            yield
        except errors() as error:
            raise words_of_sqlite(error, self._path, PATIENCE, has_key=True) from error

    @contextmanager
    def _writing(self, table: Table) -> Iterator[None]:
        """A transaction in which the table's triggers rest."""
        triggers = self._connection.execute(queries("copying.sql")["sqlite_triggers"], (table.name,)).fetchall()
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for name, _ in triggers:
                self._connection.execute(f"DROP TRIGGER {quote_identifier(name)}")
            yield
            for _, sql in triggers:
                self._connection.execute(sql)
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def has_counter(connection: sqlite3.Connection, name: str) -> bool:
    """Whether a table never gives a number twice."""
    rows = connection.execute(queries("copying.sql")["sqlite_made"], (name,)).fetchall()
    return bool(rows) and "AUTOINCREMENT" in rows[0][0].upper()


def check_whole(database: AnyDatabase) -> None:
    """Half a store is none: what is still being copied cannot be opened."""
    if database.one("meta_get", {"key": MOVING}) is not None:
        raise StoreBusy(
            f"A memory is being copied to {database.name} and is not complete. Run `engramma migrate` again to finish."
        )


def as_one_file(path: Path) -> None:
    """Bring everything from the journal into the file, so that it can be renamed or taken along alone."""
    connection = open_connection(path, find_database_key(path.parent), timeout=PATIENCE)
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    except errors() as error:
        if not is_busy(error):
            raise words_of_sqlite(error, path, PATIENCE, has_key=True) from error
        mode = "busy"
    finally:
        connection.close()
    if mode != "delete":
        raise StoreBusy(f"Another program has {path} open. Close it and run the same command again.")
