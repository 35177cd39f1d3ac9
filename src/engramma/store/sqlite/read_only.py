"""Opens a database that cannot be written: on a read-only medium, in another's folder, in a mounted backup."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...errors import StoreNotWritable
from ...files.held_databases import is_held


@dataclass(frozen=True, slots=True)
class ReadOnlyPlace:
    """Where a database is opened, how, and what to do when it is closed."""

    path: Path
    mode: str = "rw"
    is_readonly: bool = False
    tidy: Callable[[], None] = lambda: None


def place_for(path: Path) -> ReadOnlyPlace:
    """A database that cannot be written is read as it lies there; with what a crash left in its journal, as a copy.

    SQLite needs its side files for a journal, and cannot make them there.
    """
    if not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return ReadOnlyPlace(path)
    journal, shared = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if not journal.exists() or not journal.stat().st_size:
        return ReadOnlyPlace(path, "ro&immutable=1", True)
    if is_held(path) or (shared.exists() and os.access(shared, os.R_OK)):
        return ReadOnlyPlace(path, "ro", True)
    return _copied(path, journal)


def _copied(path: Path, journal: Path) -> ReadOnlyPlace:
    folder = Path(tempfile.mkdtemp(prefix="engramma-readonly-"))  # for its owner's eyes only
    try:
        for file in (path, journal):
            shutil.copy(file, folder / file.name)
            (folder / file.name).chmod(0o600)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise StoreNotWritable(
            f"{path} cannot be written, a crash left something in its journal, and there is no room for a copy to "
            f"read it from ({error}). Copy {path.parent} to a writable place."
        ) from error
    return ReadOnlyPlace(folder / path.name, "rw", True, lambda: shutil.rmtree(folder, ignore_errors=True))
