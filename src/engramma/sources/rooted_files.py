"""Files below a folder that was named, opened without following any link: what lies outside of it was not named.

A link is a claim about where something is, made by whoever could write into the folder, and it can change between the
moment it is looked at and the moment it is opened. So the way down is walked by descriptors, each opened with
O_NOFOLLOW from the one above it, and what is opened is looked at by its own descriptor.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..files.held_databases import refuse_held

_root: ContextVar[Path | None] = ContextVar("root", default=None)
_BY_DESCRIPTORS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


@contextmanager
def within(root: Path | None) -> Iterator[None]:
    """Open files below a folder from that folder only; the outermost of several decides."""
    outer = _root.get()
    token = _root.set(outer if root is None or (outer is not None and root.is_relative_to(outer)) else root)
    try:
        yield
    finally:
        _root.reset(token)


def open_below_root(path: Path) -> io.BufferedReader:
    """The bytes of a regular file; OSError for anything else, and for what lies behind a link below the root."""
    refuse_held(path)
    root = _root.get()
    if root is None or not path.is_relative_to(root) or path == root:
        return _regular(os.open(path, _flags()), path)
    if not _BY_DESCRIPTORS:
        if not path.resolve(strict=True).is_relative_to(root.resolve()):
            raise OSError(errno.ELOOP, "a link points outside the folder", str(path))
        return _regular(os.open(path, _flags()), path)
    *folders, name = path.relative_to(root).parts
    if ".." in folders or name == "..":
        raise OSError(errno.EPERM, "the name points outside the folder", str(path))
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        return _regular(os.open(name, _flags() | os.O_NOFOLLOW, dir_fd=here), path)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError(error.errno, "a link, which may point outside the folder", str(path)) from None
        raise
    finally:
        os.close(here)


def _flags() -> int:
    """To read; a pipe that nobody writes to is no reason to wait."""
    return os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _regular(descriptor: int, path: Path) -> io.BufferedReader:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file: write it to a file first", str(path))
    return os.fdopen(descriptor, "rb")
