"""pgvector: a table of its own in a PostgreSQL, one a namespace, so that no filter gets in the way of its graph.

Few rows are scanned whole; many are found through HNSW over float32 vectors, which the server builds after a fill.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..vector_index import Keys, Similarities, Vectors
from .backend import BackendFailed, Stamp, list_numbers, missing, read_statements
from .settings import IndexSettings

# Up to so many rows a scan answers in the time a walk through the graph takes with what it costs to keep one.
GRAPH_FROM = 5_000
WIDEST = 1_000  # pgvector's own limit of what a walk may bring

# Vectors are padded with zeros to a multiple of this, which changes no dot product. Builds of pgvector for ARM use
# instructions for what is left over that not every such processor has, and the server dies of them.
MULTIPLE = 64

SQL = read_statements(__file__)


class PgvectorBackend:
    """Keys and vectors in one table. The password comes from the environment or from ~/.pgpass."""

    name = "pgvector"
    most = 20_000

    def __init__(self, settings: IndexSettings, name: str, dimension: int, folder: Path) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise missing("pgvector", error) from error
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,50}", name):
            raise BackendFailed(f"{name!r} cannot be a table's name")
        self._psycopg: Any = psycopg
        self._settings, self._table, self._width = settings, name, -(-dimension // MULTIPLE) * MULTIPLE
        self.where = re.sub(r"//[^@/]*@", "//", str(settings.url))
        self._rows, self._has_graph = 0, False
        self._connection: Any = None
        self._connected()

    def stamp(self) -> Stamp | None:
        rows = self._run("stamp", name=self._table)
        return json.loads(rows[0][0]) if rows else None

    def mark(self, stamp: Stamp) -> None:
        self._run("mark", name=self._table, stamp=json.dumps(stamp))

    def clear(self) -> None:
        """A table that is dropped takes its files along."""
        with self._connected().transaction():
            self._run("unstamp", name=self._table)
            self._run("drop")
            self._run("create")
        self._look()

    def add(self, keys: Keys, vectors: Vectors) -> None:
        connection = self._connected()
        with connection.transaction():
            self._run("incoming")
            with connection.cursor() as cursor, cursor.copy(self._sql("copy")) as copy:
                for key, row in zip(list_numbers(keys), vectors, strict=True):
                    copy.write_row((key, self._text(row)))
            self._run("add")
        self._grown(len(keys))

    def remove(self, keys: Keys) -> None:
        self._run("remove", keys=list_numbers(keys))
        self._grown(-len(keys))

    def nearest(self, query: Vectors, k: int) -> tuple[Keys, Similarities]:
        if self._has_graph and self._rows > GRAPH_FROM and k <= WIDEST // 2:
            with self._connected().transaction():
                self._run("width", width=str(min(WIDEST, max(100, 2 * k))))
                rows = self._run("nearest", query=self._text(query), k=k)
        else:
            rows = self._run("exact", query=self._text(query), k=k)
        found = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
        return found[:, 0].astype(np.int64), found[:, 1]

    def count(self) -> int:
        return int(self._run("count")[0][0])

    def settle(self) -> None:
        self._look()
        if self._rows > GRAPH_FROM and not self._has_graph:
            with self._connected().transaction():
                self._run("builder")
                self._run("graph")
            self._look()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _connected(self) -> Any:
        """The connection, made anew where it was lost."""
        if self._connection is None or self._connection.closed or self._connection.broken:
            limit = self._settings.timeout
            key = self._settings.key
            made = self._psycopg.connect(
                self._settings.url,
                autocommit=True,
                connect_timeout=max(2, int(limit)),
                options=f"-c statement_timeout={int(limit * 10_000)} -c jit=off -c client_min_messages=warning",
                **({"password": key} if key else {}),
            )
            try:
                for name in ("extension", "stamps"):
                    self._execute(made, name, {})
                is_begun = bool(self._execute(made, "stamp", {"name": self._table}))
            except BaseException:
                made.close()
                raise
            self._connection = made
            if is_begun:
                self._look()
        return self._connection

    def _look(self) -> None:
        """How many rows there are, and whether there is a graph: they decide how neighbours are found."""
        self._rows = self.count()
        self._has_graph = bool(self._run("has_graph", graph=f"{self._table}_graph")[0][0])

    def _grown(self, rows: int) -> None:
        """Counting all of many rows after each few would take longer than adding them."""
        if self._has_graph and self._rows + rows > 2 * GRAPH_FROM:
            self._rows += rows
        else:
            self._look()

    def _sql(self, name: str) -> str:
        return SQL[name].replace("{table}", self._table).replace("{width}", str(self._width))

    def _run(self, statement: str, /, **given: Any) -> list[Any]:
        return self._execute(self._connected(), statement, given)

    def _execute(self, connection: Any, statement: str, given: dict[str, Any]) -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute(self._sql(statement), given or None)
            found: list[Any] = cursor.fetchall() if cursor.description else []
        return found

    def _text(self, vector: Vectors) -> str:
        padded = np.zeros(self._width, dtype=np.float32)
        padded[: len(vector)] = vector
        return str(list_numbers(padded))
