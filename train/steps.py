"""Runs the steps of a recipe in order: a step that was done, of the same inputs and settings, is not done again.

Each step fills a folder of its own under the work folder. A note beside it says that it has begun and, when it is
done, the settings and the hashes of what it read and made. So a step that was killed, whose inputs or settings
changed, or whose files were damaged is done again, into an empty folder; and what follows it is, too, unless the step
made the same bytes as before. The code of a step is not looked at.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from engramma.files.hashing import sha256_of

NOTES = "notes"  # the folder of the notes, and of what the steps print


class StepError(Exception):
    """A step cannot begin, or has made nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a recipe; `make` fills the folder of its name under the work folder."""

    name: str
    make: Callable[[], None]
    reads: Mapping[str, Path] = field(default_factory=dict)  # files and folders, by a name that is the same everywhere
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_kept: bool = False  # what a run before left in the folder is used, not deleted


def run(
    steps: Sequence[Step],
    work: Path,
    *,
    first: str | None = None,
    last: str | None = None,
    only: str | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Does all steps that have to be done, up to `last`; from `first` on, every one of them; or `only` one of them,
    for which what it reads is enough: the steps before it are not looked at."""
    names = [step.name for step in steps]
    chosen = [steps[names.index(only)]] if only else steps[: names.index(last) + 1] if last else steps
    _look_for_inputs(chosen, None if only else work)
    (work / NOTES).mkdir(parents=True, exist_ok=True)
    if first:
        for step in steps[names.index(first) :]:
            if note_of(step, work).is_file():
                _write(note_of(step, work), {"begun": step.name})
    for step in chosen:
        if is_done(step, work):
            say(f"{step.name}: done before, in {read_note(step, work)['seconds']} s")
        else:
            say(f"{step.name}: {_do(step, work)}")


def note_of(step: Step, work: Path) -> Path:
    return work / NOTES / f"{step.name}.json"


def read_note(step: Step, work: Path) -> dict[str, Any]:
    """What is known of the last time that a step was done or begun; nothing if it never was."""
    path = note_of(step, work)
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


def is_done(step: Step, work: Path) -> bool:
    """Whether a step's note tells of the inputs, settings and outputs that are there now."""
    note = read_note(step, work)
    return (
        "made" in note
        and note["settings"] == _plain(step.settings)
        and note["made"] == hashes({"": work / step.name})
        and note["read"] == hashes(step.reads)
    )


def hashes(places: Mapping[str, Path]) -> dict[str, str]:
    """sha256 of files, and of all files in folders, by name and place in the folder."""
    found: dict[str, str] = {}
    for name, place in places.items():
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        for path in files:
            state = path.stat()
            key = name if path == place else f"{name}/{path.relative_to(place).as_posix()}".lstrip("/")
            found[key] = _hash(path, state.st_size, state.st_mtime_ns)
    return found


@cache
def _hash(path: Path, size: int, changed: int) -> str:
    """A file that one step makes is read by several others: as long as it stays as it is, it is hashed once."""
    return sha256_of(path)


def _look_for_inputs(steps: Sequence[Step], work: Path | None) -> None:
    """What no step makes in the work folder has to be there before the first begins, not hours later."""
    for step in steps:
        for name, path in step.reads.items():
            if work not in path.parents and not path.exists():
                raise StepError(f"{path} is missing: {step.name} reads it as its {name}")


def _do(step: Step, work: Path) -> str:
    """Does one step and notes it; a line of what it took and made."""
    folder, note, began = work / step.name, note_of(step, work), time.monotonic()
    if folder.exists() and any(folder.iterdir()) and not note.is_file():
        raise StepError(f"{folder} holds files that no step made; choose another work folder")
    _write(note, {"begun": step.name})
    if not step.is_kept:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    read, printed = hashes(step.reads), note.with_suffix(".log")
    try:
        with printed.open("w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
            step.make()
    except Exception as error:
        error.add_note(f"in the step {step.name}; what it printed is in {printed}")
        raise
    made, seconds = hashes({"": folder}), round(time.monotonic() - began, 1)
    if not made:
        raise StepError(f"{step.name} made nothing in {folder}; what it printed is in {printed}")
    _write(note, {"seconds": seconds, "settings": _plain(step.settings), "read": read, "made": made})
    size = sum((folder / name).stat().st_size for name in made)
    return f"{seconds} s, files: {len(made)}, MB: {size / 1e6:.1f}"


def _plain(settings: Mapping[str, Any]) -> Any:
    """Settings as a note gives them back."""
    return json.loads(json.dumps(settings))


def _write(path: Path, note: Mapping[str, Any]) -> None:
    """A note is whole or not there."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(note, indent=1), "utf-8")
    part.replace(path)
