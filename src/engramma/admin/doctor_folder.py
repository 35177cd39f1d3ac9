"""Checks a store's folder for `doctor`: who can read it, and which processes hold deleted files open."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from ..store.sqlite.holders import can_look, with_deleted
from ..store.sqlite.rescue import rescued_copies
from .doctor_checks import Check


def folder_check(folder: Path, fix: bool) -> Check:
    """Only the owner may look into a store's folder; with `fix` it is made so."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if fix and mode & 0o077 and os.name == "posix":
        with suppress(OSError):  # not ours
            folder.chmod(mode & 0o700)
            mode &= 0o700
    wide = bool(mode & 0o077) and os.name == "posix"
    said = f"other users of this machine can read it (mode {mode:04o}); `engramma doctor --fix` makes it private"
    return Check("folder is private", not wide, said if wide else "only its owner can read it")


def files_check(folder: Path) -> Check:
    """Nobody writes to files of this store that were deleted or replaced: what goes there is lost."""
    name = "files in use"
    if not can_look():
        return Check(name, True, "this system does not show which files are open (no /proc, no lsof)")
    if not (found := with_deleted(folder)):
        return Check(name, True, "none that was deleted")
    told = "; ".join(f"{one.told()} has {', '.join(one.deleted)} open" for one in found)
    return Check(name, False, f"{told}, which was deleted meanwhile: stop it, what it stores now is lost")


def rescued_checks(folder: Path) -> list[Check]:
    """A finding where a process saved what it had when files went away under it: it told so only once."""
    if not (copies := rescued_copies(folder)):
        return []
    told = f"{', '.join(map(str, copies))}: what was stored when database files of a running process were removed, "
    told += "and perhaps only there; `engramma doctor --salvage` recovers it, or delete it"
    return [Check("rescued copies", False, told)]
