"""Provides a place for temporary plain files: for an encrypted store in memory, never on disk."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import StoreError
from .keys import is_encrypted

IN_MEMORY = Path("/dev/shm")  # Linux


def passing_folder(store: Path) -> Path | None:
    """The folder for passing files; None: wherever else they would lie. StoreError where there is no such place."""
    if not is_encrypted(store):
        return None
    if IN_MEMORY.is_dir() and os.access(IN_MEMORY, os.W_OK):
        return IN_MEMORY
    raise StoreError(
        "This memory is encrypted, and this system has no memory-backed folder (/dev/shm), so the upload would be on "
        "disk in plain text while it is read. Use `engramma import` or `engramma ingest` on the file itself."
    )
