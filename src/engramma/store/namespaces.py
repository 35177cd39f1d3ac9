"""The namespaces of a database: list, make, rename and delete them. Everything else is bound to one."""

from __future__ import annotations

import time

from ..errors import BadInput, StoreNotFound
from ..language.times import from_micros
from ..records import NamespaceInfo
from . import audit
from .database import Database
from .namespace_queries import check_namespace
from .sqlite.database import load_sqlite_queries

TRACES = "traces_left"  # in meta: something was deleted, and the file was not written anew since
DROP = "namespace_drop_"  # queries that take away what a namespace has; the last one takes the namespace itself


def read_namespaces(database: Database, name: str | None = None) -> list[NamespaceInfo]:
    """Every namespace, or the one named, and how much is in it."""
    return [
        NamespaceInfo(row["name"], from_micros(row["created_at"]), row["segments"], row["notes"], row["text_bytes"])
        for row in database.all("namespaces_listed", {"name": name})
    ]


def number_of(database: Database, name: str) -> int:
    """The number under which a namespace's rows stand."""
    check_namespace(name)
    row = database.one("namespace_key", {"name": name})
    if row is None:
        names = ", ".join(row["name"] for row in database.all("namespace_names", {}))
        raise StoreNotFound(f"There is no namespace {name!r} in this memory. There are: {names}.")
    return int(row["ns"])


def create(database: Database, name: str) -> None:
    """Create an empty namespace."""
    with database.transaction():
        check_free(database, name)
        database.run("namespace_add", {"name": name, "created_at": time.time_ns() // 1000})
        audit.note_doing(database, {"namespace": name})


def check_free(database: Database, name: str) -> None:
    check_namespace(name)
    if database.one("namespace_key", {"name": name}) is not None:
        raise BadInput(f"There is already a namespace {name!r}. Choose another name.")


def drop_namespace(database: Database, ns: int) -> None:
    """Take away every row and table of a namespace, inside the caller's transaction."""
    for name in load_sqlite_queries():
        if name.startswith(DROP):
            database.run(name, {"ns": ns})


def note_traces(database: Database) -> None:
    """Inside the transaction that deletes: its traces stay in free pages until the file is written anew."""
    database.run("meta_put", {"key": TRACES, "value": 1})


def are_traces_left(database: Database) -> bool:
    return database.one("meta_get", {"key": TRACES}) is not None


def wipe_traces(database: Database) -> None:
    """Write the file anew; what was deleted is in it no longer."""
    database.wipe()
    if are_traces_left(database):
        with database.transaction():
            database.run("meta_delete", {"key": TRACES})
