"""What SQLite says goes wrong, in our words."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from ...errors import StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreNotWritable

UNKEYED = " If the memory is encrypted, its key.json is missing: get it from a backup."
LEAST_FREE = 1024 * 1024  # bytes; with less a write that failed is taken to have failed for that


def words_of_sqlite(error: Exception, path: Path, busy_seconds: float, *, has_key: bool) -> StoreError:
    """What became of a statement on the database at `path`."""
    code = code_of(error)
    if is_full(error, path):
        return StoreFull(
            f"No space left for {path}. The write was rolled back and everything stored before is safe. "
            "Free some space and run the same command again: what is already there is skipped."
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"Writing {path} failed ({error}): a quota, a limit on file sizes, or damage. The write was "
            "rolled back and everything stored before is safe. Fix that and run the same command again."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(
            f"Other processes kept {path} busy for {busy_seconds:g} s. Try again, or raise busy_seconds in config.toml."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreNotWritable(
            f"Cannot write {path} ({error}). Check the permissions of {path.parent}, or pass --store."
        )
    if is_damage(error):
        may_lack_key = code == sqlite3.SQLITE_NOTADB and not has_key
        told = "its schema is no text" if isinstance(error, UnicodeDecodeError) else str(error)
        return StoreCorrupt(
            f"{path} is damaged ({told}). `engramma doctor --salvage` builds a new memory from what is left, "
            f"`engramma restore` restores a backup.{UNKEYED if may_lack_key else ''}"
        )
    return StoreError(f"{path}: {error}")


def of_a_copy(error: Exception, target: Path, otherwise: StoreError) -> Exception:
    """What became of a copy: what cannot be written while a database is only read is the copy."""
    if is_full(error, target):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if code_of(error) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return OSError(errno.EIO, str(error))
    return otherwise


def code_of(error: Exception) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_busy(error: Exception) -> bool:
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_damage(error: Exception) -> bool:
    return isinstance(error, UnicodeDecodeError) or code_of(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_full(error: Exception, path: Path) -> bool:
    """Whether there was no room for a write to a file; where memory of the journal cannot be had, SQLite says less."""
    code = code_of(error)
    return code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and disk_is_full(path.parent))


def disk_is_full(folder: Path) -> bool:
    try:
        stat = os.statvfs(folder)
    except (OSError, AttributeError):  # no statvfs on Windows
        return False
    return stat.f_bavail * stat.f_frsize < LEAST_FREE
