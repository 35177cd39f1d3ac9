"""Files that were sent to be imported: private, in the daemon's folder, and gone when the import ends."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from ...encryption import read_record
from ...encryption.plain_files import passing_folder
from ...errors import StoreError, StoreFull
from ..daemon.folder import DaemonFolder
from .problems import RequestRefused

FOLDER = "uploads"
MOST_BYTES = 16 * 1024**3
LONGEST_NAME = 150  # bytes
PIECE = 1024 * 1024  # bytes written at once
NAMELESS = "upload"


def safe_name(name: str | None) -> str:
    """The last part of a file's name: readers take names of conversations from it, so as much of it as can be."""
    last = (name or "").replace("\\", "/").rpartition("/")[2]
    last = "".join(c for c in last if c.isprintable()).strip()
    while len(last.encode("utf-8", "ignore")) > LONGEST_NAME:
        last = last[1:]  # the end tells what kind of file it is
    last = last.encode("utf-8", "ignore").decode("utf-8")
    return NAMELESS if last.strip(". ") == "" else last


async def receive(place: DaemonFolder, name: str, stream: AsyncIterator[bytes], most: int | None = None) -> Path:
    """Write what comes into a file that only its owner can read; nothing is left if it cannot be written."""
    limit = MOST_BYTES if most is None else most
    folder = await run_in_threadpool(new_folder, place)
    path = folder / name
    try:
        size, waiting = 0, bytearray()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            async for piece in stream:
                size += len(piece)
                if size > limit:
                    raise RequestRefused(
                        413, f"A file may have at most {limit:,} bytes. Split it, or use `engramma import`."
                    )
                waiting += piece
                if len(waiting) >= PIECE:
                    await run_in_threadpool(file.write, bytes(waiting))
                    waiting.clear()
            await run_in_threadpool(file.write, bytes(waiting))
        if not size:
            raise RequestRefused(400, "The body is empty. Send the file itself as the body: curl --data-binary @FILE.")
    except OSError as error:
        remove_upload(path)
        raise StoreFull("There is no room for the file. Free some space and send it again.") from error
    except BaseException:
        remove_upload(path)
        raise
    return path


def new_folder(place: DaemonFolder) -> Path:
    place.make()
    uploads = uploads_of(place)
    uploads.mkdir(mode=0o700, exist_ok=True)
    folder = uploads / secrets.token_hex(8)
    folder.mkdir(mode=0o700)
    return folder


def uploads_of(place: DaemonFolder) -> Path:
    """The folder for them: the daemon's own, or, of an encrypted store, one in memory that only this user can enter."""
    store = place.folder.parent
    folder = passing_folder(store)
    if folder is None:
        return place.folder / FOLDER
    record = read_record(store)
    assert record is not None
    return private_folder(folder / f"engramma-{record.id}")


def private_folder(path: Path) -> Path:
    """A folder of ours in one where others may write, too; StoreError if somebody else was there first."""
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise StoreError(f"{path} is not a private folder of yours. Remove it and try again.")
    return path


def remove_upload(path: Path) -> None:
    """A file that was sent, and the folder that was made for it."""
    shutil.rmtree(path.parent, ignore_errors=True)


def sweep_uploads(place: DaemonFolder) -> None:
    """What a daemon that was killed left behind; a store has one daemon at a time."""
    with suppress(StoreError):
        shutil.rmtree(uploads_of(place), ignore_errors=True)
