"""File locks next to the database, which the system releases when a process ends, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def hold_lock(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Whether nobody else, in this process or another, is inside with the same file; or wait until that is so."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        has_it = locked(descriptor, wait=wait)
        while wait and not has_it:  # Windows gives up after ten seconds
            has_it = locked(descriptor, wait=True)
        yield has_it
    finally:
        os.close(descriptor)


def locked(descriptor: int, *, wait: bool = False) -> bool:
    """Take the lock of an open file; False if another has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
