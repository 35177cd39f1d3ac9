"""Statements on their way: sent straight to the server, prepared from the second time on, without psycopg's cursors.

A cursor costs twice what the rest of a short statement does. What a connection has prepared is kept with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import psycopg
from psycopg import generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from ..database import Row, queries
from .values import PostgresRow, Statement, number_parameters, row_class

MOST_PREPARED = 400  # statements of one connection: the queries that there are, and some inserts of several rows
WELL = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)

Kind = tuple[bytes, tuple[int, ...]]  # a statement, and the types of its values


class StatementResult(NamedTuple):
    """What a statement gave: its rows, and how many it touched."""

    rows: list[Row]
    touched: int


class StoreConnection(psycopg.Connection[PostgresRow]):
    """A connection with what it has prepared."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.kept: PreparedStatements | None = None
        self.is_answering = False  # a statement that was sent off is not answered yet
        self.ahead: str | None = None  # the name by which what is read with a BEGIN is prepared
        self._names = 0

    def new_name(self) -> str:
        """A name for a statement, which no other has: also none whose answer was not waited for, as on Ctrl-C."""
        self._names += 1
        return f"engramma_{self._names}"


class PreparedStatements:
    """What one connection has prepared, and its adapters."""

    def __init__(self, connection: StoreConnection) -> None:
        self.adapters = Transformer(connection)
        self.times: dict[Kind, int] = {}
        self.prepared: dict[Kind, bytes] = {}
        self.rows: dict[bytes, type[PostgresRow]] = {}


@cache
def statement(name: str, place: str = "postgres") -> Statement:
    return Statement(queries(place)[name])


def fetch_rows(connection: StoreConnection, sql: str, values: Mapping[str, Any]) -> list[Row]:
    return run_statement(connection, sql, values).rows


def run_statement(connection: StoreConnection, sql: str, values: Mapping[str, Any]) -> StatementResult:
    """Run one statement of a file of ours."""
    query, order = number_parameters(sql)
    return sent(connection, query, [values[name] for name in order])


def send_off(connection: StoreConnection, sql: str, values: Mapping[str, Any]) -> None:
    """Send a statement of the transaction and go on while the server runs it; if it fails, the next one says so.

    That is the COMMIT at the latest, which is then not sent.
    """
    query, order = number_parameters(sql)
    _send(connection, query, [values[name] for name in order])
    connection.wait(generators.send(connection.pgconn))
    connection.is_answering = True


def await_answer(connection: StoreConnection) -> None:
    """Wait for what was sent off."""
    if connection.is_answering:
        connection.is_answering = False
        raised(connection.wait(generators.fetch_many(connection.pgconn)))


def _send(connection: StoreConnection, query: bytes, values: Sequence[Any]) -> None:
    await_answer(connection)
    if connection.closed:
        raise psycopg.OperationalError("the connection is closed")
    if (kept := connection.kept) is None:
        kept = connection.kept = PreparedStatements(connection)
    adapters, pgconn = kept.adapters, connection.pgconn
    given = adapters.dump_sequence(values, [PyFormat.AUTO] * len(values)) if values else []
    types, formats = (adapters.types or (), adapters.formats) if values else ((), None)
    kind = (query, types)
    if (name := kept.prepared.get(kind)) is None and len(kept.prepared) < MOST_PREPARED:
        kept.times[kind] = times = kept.times.get(kind, 0) + 1
        if times > 1:
            name = connection.new_name().encode()
            pgconn.send_prepare(name, query, types)
            _result(connection)
            kept.prepared[kind] = name
    if name is None:
        pgconn.send_query_params(query, given, types, formats, Format.BINARY)
    else:
        pgconn.send_query_prepared(name, given, formats, Format.BINARY)


def sent(connection: StoreConnection, query: bytes, values: Sequence[Any]) -> StatementResult:
    _send(connection, query, values)
    result = _result(connection)
    kept = connection.kept
    assert kept is not None
    if not result.ntuples:
        return StatementResult([], result.command_tuples or 0)
    if (row := kept.rows.get(query)) is None:
        names = tuple((result.fname(place) or b"").decode() for place in range(result.nfields))
        row = kept.rows[query] = row_class(names)
    kept.adapters.set_pgresult(result)
    return StatementResult(kept.adapters.load_rows(0, result.ntuples, row), result.command_tuples or 0)


def run_plain(connection: StoreConnection, words: str) -> list[PGresult]:
    """Run statements that have no values, one after the other, in one message."""
    await_answer(connection)
    if connection.closed:
        raise psycopg.OperationalError("the connection is closed")
    connection.pgconn.send_query(words.encode())
    return _results(connection)


def _result(connection: StoreConnection) -> PGresult:
    return _results(connection)[-1]


def _results(connection: StoreConnection) -> list[PGresult]:
    return raised(connection.wait(generators.execute(connection.pgconn)))


def raised(results: list[PGresult]) -> list[PGresult]:
    """What the server answered, or its error."""
    for result in results:
        if result.status not in WELL:
            raise psycopg.errors.error_from_result(result)
    return results
