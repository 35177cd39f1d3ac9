"""Makes a store's folder and its database file, for their owner's eyes only."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from ..errors import StoreError, StoreNotFound, StoreNotWritable


def make_private_file(path: Path) -> None:
    """Make an empty file if there is none. What is wrong with the folder, SQLite says better.

    The file gets its name after it was closed, so that closing it cannot drop anybody's lock. Where there are no links
    it has its name from the start, and whoever is in this process waits until it is closed (see owner.share).
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    with suppress(OSError):
        if not os.path.lexists(path):
            new_file(beside)
            try:
                os.link(beside, path)
            except FileExistsError:
                return  # another process was faster
            except OSError:
                new_file(path)
            finally:
                beside.unlink()


def new_file(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def make_folder(folder: Path, create: bool) -> None:
    """The store's directory, made for its owner only: private talk lies in it."""
    if folder.is_dir():
        return
    if not create and not folder.exists():
        raise StoreNotFound.at(folder)
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise StoreError(f"{folder} is a file, but a store is a directory. Pass another --store.") from error
    except OSError as error:
        raise StoreNotWritable(f"Cannot create {folder}: {error}. Choose another place with --store.") from error
