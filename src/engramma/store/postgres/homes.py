"""Namespaces that live on another PostgreSQL server: where each of them is, and moving one there and back.

Whoever opens such a namespace is connected to its own server, so everything costs what it costs there. The server that
is asked for it keeps its name and its address alone, and shows SQL clients all namespaces as one (partitions.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...config.trust import Outgoing, check, database_address
from ...errors import BadInput, StoreError, StoreNotFound
from ...language.times import from_micros, to_micros
from ...records import NamespaceInfo
from .. import audit, namespaces
from ..copy_tables import Copied, Table, Told, compared, copy_table, kept, stepping, tables
from ..database import Database
from ..namespace_queries import DEFAULT_NAMESPACE
from ..store import Store
from .address import parse_address, without_password
from .copy import NamespaceRows
from .database import Postgres
from .partitions import join
from .values import untagged

HOME = "home:"  # in meta, with a namespace's name: the address of the server on which it lives
META = Table("meta", ("key", "value"), ("key",))
OF_THE_STORE = ("meta", "users", "tokens", "grants")  # stay where the store is


def find_home(database: Database, name: str) -> str | None:
    """The address of the server on which a namespace lives; None: here, if it is anywhere."""
    row = database.one("meta_get", {"key": HOME + name})
    return None if row is None else str(row["value"]).partition(" ")[2]


def home_address(name: str, home: str) -> Outgoing:
    """The server of a namespace, as something that has to be confirmed."""
    return database_address(f"server of namespace {name}", home)


def at_home(database: Database, name: str, password: str | None, folder: Path) -> Database:
    """The database to use for a namespace: the given one, or its own server's, and then the given one is closed."""
    with closed_on_error(database):
        home = find_home(database, name)
    if home is None or not isinstance(database, Postgres):
        return database
    seconds = database.busy_seconds
    database.close()
    check(folder, home_address(name, home))
    found = Postgres(parse_address(home, password), busy_seconds=seconds, create=False)
    with closed_on_error(found):
        if found.one("namespace_key", {"name": name}) is None:
            raise StoreNotFound(
                f"The namespace {name!r} was being brought back from {home}. Finish it with "
                f"`engramma namespace place {name} --back`."
            )
    return found


@contextmanager
def closed_on_error(database: Database) -> Iterator[None]:
    """Let go of a database that nobody will be handed."""
    try:
        yield
    except BaseException:
        database.close()
        raise


def move_namespace(database: Database, name: str, url: str, told: Told = lambda *_: None) -> list[Copied]:
    """Move a namespace to another server: every row, compared, and then taken away here.

    Nobody writes to it meanwhile. Broken off before the end it is where it was, and the same call begins anew.
    """
    here = on_postgres(database)
    if name == DEFAULT_NAMESPACE:
        raise BadInput("The namespace 'default' stays where the store is; move another one.")
    if (home := find_home(here, name)) is not None:
        raise BadInput(f"The namespace {name!r} lives on {home}. Bring it back first: --back.")
    ns = namespaces.number_of(here, name)
    with _opened(url, here) as there:
        adopt(here, there)
        named, numbered = there.one("namespace_key", {"name": name}), there.one("namespace_name", {"ns": ns})
        if (named is not None and named["ns"] != ns) or (numbered is not None and numbered["name"] != name):
            raise BadInput(f"There is another namespace {name!r} at {there.name}. Rename one of them first.")
        with here.transaction():  # nobody writes to the store, nor is handed a right, until it is done
            if here.ask("granted", ns=ns)[0]["granted"]:
                raise BadInput(f"Users have rights on {name!r}, which are stored here. Revoke them before moving it.")
            copied = copy_namespace(here, there, ns, told)
            created = to_micros(namespaces.read_namespaces(here, name)[0].created)
            here.run("meta_put", {"key": HOME + name, "value": f"{created} {without_password(url)}"})
            namespaces.drop_namespace(here, ns)
            audit.note_doing(here, {"namespace": name})
        Store(there, name, create=False)  # builds the words
    join_all(here)
    return copied


def bring_namespace_back(database: Database, name: str, told: Told = lambda *_: None) -> list[Copied]:
    """Move a namespace back to where the store is; broken off, the same call begins anew."""
    here = on_postgres(database)
    if (home := find_home(here, name)) is None:
        raise BadInput(f"The namespace {name!r} does not live on another server.")
    copied = []
    with _opened(home, here) as there:
        row = there.one("namespace_key", {"name": name})
        if row is not None:
            with there.transaction():
                copied = copy_namespace(there, here, int(row["ns"]), told)
                namespaces.drop_namespace(there, int(row["ns"]))
    with here.transaction():
        here.run("meta_delete", {"key": HOME + name})
        audit.note_doing(here, {"namespace": name})
    Store(here, name, create=False)
    join_all(here)
    return copied


def elsewhere(database: Database) -> list[NamespaceInfo]:
    """Every namespace that lives on another server: since when there is one, and where."""
    if not isinstance(database, Postgres):
        return []
    found = []
    for row in database.ask("homes", prefix=HOME):
        created, _, home = str(untagged(row["value"])).partition(" ")
        found.append(NamespaceInfo(row["name"], from_micros(int(created)), 0, 0, 0, home))
    return found


def check_namespace_home(database: Database, *names: str) -> None:
    """Refuse what would leave out, or lose sight of, a namespace that lives elsewhere; without names, any."""
    away = {info.name for info in elsewhere(database)}
    if found := sorted(away & set(names) if names else away):
        raise BadInput(
            f"{', '.join(found)}: on another server, so not included. Bring it back first "
            "(`engramma namespace place NAME --back`), or do this there."
        )


# --- steps ---------------------------------------------------------------------------------------


def on_postgres(database: Database) -> Postgres:
    assert isinstance(database, Postgres)
    return database


@contextmanager
def _opened(url: str, beside: Postgres) -> Iterator[Postgres]:
    """A schema on another server."""
    password = beside.address.parameters.get("password")
    database = Postgres(
        parse_address(url, None if password is None else str(password)), busy_seconds=beside.busy_seconds
    )
    try:
        yield database
    finally:
        database.close()


def adopt(here: Postgres, there: Postgres) -> None:
    """Make another schema one of this store's, if it is nobody's yet: it needs the same encoder and the same keys."""
    ours, theirs = (store_id(database) for database in (here, there))
    if theirs is not None:
        if theirs != ours or _is_same(here, there):
            raise BadInput(f"There is another memory at {there.name}. Choose another schema: …?schema=other.")
        return
    if there.all("namespace_names", {}):
        raise BadInput(f"There is already a memory at {there.name}. Choose another schema: …?schema=other.")
    noted = kept(META, ((row["key"], None) for row in here.ask("notes_of_the_store")))
    with there.transaction():
        for key, _ in noted:
            value = None if key.startswith(HOME) else here.one("meta_get", {"key": key})
            if value is not None:
                there.run("meta_put", {"key": key, "value": value["value"]})


def join_all(here: Postgres) -> None:
    """Show SQL clients what is where now."""
    join(here, {info.name: info.home for info in elsewhere(here) if info.home is not None})


def store_id(database: Postgres) -> str | None:
    row = database.one("meta_get", {"key": "store_id"})
    return None if row is None else str(row["value"])


def _is_same(here: Postgres, there: Postgres) -> bool:
    """Whether two addresses lead to one schema of one database."""
    key = "same_place"
    with here.transaction():
        here.run("meta_put", {"key": key, "value": 1})
    try:
        return there.one("meta_get", {"key": key}) is not None
    finally:
        with here.transaction():
            here.run("meta_delete", {"key": key})


def copy_namespace(here: Postgres, there: Postgres, ns: int, told: Told) -> list[Copied]:
    """Every row of a namespace, table by table, each compared with what it was copied from."""
    source, target = NamespaceRows(here, ns), NamespaceRows(there, ns, write=True)
    try:
        moved = [table for table in tables() if "ns" in table.columns and table.name not in OF_THE_STORE]
        step = stepping(source, moved, told)
        found = []
        for table in moved:
            target.clear(table)
            copy_table(source, target, table, step)
            if (same := compared(source, target, table, step)) is None:
                raise StoreError(f"The rows of {table.name} differ after copying them. Nothing was changed.")
            found.append(same)
        target.set_counters(source.counters())
        target.copy_notes(source)
        return found
    finally:
        source.close()
        target.close()
