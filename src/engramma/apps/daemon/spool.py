"""A durable queue of small files: what was captured waits here until it is stored. Standard library only.

One file an item, complete or not there (written beside, synced, renamed). Any process may put items in; names sort
by time. Taking an item out is deleting its file, so a crash between storing and deleting stores it again, which
changes nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

MAX_ITEMS = 10_000
MAX_BYTES = 512 * 1024 * 1024
FAILED = "failed"  # items that no try will store, kept for a look
MAX_FAILED = 100
MAX_FAILED_BYTES = 64 * 1024 * 1024
STALE_SECONDS = 600.0  # a temporary file that old belongs to a process that died


class Item(NamedTuple):
    path: Path
    kind: str
    value: dict[str, Any]


class Spool:
    """The queue in one folder."""

    def __init__(self, folder: Path, max_items: int = MAX_ITEMS, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder
        self.max_items = max_items
        self.max_bytes = max_bytes

    def put(self, kind: str, value: dict[str, Any]) -> bool:
        """Keep an item for later; False, and nothing kept, if the spool is full."""
        data = as_bytes(kind, value)
        items, size = self.waiting()
        if items >= self.max_items or size + len(data) > self.max_bytes:
            return False
        write_private(self.folder, data)
        return True

    def items(self) -> Iterator[Item]:
        """What waits, oldest first. A file that cannot be read as an item is laid aside."""
        for path in self._paths():
            try:
                found = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
                item = Item(path, str(found["kind"]), dict(found["value"]))
            except FileNotFoundError:
                continue  # another process stored it meanwhile
            except (ValueError, KeyError, TypeError):
                self.lay_aside(path)
                continue
            yield item

    def done(self, item: Item) -> None:
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
        write_private(self.folder / FAILED, as_bytes(kind, value))
        self._bound_failed()

    def _bound_failed(self) -> None:
        """Delete the oldest of what was laid aside, where it is too many or too much."""
        size = 0
        for count, path in enumerate(sorted((self.folder / FAILED).glob("*.json"), reverse=True), 1):
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

    def failed(self) -> int:
        aside = self.folder / FAILED
        return sum(1 for _ in aside.glob("*.json")) if aside.is_dir() else 0

    def tidy(self) -> None:
        """Delete what processes that died left half written."""
        if self.folder.is_dir():
            for path in self.folder.glob("*.tmp"):
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > STALE_SECONDS:
                        path.unlink()

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []


def as_bytes(kind: str, value: dict[str, Any]) -> bytes:
    return json.dumps({"kind": kind, "value": value}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def write_private(folder: Path, data: bytes) -> None:
    """A new file in a folder, named by the time, for its owner only: complete, or not there."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
    beside = folder / f"{name}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, folder / f"{name}.json")
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
