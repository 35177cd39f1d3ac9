"""Makes the database file: empty and for its owner's eyes only."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def make_private(path: Path) -> None:
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
