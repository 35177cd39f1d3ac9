"""Replaces a memory with a backup, after keeping the current one as a backup."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ..config.settings import CONFIG_FILE
from ..core.core import ARCHIVE_FOLDER, INDEX_FOLDER
from ..encryption import KEY_FILE
from ..errors import BadInput, EngrammaError, StoreError, StoreNotFound
from ..files.private_files import open_private
from ..ingest.waiting_segments import finish_pending
from ..namespaces.namespaces import Namespaces
from ..namespaces.open import borrow_core
from ..store.copies import KEEPING
from ..store.engine import DATABASE_FILE
from ..store.sqlite.rekey import fit_to_store_key
from ..store.sqlite.swap import held
from .backup import pack_backup
from .backup_settings import settings_to_restore
from .restore import unpack_backup

BACKUPS_FOLDER = "backups"
PUT = "putting it in place"
LET_GO_SECONDS = 10.0  # others have so long to let go of the database

Told = Callable[[str, float], None]  # what is done now, and how much of that, from 0 to 1


def backups_in(store: Path) -> list[Path]:
    """The backups that lie with a store, the newest first."""
    found = [
        path for path in (store / BACKUPS_FOLDER).glob("*.zip") if path.is_file() and not path.name.startswith(".")
    ]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def new_backup(store: Path, why: str = "engramma") -> Path:
    """A free name for a backup in the store's own folder, by the time."""
    folder = store / BACKUPS_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    stem = f"{why}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = (stem if n == 1 else f"{stem}-{n}" for n in range(1, 1_000))
    return next(path for name in names if not (path := folder / f"{name}.zip").exists())


def replace_store(
    source: Path, store: Path, told: Told = lambda _what, _part: None, *, with_config: bool = False
) -> Path:
    """Put a backup in the place of the memory that is there; returns the backup that was made of that one first.

    The backup is unpacked, checked and brought to this version's schema before anything is touched, and the memory is
    held alone while it is kept and replaced, so nothing that was said is lost: it is in the one file or in the other.
    The settings stay as they are unless `with_config`.
    """
    if not (store / DATABASE_FILE).is_file():
        raise StoreNotFound(f"There is no memory at {store}. `engramma restore` creates one from a backup.")
    told("checking the backup", 0.0)
    try:
        with (
            unpack_backup(source, store) as (database, config),
            tempfile.TemporaryDirectory(dir=store, prefix=KEEPING) as work,
        ):
            database = fit_to_store_key(database, store)
            settings = settings_to_restore(config, with_config)
            told("waiting for other programs to close it", 0.0)
            with held(store / DATABASE_FILE, LET_GO_SECONDS) as old:
                told("keeping the current memory as a backup", 0.0)
                old.copy(copy := Path(work) / DATABASE_FILE)
                kept = pack_backup(copy, store / CONFIG_FILE, new_backup(store, "before-restore"), store / KEY_FILE)
                try:
                    put_config(
                        store / CONFIG_FILE, settings, lambda: old.fill(database, lambda n, of: told(PUT, n / of))
                    )
                except StoreError:  # and the memory is as it was: what was kept of it would only fill the disk
                    kept.unlink(missing_ok=True)
                    raise
    except OSError as error:
        raise StoreError(f"Cannot restore {source.name}: {error}. The memory was not changed.") from error
    told("writing the archive", 0.0)
    for folder in (ARCHIVE_FOLDER, INDEX_FOLDER):
        shutil.rmtree(store / folder, ignore_errors=True)  # of the memory that was there; both are made anew
    finish(store)
    return kept


def put_config(path: Path, config: bytes | None, then: Callable[[], None]) -> None:
    """The settings that belong to a backup, then the backup itself; if that fails, the settings are as they were."""
    if config is None or (path.exists() and path.read_bytes() == config):
        return then()
    before = path.read_bytes() if path.exists() else None
    _write_private(path, config)
    try:
        then()
    except BaseException:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            _write_private(path, before)
        raise


def _write_private(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    with open_private(beside) as file:
        file.write(data)
    os.replace(beside, path)


def finish(store: Path) -> None:
    """Write the archive of every namespace. The memory is in place: what fails here, `engramma doctor --fix` does."""
    try:
        with borrow_core(store, create=False) as core:
            names = [info.name for info in Namespaces(core).all()]
        for name in names:
            with borrow_core(store, name, create=False) as core:
                finish_pending(core)
    except EngrammaError:
        return


def backup_named(store: Path, name: str) -> Path:
    """One of a store's own backups by its name."""
    for path in backups_in(store):
        if path.name == name:
            return path
    raise BadInput(f"There is no backup {name!r:.200} here.")
