"""PostgreSQL as a copy sees it: rows by a cursor of the server, in by COPY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..copy_tables import SqliteRows, Table, Values, as_one_file, clearing, copy_all, quote_identifier, sql_of
from ..database import queries
from .database import Postgres, roll_back
from .values import Statement, tagged, untagged, vector_text, without_nul

FETCHED = 2_000  # rows a time
EMBEDDED = "embedding"  # the vector once more, for SQL clients: made of its bytes


class PostgresRows:
    """A schema of a PostgreSQL database. Reading sees one state of it: the one that was when it was opened."""

    def __init__(self, database: Postgres, *, write: bool = False) -> None:
        self._database = database
        self._connection = database._pool.get()
        self._writes = write
        self._streams = 0
        self._connection.execute("SET statement_timeout = 0")
        if not write:
            self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    def count(self, table: Table) -> int:
        row = self._connection.execute(sql_of("copy_count", table)).fetchone()
        return 0 if row is None else int(row[0])

    def last(self, table: Table) -> Values | None:
        row = self._connection.execute(sql_of("copy_last", table)).fetchone()
        return None if row is None else tuple(row)

    def stream(self, table: Table, after: Values | None = None) -> Iterator[Values]:
        sql = sql_of("copy_stream" if after is None else "copy_stream_after", table, mark="%s")
        yield from self._streamed(table, sql, after)

    def _streamed(self, table: Table, sql: str, values: Values | None) -> Iterator[Values]:
        self._streams += 1
        with self._state(), self._connection.cursor(name=f"stream_{self._streams}") as cursor:
            cursor.itersize = FETCHED
            cursor.execute(sql, values)  # of a file of ours
            for row in cursor:
                yield _read(table, tuple(row))

    def append(self, table: Table, rows: Sequence[Values]) -> None:
        columns = (*table.columns, EMBEDDED) if "vector" in table.columns else table.columns
        sql: Any = sql_of("postgres_add", table, columns)
        with self._writing(table), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(_written(table, row))

    def clear(self, table: Table) -> None:
        with self._writing(table):
            self._connection.execute(sql_of(clearing(table), table))

    def counters(self) -> dict[str, int]:
        return {row["name"]: int(row["seq"]) for row in self._sequences() if row["seq"] is not None}

    def set_counters(self, counters: dict[str, int]) -> None:
        sql = queries("copying.sql")["postgres_counter_set"]
        for row in self._sequences():
            name, column = row["name"], row["counted"]
            highest = sql_of("postgres_highest", Table(name, (column,), (column,)))
            last = self._connection.execute(highest).fetchone()
            highest_key = 0 if last is None else int(last[0] or 0)
            seq = max(counters.get(name, 0), highest_key, int(row["seq"] or 0))
            if seq:
                given = {"table": quote_identifier(name), "counted": column, "seq": seq}
                self._connection.execute(sql, given)

    def close(self) -> None:
        roll_back(self._connection)
        if not self._connection.closed:
            self._connection.execute("RESET statement_timeout")
        self._database._pool.put(self._connection)

    # --- steps -----------------------------------------------------------------------------------

    def _sequences(self) -> list[Any]:
        return list(self._connection.execute(queries("copying.sql")["postgres_counters"]).fetchall())

    @contextmanager
    def _state(self) -> Iterator[None]:
        """A transaction for a cursor, where there is none for all of them."""
        if not self._writes:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            roll_back(self._connection)

    @contextmanager
    def _writing(self, table: Table) -> Iterator[None]:
        """A transaction in which the table's triggers rest, and the wall that would keep its owner from using COPY."""
        altered = f"ALTER TABLE {quote_identifier(table.name)}"
        row = self._connection.execute(
            queries("copying.sql")["postgres_forced"], {"table": quote_identifier(table.name)}
        ).fetchone()
        forced = row is not None and bool(row[0])
        self._connection.execute("BEGIN")
        try:
            self._connection.execute(f"{altered} DISABLE TRIGGER USER")
            if forced:
                self._connection.execute(f"{altered} NO FORCE ROW LEVEL SECURITY")
            yield
            if forced:
                self._connection.execute(f"{altered} FORCE ROW LEVEL SECURITY")
            self._connection.execute(f"{altered} ENABLE TRIGGER USER")
            self._connection.execute("COMMIT")
        except BaseException:
            roll_back(self._connection)
            raise


class NamespaceRows(PostgresRows):
    """The rows of one namespace alone."""

    def __init__(self, database: Postgres, ns: int, *, write: bool = False) -> None:
        super().__init__(database, write=write)
        self._ns = ns

    def count(self, table: Table) -> int:
        row = self._connection.execute(sql_of("copy_count_of", table), (self._ns,)).fetchone()
        return 0 if row is None else int(row[0])

    def last(self, table: Table) -> Values | None:
        return None  # it is cleared first

    def stream(self, table: Table, after: Values | None = None) -> Iterator[Values]:
        yield from self._streamed(table, sql_of("copy_stream_of", table), (self._ns,))

    def clear(self, table: Table) -> None:
        with self._writing(table):
            self._connection.execute(sql_of("copy_clear_of", table), (self._ns,))

    def notes(self) -> list[Any]:
        """What the store notes about the namespace, as (key, tagged value)."""
        asked = Statement(queries("postgres_engine.sql")["notes_of_namespace"])
        return list(self._connection.execute(asked.sql, asked.values({"ns": self._ns})).fetchall())

    def copy_notes(self, source: NamespaceRows) -> None:
        put = Statement(queries("postgres")["meta_put"])
        for key, value in source.notes():
            self._connection.execute(put.sql, put.values({"key": key, "value": untagged(value)}))


def _read(table: Table, row: Values) -> Values:
    """A row with values as SQLite has them."""
    if table.name == "meta":
        return (row[0], untagged(row[1]))
    return tuple(bytes(value) if isinstance(value, memoryview | bytearray) else value for value in row)


def _written(table: Table, row: Values) -> list[Any]:
    """A row as COPY takes it."""
    if table.name == "meta":
        return [row[0], without_nul(tagged(row[1]))]
    values = [without_nul(value) if isinstance(value, str) else value for value in row]
    if "vector" in table.columns:
        values.append(vector_text(row[table.columns.index("vector")]))
    return values


def copy_to_sqlite(database: Postgres, target: Path) -> None:
    """A copy of a PostgreSQL store as one SQLite file, for a backup."""
    with (
        database.snapshot(),
        closing(PostgresRows(database)) as source,
        closing(SqliteRows(target, write=True)) as rows,
    ):
        copy_all(source, rows)
    as_one_file(target)
