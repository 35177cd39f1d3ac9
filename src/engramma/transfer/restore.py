"""Restores a backup as a new store."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..config.settings import CONFIG_FILE
from ..encryption import KEY_FILE
from ..errors import BadInput, StoreCorrupt, StoreError, UnreadableSource
from ..files import foreign_json
from ..files.hashing import sha256_of
from ..files.private_files import open_private
from ..store.copies import MANIFEST, RESTORING
from ..store.engine import DATABASE_FILE
from ..store.sqlite.database import SqliteDatabase
from ..store.sqlite.missing_database import LEAST
from .backup_settings import read_settings, settings_to_restore

MOST_MANIFEST = 64 * 1024  # bytes: a packed one can claim any length
MOST_KEY = 64 * 1024
WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # in which `engramma backup` and common programs pack
LOCKED = 0x1  # the bit of a zip's part that needs a password
# What a restore would cover, or what would spoil it: SQLite replays a journal it finds beside a database.
IN_THE_WAY = (DATABASE_FILE, *(f"{DATABASE_FILE}-{part}" for part in ("wal", "shm", "journal")), KEY_FILE, CONFIG_FILE)


def restore(source: Path, folder: Path, *, with_config: bool = False) -> None:
    """Lay a backup down as a new store. The folder must not hold one already.

    Its settings stay out unless `with_config`; addresses among them are used once they are confirmed (config/trust.py).
    """
    if there := [name for name in IN_THE_WAY if os.path.lexists(folder / name)]:
        replaceable = " --replace replaces it with the backup." if DATABASE_FILE in there else ""
        raise BadInput(
            f"{folder} already contains a memory, or part of one: {', '.join(there)}. "
            f"Restore into another folder, or move it away first.{replaceable}"
        )
    try:
        with unpack_backup(source, folder) as (database, config):
            if (settings := settings_to_restore(config, with_config)) is not None:
                with open_private(folder / CONFIG_FILE) as file:
                    file.write(settings)
            if (key := database.with_name(KEY_FILE)).exists():
                os.replace(key, folder / KEY_FILE)
            os.replace(database, folder / DATABASE_FILE)
    except OSError as error:
        raise StoreError(f"Cannot restore {source} into {folder}: {error}.") from error


@contextmanager
def unpack_backup(source: Path, folder: Path) -> Iterator[tuple[Path, bytes | None]]:
    """A backup's database, whole and of this version's schema, in a folder of its own within `folder`; its settings."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(source))
            check_packing(archive, source)
            manifest = foreign_json.loads(archive.open(MANIFEST).read(MOST_MANIFEST))
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            work = stack.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix=RESTORING))
            unpacked = Path(work) / DATABASE_FILE
            with archive.open(DATABASE_FILE) as inside, open_private(unpacked) as file:
                shutil.copyfileobj(inside, file, 1 << 20)
            if sha256_of(unpacked) != manifest["sha256"]:
                raise UnreadableSource(f"{source} is damaged: the database in it has another checksum.")
            if is_empty(unpacked):  # it would be opened as a new memory
                raise UnreadableSource(f"{source} holds no memory: the database in it is empty.")
            if KEY_FILE in archive.namelist():
                with archive.open(KEY_FILE) as inside, open_private(unpacked.with_name(KEY_FILE)) as file:
                    file.write(inside.read(MOST_KEY))
            reset_derived_files(unpacked)  # before it is laid down: a database that cannot be opened never is
            config = read_settings(archive)
        except StoreError as error:
            if type(error) not in (StoreCorrupt, StoreError):
                raise
            # its words name a file that is gone by now
            raise UnreadableSource(f"{source} is damaged: the memory in it cannot be read.") from error
        except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError) as error:
            raise UnreadableSource(f"{source} is not a backup of Engramma, or it is damaged ({error}).") from error
        yield unpacked, config


def is_empty(database: Path) -> bool:
    """Whether nothing was ever stored in a database; of an encrypted one only its size is known."""
    with database.open("rb") as file:
        head = file.read(LEAST)
    return len(head) < LEAST or (head.startswith(b"SQLite format 3") and not any(head[60:64]))  # user_version


def check_packing(archive: zipfile.ZipFile, source: Path) -> None:
    """Refuse a zip that another program packed in a way of its own."""
    parts = [one for one in archive.infolist() if one.filename in (MANIFEST, DATABASE_FILE, KEY_FILE, CONFIG_FILE)]
    if any(one.flag_bits & LOCKED for one in parts):
        raise UnreadableSource(f"{source} is locked with a password. Unpack it and pack its files again without one.")
    if any(one.compress_type not in WAYS for one in parts):
        raise UnreadableSource(
            f"{source} is packed in a way that Engramma does not read. Unpack it and pack its files again as a plain "
            "zip (deflate)."
        )


def reset_derived_files(path: Path) -> None:
    """What lies beside the database is not in a backup: the archive is due again, and an old index is not its own."""
    database = SqliteDatabase(path, busy_seconds=1.0, create=False)
    try:
        database.renew_triggers()
        with database.transaction():
            database.run("archive_forget", {})
            database.run("meta_put", {"key": "store_id", "value": uuid.uuid4().hex})
    finally:
        database.close()
