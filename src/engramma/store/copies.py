"""Copies of a store that a purge does not reach: backups, and databases that were kept aside."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .engine import DATABASE_FILE
from .sqlite.rescue import rescued_copies

MANIFEST = "engramma-backup.json"  # in every backup
BACKUPS = "backups"
LIVE = tuple(f"{DATABASE_FILE}{part}" for part in ("", "-wal", "-shm", "-journal"))
BACKING, RESTORING, KEEPING = ".engramma-backup-", ".restoring-", ".kept-"  # how folders of work in progress begin
MOST = 500  # files looked at in one folder


def copies_of(store: Path) -> tuple[str, ...]:
    """The backups in a store's folder, among its backups and beside it, and copies of its database, by their paths.

    What was said before each was made is still in it. A process that was killed over a copy leaves its folder behind.
    """
    places = (store / BACKUPS, store, store.parent)
    found = [path for folder in places for path in sorted(backups_at(folder))]
    begun = (BACKING, RESTORING, KEEPING)
    found += [path for folder in places for start in begun for path in files_at(folder, f"{start}*/{DATABASE_FILE}")]
    kept = [path for path in files_at(store, f"{DATABASE_FILE}*") if path.name not in LIVE]
    return tuple(str(path) for path in (*found, *kept, *rescued_copies(store)))


def backups_at(folder: Path) -> Iterator[Path]:
    for path in files_at(folder, "*.zip"):
        with suppress(OSError, zipfile.BadZipFile, ValueError, NotImplementedError), zipfile.ZipFile(path) as archive:
            if MANIFEST in archive.namelist():
                yield path


def files_at(folder: Path, pattern: str) -> list[Path]:
    with suppress(OSError):
        return [path for path in sorted(folder.glob(pattern))[:MOST] if path.is_file()]
    return []
