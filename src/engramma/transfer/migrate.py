"""Copies a whole store to another engine or folder: every table, verified row by row, and dependent files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..config.settings import CONFIG_FILE, load_config
from ..config.trust import addresses_in, carry, embedder_address
from ..core.core import ARCHIVE_FOLDER, Core
from ..encryption import is_encrypted, read_record
from ..encryption.keys import write_record
from ..errors import BadInput, StoreNotWritable
from ..files import toml_text
from ..files.folders import make_folder
from ..ingest.archive import archive_pending
from ..namespaces.namespaces import check_local
from ..store.copy_tables import MOVING, Copied, CopiedDatabase, SqliteRows, Told, as_one_file, copy_all
from ..store.database import Database
from ..store.engine import DATABASE_FILE
from ..store.sqlite.database import SqliteDatabase
from ..store.store import Store

UNFINISHED = f"{DATABASE_FILE}.moving"  # under this name nobody takes it for a store
UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class Moved:
    """What was copied, table by table, and where it is now."""

    target: str
    tables: tuple[Copied, ...]
    namespaces: tuple[str, ...]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def move(core: Core, target: str | Path, told: Told = lambda *_: None, *, plain: bool = False) -> Moved:
    """Copy the whole store of a core, all its namespaces, to a folder or to postgres://…

    The copy of an encrypted store is encrypted and opens with the same key; `plain` says that it shall not be.

    The source stays as it is. Interrupted, the same call goes on where it broke off; until all rows are there and
    compared, the target cannot be opened.
    """
    check_local(core)
    if "://" in str(target):
        if is_encrypted(core.path) and not plain:
            raise BadInput(
                "This memory is encrypted, and a PostgreSQL server would store it in plain text. If you want that, "
                "pass --plain."
            )
        return to_postgres(core, str(target), told)
    return to_folder(core, Path(target).expanduser(), told, plain)


def to_folder(core: Core, folder: Path, told: Told, plain: bool = False) -> Moved:
    """Into a folder, as SQLite."""
    if (folder / DATABASE_FILE).exists():
        raise BadInput(f"There is already a memory at {folder}. Choose a new or empty folder.")
    make_folder(folder, create=True)
    copy_key(core.path, folder, plain)
    unfinished = folder / UNFINISHED
    target = SqliteRows(unfinished, write=True)
    try:
        with reading(core) as source:
            copied = copy_all(source, target, told)
    finally:
        target.close()
    names = _finish(SqliteDatabase(unfinished, busy_seconds=60))
    copy_config(core.path, folder)
    named = [*addresses_in(load_config(folder)), embedder_address(core.store.meta("embedder_spec"))]
    carry(core.path, folder, named)
    as_one_file(unfinished)
    try:
        os.replace(unfinished, folder / DATABASE_FILE)
    except OSError as error:
        raise StoreNotWritable(
            f"Cannot put the copy in place at {folder}: {error}. Run the same command again."
        ) from error
    write_archives(SqliteDatabase(folder / DATABASE_FILE, busy_seconds=60), names, folder)
    return Moved(str(folder), tuple(copied), names)


def to_postgres(core: Core, url: str, told: Told) -> Moved:
    """Into a schema of a PostgreSQL database."""
    from ..store.postgres.address import parse_address
    from ..store.postgres.copy import PostgresRows
    from ..store.postgres.database import Postgres

    database = Postgres(parse_address(url), busy_seconds=core.config.busy_seconds)
    try:
        claim(database, str(core.store.meta("store_id") or UNNAMED))
        target = PostgresRows(database, write=True)
        try:
            with reading(core) as source:
                copied = copy_all(source, target, told)
        finally:
            target.close()
        names = _finish(database, close=False)
        return Moved(database.name, tuple(copied), names)
    finally:
        database.close()


# --- steps ---------------------------------------------------------------------------------------


@contextmanager
def reading(core: Core) -> Iterator[CopiedDatabase]:
    """The rows of a memory's whole store, in the state in which it is now."""
    database = core.store.database
    if isinstance(database, SqliteDatabase):
        rows: CopiedDatabase = SqliteRows(database.path)
    else:
        from ..store.postgres.copy import PostgresRows
        from ..store.postgres.database import Postgres

        assert isinstance(database, Postgres)
        rows = PostgresRows(database)
    try:
        yield rows
    finally:
        rows.close()


def claim(database: Database, id: str) -> None:
    """Mark an empty database as one that is being filled; one that this very move has begun is gone on with."""
    with database.transaction():
        row = database.one("meta_get", {"key": MOVING})
        if row is not None and row["value"] == id:
            return
        if row is not None or database.all("namespace_names", {}):
            raise BadInput(f"There is already a memory at {database.name}. Choose another schema: …?schema=other.")
        database.run("meta_put", {"key": MOVING, "value": id})


def _finish(database: Database, *, close: bool = True) -> tuple[str, ...]:
    """What the copy needs of its own: words, and text files that are due. Then it may be opened."""
    try:
        names = tuple(row["name"] for row in database.all("namespace_names", {}))
        for name in names:
            Store(database, name, create=False)  # builds the words
        with database.transaction():
            database.run("archive_forget", {})
            database.run("meta_delete", {"key": MOVING})
        return names
    finally:
        if close:
            database.close()


def write_archives(database: Database, names: tuple[str, ...], folder: Path) -> None:
    try:
        for name in names:
            archive_pending(folder / ARCHIVE_FOLDER, Store(database, name, create=False))
    finally:
        database.close()


def copy_key(source: Path, target: Path, plain: bool) -> None:
    """The copy has the key that the source has, or none: a copy that was begun the other way cannot be gone on with."""
    here, there = None if plain else read_record(source), read_record(target)
    begun = (target / UNFINISHED).exists()
    is_other = there is not None and (here is None or here.id != there.id)
    if is_other or (begun and here is not None and there is None):
        raise BadInput(f"A copy to {target} was started with another key, or without one. Choose an empty folder.")
    if here is not None:
        write_record(target, here)


def copy_config(source: Path, target: Path) -> None:
    """The settings go along, but for the engine, which is another one now."""
    here, there = source / CONFIG_FILE, target / CONFIG_FILE
    if not here.is_file() or there.exists():
        return
    text = toml_text.set_table(here.read_bytes().decode("utf-8"), "store", None)
    with os.fdopen(os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text.encode("utf-8"))
