"""Refuses to open a store whose database is missing, instead of creating an empty one in its place."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from ...errors import StoreCorrupt

LEAST = 512  # bytes of the smallest database that holds anything


def check_not_emptied(folder: Path) -> None:
    """Refuse a folder whose memory.db is missing or emptied beside files that were made from what it held.

    Sizes alone are asked for: opening the file and closing it again would drop the locks of this process.
    """
    database = folder / "memory.db"
    try:
        size = database.stat().st_size
    except FileNotFoundError:
        size = None
    except OSError:
        return  # what is wrong with the folder, SQLite says better
    if size is not None and size >= LEAST:
        return
    if (left := made_before(folder)) is None:
        return
    state = "is missing" if size is None else "is empty" if size == 0 else f"was cut to {size} bytes"
    raise emptied(database, state, left)


def emptied(database: Path, state: str, left: Path) -> StoreCorrupt:
    return StoreCorrupt(
        f"{database} {state}, but {left} shows that there was a memory here. Nothing was changed. "
        "`engramma doctor --salvage` builds a new memory from what is left, `engramma restore` restores a backup. To "
        "start over, move {database.parent} away first."
    )


def made_before(folder: Path) -> Path | None:
    """A file that can only be here because something was stored: a session's text, an index's vectors, or a copy that
    was rescued."""
    rescued = (folder / "rescued").glob("memory-*.db")
    try:
        texts = (path for path in (folder / "archive").glob("*/*/*") if path.suffix in (".txt", ".sealed"))
        return next(chain(texts, (folder / "index").glob("*.vectors*"), rescued), None)
    except OSError:
        return None
