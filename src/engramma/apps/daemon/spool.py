"""A durable queue of small files: what was captured waits here until it is stored. Standard library only.

One file an item, complete or not there (written beside, synced, renamed). Any process may put items in; names sort
by time. Taking an item out is deleting its file, so a crash between storing and deleting stores it again, which
changes nothing. Beside an encrypted store items are sealed to its public key, which takes no secret and no daemon:
whoever is told to put one in can, and only who can open the store can read it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ...files import foreign_json
from .folder import make_private_folders

MAX_ITEMS = 10_000
MAX_BYTES = 512 * 1024 * 1024
FAILED = "failed"  # items that no try will store, kept for a look
MAX_FAILED = 100
PLAIN, SEALED = ".json", ".sealed"
KEY_FILE = "key.json"  # of an encrypted store; encryption/keys.py, which a hook imports only if there is one
MAX_FAILED_BYTES = 64 * 1024 * 1024
STALE_SECONDS = 600.0  # a temporary file that old belongs to a process that died


class SpoolItem(NamedTuple):
    path: Path
    kind: str
    value: dict[str, Any]


class Spool:
    """The queue in one folder."""

    def __init__(self, folder: Path, max_items: int = MAX_ITEMS, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder
        self._store = folder.parent.parent  # STORE/daemon/spool
        self.max_items = max_items
        self.max_bytes = max_bytes

    def put(self, kind: str, value: dict[str, Any]) -> bool:
        """Keep an item for later; False, and nothing kept, if the spool is full."""
        make_private_folders(*reversed(self.folder.parents[:2]), self.folder)
        data, mark, suffix = self._written(kind, value)
        items, size = self.waiting()
        if items >= self.max_items or size + len(data) > self.max_bytes:
            return False
        _write_private(self.folder, data, mark, suffix)
        return True

    def waits(self, kind: str, value: dict[str, Any], among: int) -> bool:
        """Whether one of the last items says the same."""
        data, paths = encoded(kind, value), self._paths()[-among:]
        if self._is_sealed():
            tag = self._tag(data)
            return any(path.name.endswith(f"-{tag}{SEALED}") for path in paths)
        for path in paths:
            with suppress(OSError):
                if path.read_bytes() == data:
                    return True
        return False

    def items(self) -> Iterator[SpoolItem]:
        """What waits, oldest first. A file that cannot be read as an item is set aside."""
        for path in self._paths():
            try:
                found = foreign_json.loads(self.read(path).decode("utf-8", "surrogatepass"))
                item = SpoolItem(path, str(found["kind"]), dict(found["value"]))
            except FileNotFoundError:
                continue  # another process stored it meanwhile
            except (ValueError, KeyError, TypeError):
                self.lay_aside(path)
                continue
            yield item

    def done(self, item: SpoolItem) -> None:
        item.path.unlink(missing_ok=True)

    def lay_aside(self, path: Path) -> None:
        """Out of the queue, but kept: no further try would help."""
        aside = self.folder / FAILED
        aside.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            os.replace(path, aside / path.name)
        self._bound_failed()

    def note_failed(self, kind: str, value: dict[str, Any]) -> None:
        """Note something that could not even be masked, by what may be told of it: the rest never touches the disk."""
        _write_private(self.folder / FAILED, *self._written(kind, value))
        self._bound_failed()

    def _bound_failed(self) -> None:
        """Delete the oldest of what was set aside, where it is too many or too much."""
        size = 0
        for count, path in enumerate(sorted(self.aside(), reverse=True), 1):
            with suppress(FileNotFoundError):
                size += path.stat().st_size
                if count > MAX_FAILED or (size > MAX_FAILED_BYTES and count > 1):
                    path.unlink()

    def waiting(self) -> tuple[int, int]:
        """How many items wait, and their bytes."""
        sizes = []
        for path in self._paths():
            with suppress(FileNotFoundError):
                sizes.append(path.stat().st_size)
        return len(sizes), sum(sizes)

    def aside(self) -> list[Path]:
        """What was set aside, oldest first."""
        return self._in(self.folder / FAILED)

    def failed(self) -> int:
        return len(self.aside())

    def tidy(self) -> None:
        """Delete what processes that died left half written."""
        if self.folder.is_dir():
            for path in self.folder.glob("*.tmp"):
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > STALE_SECONDS:
                        path.unlink()

    def _paths(self) -> list[Path]:
        return self._in(self.folder)

    def _in(self, folder: Path) -> list[Path]:
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.suffix in (PLAIN, SEALED))

    # --- beside an encrypted store -----------------------------------------------------------------

    def _written(self, kind: str, value: dict[str, Any]) -> tuple[bytes, str, str]:
        """An item as it is written, and the mark and the end of its file's name."""
        data = encoded(kind, value)
        if self._is_sealed():
            return self._boxed(data), self._tag(data), SEALED
        return data, os.urandom(4).hex(), PLAIN

    def _is_sealed(self) -> bool:
        return (self._store / KEY_FILE).is_file()

    def _tag(self, data: bytes) -> str:
        from ...encryption.keys import read_record, tag

        record = read_record(self._store)
        assert record is not None
        return tag(record, data)

    def _boxed(self, data: bytes) -> bytes:
        """An item that only the store's key opens. What is missing for that is raised: nothing is written plainly."""
        from ...encryption.keys import box, read_record

        record = read_record(self._store)
        assert record is not None
        return box(record, data)

    def read(self, path: Path) -> bytes:
        data = path.read_bytes()
        if path.suffix != SEALED:
            return data
        from ...encryption import keys_in
        from ...encryption.keys import unbox
        from ...errors import StoreCorrupt

        if (keys := keys_in(self._store)) is None:
            raise ValueError("encrypted for a store that no longer has a key")
        try:
            return unbox(keys, data)
        except StoreCorrupt as error:
            raise ValueError("changed, or from another store") from error


def encoded(kind: str, value: dict[str, Any]) -> bytes:
    return json.dumps({"kind": kind, "value": value}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _write_private(folder: Path, data: bytes, mark: str, suffix: str) -> None:
    """A new file in a folder, named by the time, for its owner only: complete, or not there."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{mark}"
    beside = folder / f"{name}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, folder / f"{name}{suffix}")
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """A renamed file survives a power cut once its folder is written. Not every system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
