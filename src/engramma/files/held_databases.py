"""The database files that this process has open, which nothing but SQLite may open here.

Closing any descriptor of such a file would drop the locks that SQLite holds on it.
"""

from __future__ import annotations

import threading
from pathlib import Path

from ..errors import UnreadableSource

BESIDE = ("", "-wal", "-shm")

_held: dict[Path, int] = {}
_lock = threading.Lock()


def note_open_file(database: Path) -> None:
    with _lock:
        _held[database] = _held.get(database, 0) + 1


def note_closed_file(database: Path) -> None:
    with _lock:
        _held[database] -= 1
        if not _held[database]:
            del _held[database]


def forget_held_files() -> None:
    """In a forked child: what the parent has open is not open here."""
    global _lock
    _held.clear()
    _lock = threading.Lock()


def is_held(path: Path) -> bool:
    """Whether a path leads to such a file, under whatever name. It opens nothing."""
    with _lock:
        files = [file.with_name(file.name + end) for file in _held for end in BESIDE]
    return any(_is_same(path, file) for file in files)


def refuse_held(path: Path) -> None:
    """Refuse to read in a file that only SQLite may open."""
    if is_held(path):
        raise UnreadableSource(
            f"{path} is the database of an open memory and cannot be imported. Use `engramma export` or `engramma "
            "backup` to get its contents."
        )


def _is_same(path: Path, file: Path) -> bool:
    try:
        return path.samefile(file)
    except OSError:
        return False
