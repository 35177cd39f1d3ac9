"""Connects and disconnects: works out what would change in a settings file, and changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...errors import StoreBusy, UnreadableSource
from . import files
from .registry import Hooks, Servers

Action = Literal["added", "updated", "unchanged", "removed", "absent"]
TRIES = 5  # a running Claude Code writes its file often


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file: its bytes before and after, None where there is no file."""

    what: str
    file: Path
    action: Action
    before: bytes | None
    after: bytes | None
    backup: Path | None = None  # where the file as it was before is kept
    restores: bool = False  # the file becomes exactly what it was before it was connected

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def to_connect(kind: Servers | Hooks, path: Path, entry: dict[str, Any]) -> FileChange:
    """The file with our entry as it should be now."""
    file = files.real(path)
    before = files.read_settings_file(file)
    old = kind.found(file, before)
    wanted = kind.merged(old, entry)
    if old == wanted:
        return FileChange(kind.what, file, "unchanged", before, before)
    after = kind.put(file, before, wanted)
    backup = files.backup_of(file)
    # A backup from before the first connection is worth more than one that has our entry in it.
    keeps = before is not None and (old is None or not backup.exists())
    return FileChange(kind.what, file, "added" if old is None else "updated", before, after, backup if keeps else None)


def to_disconnect(kind: Servers | Hooks, path: Path) -> FileChange:
    """The file without our entry: exactly as it was if nobody changed it since, else with the rest untouched."""
    file = files.real(path)
    current = files.read_settings_file(file)
    entry = kind.found(file, current)
    if current is None or entry is None:
        return FileChange(kind.what, file, "absent", current, current)
    backup = files.backup_of(file)
    kept = files.read_settings_file(backup)
    if kept is not None and _leads_to(kind, backup, kept, entry, current):
        return FileChange(kind.what, file, "removed", current, kept, backup, restores=True)
    if _leads_to(kind, file, None, entry, current):
        return FileChange(kind.what, file, "removed", current, None, restores=True)
    made_table = kept is not None and _readable(kind, backup, kept) and not kind.has_table(backup, kept)
    after = kind.drop(file, current, with_table=made_table)
    return FileChange(kind.what, file, "removed", current, after, backup if kept is not None else None)


def apply(change: FileChange, *, is_private: bool = True, holds_token: bool = False) -> None:
    """Write a change; Changed if the file is no longer what the change was made for."""
    if not change.is_needed:
        return
    if change.backup is not None and change.action != "removed":
        files.keep(change.backup, change.before or b"", change.file)
    files.write_settings_file(change.file, change.before, change.after, is_private=is_private, holds_token=holds_token)
    if change.restores and change.backup is not None:
        change.backup.unlink(missing_ok=True)


def plan_connection(
    kind: Servers | Hooks, path: Path, entry: dict[str, Any], *, is_private: bool = True, holds_token: bool = False
) -> FileChange:
    change = _settled(lambda: to_connect(kind, path, entry), is_private, holds_token)
    if holds_token and change.file.exists():  # also where nothing had to be written
        change.file.chmod(change.file.stat().st_mode & 0o700)
    return change


def disconnect(kind: Servers | Hooks, path: Path) -> FileChange:
    return _settled(lambda: to_disconnect(kind, path), True)


def _settled(plan: Callable[[], FileChange], is_private: bool, holds_token: bool = False) -> FileChange:
    for _ in range(TRIES):
        change = plan()
        try:
            apply(change, is_private=is_private, holds_token=holds_token)
        except files.FileChanged:
            continue
        return change
    raise StoreBusy(f"{change.file} is constantly being written by another program. Close that program and try again.")


def _leads_to(kind: Servers | Hooks, path: Path, before: bytes | None, entry: dict[str, Any], current: bytes) -> bool:
    """Whether connecting a file as it was before gives the file as it is now."""
    if not _readable(kind, path, before) or kind.found(path, before) is not None:
        return False
    try:
        return kind.put(path, before, entry) == current
    except UnreadableSource:
        return False


def _readable(kind: Servers | Hooks, path: Path, data: bytes | None) -> bool:
    try:
        kind.found(path, data)
    except UnreadableSource:
        return False
    return True
