"""Settings files of other programs, read and replaced with care."""

from __future__ import annotations

import codecs
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from ...errors import StoreNotWritable, UnreadableSource

BACKUP = ".engramma-backup"
MOST_BYTES = 64 * 1024 * 1024


class FileChanged(Exception):
    """Another program wrote the file between our reading and our writing."""


def real(path: Path) -> Path:
    """The file itself, where a link leads to it."""
    return Path(os.path.realpath(path.expanduser()))


def backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def read_settings_file(path: Path) -> bytes | None:
    """The bytes of a file; None if there is none."""
    try:
        if path.exists() and not path.is_file():
            raise UnreadableSource(f"{path} is not a file. Give the settings file itself with --file.")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error
    if len(data) > MOST_BYTES:
        raise UnreadableSource(f"{path} has more than {MOST_BYTES:,} bytes; that is not a settings file.")
    return data


def decode_settings(path: Path, data: bytes) -> tuple[str, str]:
    """The byte order mark, if there is one, and the text behind it."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableSource(f"{path} is written in UTF-16. Save it as UTF-8, then try again; it was left as it is.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableSource(
            f"{path}, line {line}: not UTF-8. Fix that line or save the file as UTF-8; it was left as it is."
        ) from error
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)


def write_settings_file(
    path: Path, before: bytes | None, after: bytes | None, *, is_private: bool, holds_token: bool = False
) -> None:
    """Replace a file at once, or delete it; Changed if it is no longer what was read.

    A file that was there keeps its permissions, less those of others if it holds a token; a new one is for its owner
    only if `is_private`.
    """
    if read_settings_file(path) != before:
        raise FileChanged(str(path))
    try:
        if after is None:
            path.unlink()
            if path.parent.name.startswith("."):  # .claude and the like, made for this file or of no use without any
                with suppress(OSError):  # where something else is in it
                    path.parent.rmdir()
            return
        if before is not None and not os.access(path, os.W_OK):
            raise PermissionError(13, "it is write-protected")
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o7777 if before is not None else 0o600 if is_private else 0o666 & ~_umask()
        _replace(path, after, mode & 0o700 if holds_token else mode)
    except OSError as error:
        raise StoreNotWritable(
            f"{path} cannot be written: {error.strerror}. It was left as it is; see `--print` for what to add by hand."
        ) from error


def keep(backup: Path, data: bytes, like: Path) -> None:
    """A copy beside a file, readable by nobody who may not read the file itself."""
    try:
        _replace(backup, data, like.stat().st_mode & 0o7777)
    except OSError as error:
        raise StoreNotWritable(f"{backup} cannot be written: {error.strerror}. Nothing was changed.") from error


def _replace(path: Path, data: bytes, mode: int) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)  # noqa: PTH101
        if path.exists() and hasattr(os, "chown"):
            with suppress(OSError):  # only an administrator may give files away
                os.chown(temporary, path.stat().st_uid, path.stat().st_gid)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
