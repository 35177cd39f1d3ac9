"""Backs up a whole store: one zip file, made while others go on writing."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from pathlib import Path

from ..config.settings import CONFIG_FILE
from ..config.version import __version__
from ..core.core import Core
from ..encryption import KEY_FILE
from ..errors import BadInput, StoreNotWritable
from ..files.hashing import sha256_of
from ..files.private_files import open_private
from ..namespaces.namespaces import check_local
from ..store.copies import BACKING, MANIFEST
from ..store.engine import DATABASE_FILE, copy_database, settings_for_sqlite


def backup(core: Core, target: Path) -> None:
    """The whole store, all namespaces, in one zip file, while others may go on writing."""
    if target.exists():
        raise BadInput(f"{target} already exists. Choose another name; a backup never overwrites a file.")
    check_local(core)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=BACKING) as work:
            copy = Path(work) / DATABASE_FILE
            copy_database(core.store.database, copy)
            settings = settings_for_sqlite(core.path / CONFIG_FILE, Path(work))
            pack_backup(copy, settings, target, core.path / KEY_FILE)
    except OSError as error:
        raise StoreNotWritable(f"Cannot write {target}: {error}. Nothing was left behind.") from error


def pack_backup(database: Path, config: Path, target: Path, key: Path) -> Path:
    """A copy of a database, its key's record and the settings beside it as a backup: the whole file or none.

    The copy of an encrypted store is encrypted; what opens the store when the backup is made opens the backup.
    """
    manifest = {"engramma": __version__, "sha256": sha256_of(database)}
    beside = database.with_name("backup.zip")
    with open_private(beside) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        archive.writestr(MANIFEST, json.dumps(manifest))
        archive.write(database, DATABASE_FILE)
        if key.exists():
            archive.write(key, KEY_FILE)
        if config.exists():
            archive.write(config, CONFIG_FILE)
    os.replace(beside, target)
    return target
