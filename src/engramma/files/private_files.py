"""Writes files with private content: readable only by their owner, atomically."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import BinaryIO


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, over one that may be there; a device is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    place = path.resolve() if path.is_symlink() else path
    handle, beside = tempfile.mkstemp(dir=place.parent, prefix=".writing-")  # 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(beside, place)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def open_private(path: Path) -> BinaryIO:
    """A new file that only its owner can read: private talk lies in it."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")
