"""What the worker set aside because it failed twice: `doctor` reports it, `doctor --fix` retries it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ...admin.doctor_checks import Check
from ...files import foreign_json
from .folder import place_in
from .spool import FAILED, Spool

NAME = "captured conversations are stored"


def aside_checks(store: Path, fix: bool = False) -> list[Check]:
    """A finding where something was set aside, none otherwise. With `fix`, what is whole goes back into the spool."""
    spool = Spool(place_in(store).spool)
    if not (count := spool.failed()):
        return []
    if fix:
        back, notes = try_again(spool)
        return [Check(NAME, True, f"{back} put back in the spool, {notes} records of lost ones deleted")]
    folder = spool.folder / FAILED
    detail = f"{count} set aside in {folder} after failing twice; `engramma doctor --fix` retries them once"
    return [Check(NAME, False, detail)]


def try_again(spool: Spool) -> tuple[int, int]:
    """(items put back, notes deleted). A note tells of what could not be masked, and so was never written."""
    back = notes = 0
    for path in spool.aside():
        with suppress(FileNotFoundError):
            if _kind_of(spool, path) == "frame":
                path.unlink()
                notes += 1
            else:
                os.replace(path, spool.folder / path.name)
                back += 1
    return back, notes


def _kind_of(spool: Spool, path: Path) -> str:
    try:
        return str(foreign_json.loads(spool.read(path))["kind"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
