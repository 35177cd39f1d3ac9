"""The documents below a folder."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import UnreadableSource
from .. import rooted_files
from .decode import looks_binary

# A larger file is data or a whole library; what is read is held in memory several times over.
MAX_BYTES = 20 * 1024 * 1024
_LOOKED_AT = 8 * 1024
_NOT_WRITTEN_HERE = frozenset(("node_modules", "__pycache__", "site-packages"))
# A virtual environment has one of these at its top.
_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")


def below(path: Path, suffixes: frozenset[str], left_out: Callable[[Path], None]) -> Iterator[Path]:
    """The files below a folder that can be read, in sorted order; links are left out, and told."""
    entered: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        here = waiting.pop()
        try:
            state = here.stat() if here == path else here.lstat()
            if stat.S_ISLNK(state.st_mode):
                left_out(here)
            elif stat.S_ISDIR(state.st_mode):
                place = (state.st_dev, state.st_ino)
                if place not in entered and (here == path or _worth_entering(here)):
                    waiting.extend(sorted((one for one in here.iterdir() if one.name[0] != "."), reverse=True))
                entered.add(place)
            elif stat.S_ISREG(state.st_mode) and 0 < state.st_size <= MAX_BYTES and _is_document(here, suffixes):
                yield here
        except (OSError, UnreadableSource):
            # Gone, not ours to read, or a link that leads nowhere: no document.
            continue


def read_file_bytes(path: Path) -> bytes:
    """The bytes of a file, or words on why they cannot be had."""
    try:
        if path.is_dir():
            raise UnreadableSource(f"{path} is a directory: give a file in it")
        if path.exists() and not path.is_file():
            raise UnreadableSource(f"{path} is not a regular file: write it to a file first")
        with rooted_files.open_below_root(path) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableSource(f"{path} cannot be read: {words}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableSource(f"{path} is larger than {MAX_BYTES >> 20} MiB: split it")
    return data


def _worth_entering(folder: Path) -> bool:
    if folder.name in _NOT_WRITTEN_HERE:
        return False
    return not any((folder / name).exists() for name in _ENVIRONMENT)


def _is_document(path: Path, suffixes: frozenset[str]) -> bool:
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        return False
    with rooted_files.open_below_root(path) as file:
        return suffix == ".pdf" or not looks_binary(file.read(_LOOKED_AT))
