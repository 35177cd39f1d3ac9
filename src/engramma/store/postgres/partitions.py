"""All namespaces of a store as one for SQL clients, wherever they live: LIST partitions over postgres_fdw.

A schema of its own has a view for each table: what is here, and a partitioned table whose partitions are foreign
tables, one a server, for the namespaces that live there. takizen's functions are made over these views, too. Engramma
itself does not go this way: PostgreSQL allows no unique key over foreign partitions, and no upsert into them.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from importlib import resources

import psycopg
from psycopg import errors as pg
from psycopg import sql

from ..copy_tables import tables
from ..database import queries
from .address import Address, parse_address
from .database import Postgres
from .pool import Connection

logger = logging.getLogger("engramma.store")

ALONE = ("meta", "users", "tokens", "grants", "audit")  # not a namespace's
# Of an address, what a foreign server is told.
PASSED = {"host", "port", "dbname", "sslmode", "sslrootcert", "hostaddr", "target_session_attrs"}
FUNCTIONS = ("012_e_memories.sql", "015_b_hybrid.sql")  # of the migrations


def join(database: Postgres, homes: Mapping[str, str]) -> bool:
    """Make the views anew, or take them away where no namespace lives elsewhere; False where the user may not."""
    with database._translated():
        try:
            database._with_connection(lambda connection: _joined(connection, database, homes))
        except (pg.InsufficientPrivilege, pg.FeatureNotSupported, pg.UndefinedFile) as error:
            logger.warning("SQL clients see only what lives on %s: %s", database.name, str(error).splitlines()[0])
            return False
    return True


def _joined(connection: Connection, database: Postgres, homes: Mapping[str, str]) -> None:
    schema, whole = database.address.schema, f"{database.address.schema}_all"
    said = Saying(connection, {"schema": sql.Identifier(schema), "all": sql.Identifier(whole)})
    connection.execute("BEGIN")
    try:
        said("drop")
        if homes:
            said("make")
            said("extension")
            servers = _numbered(database, homes)
            for place, (home, _) in enumerate(servers.items(), 1):
                make_server(said, f"{schema}_{place}", parse_address(home, database.address.parameters.get("password")))
            own = [table.name for table in tables() if "ns" in table.columns and table.name not in ALONE]
            for name in (*own, "words", "word_totals"):
                make_view(said, schema, name, servers)
            make_functions(connection, whole)
        connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            connection.execute("ROLLBACK")
        raise


class Saying:
    """Statements of postgres_joined.sql with their names filled in."""

    def __init__(self, connection: Connection, names: Mapping[str, sql.Composable]) -> None:
        self._connection, self._names = connection, names

    def __call__(self, statement: str, **names: sql.Composable) -> None:
        text = queries("postgres_joined.sql")[statement]
        self._connection.execute(sql.SQL(text).format(**{**self._names, **names}))


def _numbered(database: Postgres, homes: Mapping[str, str]) -> dict[str, list[int]]:
    """Server -> the numbers of the namespaces that live there."""
    found: dict[str, list[int]] = defaultdict(list)
    for name, home in sorted(homes.items()):
        there = Postgres(
            parse_address(home, database.address.parameters.get("password")),
            busy_seconds=database.busy_seconds,
            create=False,
        )
        try:
            row = there.one("namespace_key", {"name": name})
        finally:
            there.close()
        if row is not None:
            found[home].append(int(row["ns"]))
    return found


def make_server(said: Saying, name: str, address: Address) -> None:
    options = {key: str(value) for key, value in address.parameters.items() if key in PASSED}
    user = {"user": address.parameters.get("user"), "password": address.parameters.get("password")}
    server = sql.Identifier(name)
    said("server_drop", server=server)
    said("server", server=server, options=_listed({**options, "extensions": "vector"}))
    said("user", server=server, options=_listed({key: str(value) for key, value in user.items() if value}))


def _listed(options: Mapping[str, str]) -> sql.Composable:
    return sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(key), sql.Literal(value)) for key, value in options.items()
    )


def make_view(said: Saying, schema: str, name: str, servers: Mapping[str, list[int]]) -> None:
    table, far = sql.Identifier(name), sql.Identifier(f"far_{name}")
    said("far", far=far, table=table)
    for place, (home, numbers) in enumerate(servers.items(), 1):
        part, server = sql.Identifier(f"far_{name}_{place}"), sql.Identifier(f"{schema}_{place}")
        here = sql.SQL(", ").join(map(sql.Literal, numbers))
        there = {"remote": sql.Literal(parse_address(home).schema), "name": sql.Literal(name)}
        said("partition", far=far, part=part, server=server, numbers=here, **there)
    said("whole", table=table, far=far)


def make_functions(connection: Connection, whole: str) -> None:
    """match_memories and its kin once more, over the views."""
    folder = resources.files("engramma.store").joinpath("sql/postgres/migrations")
    connection.execute(f'SET LOCAL search_path = "{whole}", public')
    for name in FUNCTIONS:
        text = folder.joinpath(name).read_text(encoding="utf-8").rstrip()  # a file of ours
        text = text.rpartition("\n")[0] if name == FUNCTIONS[0] else text  # whose last line is for tables
        psycopg.Cursor(connection).execute(text)
    connection.execute("DROP FUNCTION index_memories(text)")  # nothing of a view can be indexed
