"""Brings a PostgreSQL schema to this version's tables, one numbered group of files after the other."""

from __future__ import annotations

from importlib import resources
from itertools import groupby

import psycopg
from psycopg import errors as pg

from ...errors import StoreError, StoreNotFound, StoreTooNew
from ..database import queries
from .address import Address
from .errors import no_vector
from .pool import Connection
from .values import PostgresRow, Statement, untagged

VERSION = "schema_version"  # in meta
NEEDED = 150_000  # the server's version
FINISH = 0x456E6772  # "Engr": the advisory lock of whoever changes a schema


def list_postgres_migrations() -> list[tuple[int, list[str]]]:
    """(number, SQL) of every migration, in order; several files may share a number."""
    folder = resources.files("engramma.store").joinpath("sql/postgres/migrations")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [
        (number, [f.read_text(encoding="utf-8") for f in group])
        for number, group in groupby(files, key=lambda f: int(f.name.split("_", 1)[0]))
    ]


def prepare_schema(connection: Connection, address: Address, *, create: bool) -> None:
    """Make the schema and its tables, or bring them up to date; safe when several processes start at once."""
    steps = list_postgres_migrations()
    newest = steps[-1][0]
    if (version := checked_version(connection, address, newest)) == newest:
        return
    if version == 0 and not create:
        raise StoreNotFound.at(address.shown)
    connection.execute("BEGIN")
    try:
        _ask(connection, "alone", number=FINISH)  # also for extensions, which belong to the whole database
        connection.execute("SET LOCAL client_min_messages = warning")
        check_server(connection, address)
        connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{address.schema}"')  # checked
        version = checked_version(connection, address, newest)  # another process may have been faster
        for number, files in steps:
            if version < number:
                for sql in files:
                    psycopg.Cursor(connection).execute(sql)  # a file of ours
        put = Statement(queries("postgres")["meta_put"])
        connection.execute(put.sql, put.values({"key": VERSION, "value": newest}))
        connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            connection.execute("ROLLBACK")
        raise


def checked_version(connection: Connection, address: Address, newest: int) -> int:
    if not _ask(connection, "has_meta", table=f'"{address.schema}".meta')[0]["there"]:
        return 0
    found = Statement(queries("postgres")["meta_get"])
    row = connection.execute(found.sql, found.values({"key": VERSION})).fetchone()
    version = int(untagged(row[0])) if row is not None else 0
    if version > newest:
        raise StoreTooNew(
            f"{address.shown} has schema {version}; this version of Engramma supports up to {newest}. "
            "Upgrade with `pip install -U engramma`. Nothing was changed."
        )
    return version


def check_server(connection: Connection, address: Address) -> None:
    """What the server must have before a table is made, extensions among it."""
    about = _ask(connection, "about")[0]
    if about["number"] < NEEDED:
        raise StoreError(f"{address.shown} runs PostgreSQL {about['version']}; Engramma needs 15 or newer.")
    if about["encoding"] != "UTF8":
        raise StoreError(f"{address.shown} is encoded as {about['encoding']}; create a database with ENCODING 'UTF8'.")
    there = {row["name"] for row in _ask(connection, "extensions")}
    known = {row["name"] for row in _ask(connection, "available")}
    for name, needed in (("vector", True), ("btree_gin", False)):
        if name in there or (not needed and name not in known):
            continue
        if name not in known:
            raise no_vector(address.shown)
        connection.execute("SAVEPOINT extension")
        try:
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public")
            connection.execute("RELEASE SAVEPOINT extension")
        except pg.InsufficientPrivilege as error:
            connection.execute("ROLLBACK TO SAVEPOINT extension")
            if needed:
                raise StoreError(
                    f"The user of {address.shown} may not install pgvector. Have a superuser run CREATE EXTENSION "
                    "vector there, and try again."
                ) from error


def _ask(connection: Connection, name: str, **params: object) -> list[PostgresRow]:
    asked = Statement(queries("postgres_engine.sql")[name])
    return list(connection.execute(asked.sql, asked.values(params)).fetchall())
