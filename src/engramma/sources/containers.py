"""A source may be a file, a zip or a folder. What lies in the last two are members, named by paths below them.

A member's path is the container's with the member's name behind it, `export.zip/conversations.json`
as well as `folder/conversations.json`: `open_source` takes either, so a reader of one file reads all three.
Zips inside zips are not followed.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Problem
from . import rooted_files, zips

# More than any export has; a whole disk named by mistake should be noticed soon.
MAX_FILES = 200_000

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Members:
    """The names of the files in a container, in order, and what was wrong with others."""

    names: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def is_container(path: Path) -> bool:
    try:
        return path.is_dir() or (path.is_file() and zips.is_zip(path))
    except (OSError, ValueError):
        return False


def members(path: Path) -> Members:
    """The files in a zip or a folder that may be read."""
    if path.is_dir():
        return _in_folder(path)
    entries, problems = _in_zip(path)
    return Members(tuple(entries), problems)


def open_source(path: Path) -> io.BufferedReader:
    """The bytes of a file or of a member of a zip."""
    try:
        if path.is_dir():
            raise UnreadableSource(f"{path} is a directory: give a file in it")
        if path.exists():
            if not path.is_file():
                # A pipe could be read only once, and the format is looked at first.
                raise UnreadableSource(f"{path} is not a regular file: write it to a file first")
        elif archive := next((one for one in path.parents if one.is_file()), None):
            return _member(archive, path.relative_to(archive).as_posix())
        return rooted_files.open_below_root(path)
    except (OSError, ValueError) as error:
        words = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise UnreadableSource(f"{path} cannot be opened: {words}") from None


def _member(archive: Path, name: str) -> io.BufferedReader:
    if not zips.is_zip(archive):
        raise UnreadableSource(f"{archive / name} cannot be opened: {archive} is a file, not a folder or a zip archive")
    entries, _ = _in_zip(archive)
    if name not in entries:
        raise UnreadableSource(f"{archive / name} cannot be opened: {archive} holds no such file")
    return zips.open_zip_entry(archive, entries[name])


def _in_folder(path: Path) -> Members:
    names: list[str] = []
    problems: list[Problem] = []

    def unreadable(error: OSError) -> None:
        problems.append(Problem(str(path), str(error.filename), f"cannot be listed: {error.strerror}; skipped", True))

    # Links are not followed: they may lead round in a circle, or to what nobody meant.
    for folder, inner, files in os.walk(path, onerror=unreadable):
        inner.sort()
        found = [Path(folder, name) for name in sorted(files)]
        for file in found:
            if file.is_symlink():
                where = file.relative_to(path).as_posix()
                problems.append(Problem(str(path), where, "a link, not a file; skipped: import its target"))
            elif file.is_file():
                names.append(file.relative_to(path).as_posix())
        if len(names) > MAX_FILES:
            reason = f"holds more than {MAX_FILES} files; the rest is skipped: give a subfolder"
            problems.append(Problem(str(path), "folder", reason, damage=True))
            return Members(tuple(names[:MAX_FILES]), tuple(problems))
    return Members(tuple(names), tuple(problems))


def _in_zip(path: Path) -> tuple[dict[str, zips.ZipEntry], tuple[Problem, ...]]:
    try:
        state = path.stat()
        return _zip_entries(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from None


# An archive's list is long where it holds pictures, and is needed for every member that is opened.
@lru_cache(maxsize=4)
def _zip_entries(path: Path, changed: int, size: int) -> tuple[dict[str, zips.ZipEntry], tuple[Problem, ...]]:
    found: dict[str, zips.ZipEntry] = {}
    problems: list[Problem] = []
    listed = zips.contents(path)
    if listed.damage:
        kept = f"the {len(listed.entries)} files found before the damage are imported"
        problems.append(Problem(str(path), "archive", f"{listed.damage}; {kept}", damage=True))
    for entry in listed.entries:
        name = _safe(entry.name)
        where = repr(entry.name[:100])
        if name is None:
            problems.append(Problem(str(path), where, "the name points outside the archive; skipped"))
        elif entry.is_link:
            problems.append(Problem(str(path), where, "a link, not a file; skipped"))
        elif name in found:
            problems.append(Problem(str(path), where, "two files have this name; the first is skipped"))
            found[name] = entry
        else:
            found[name] = entry
    return found, tuple(problems)


def _safe(name: str) -> str | None:
    """A member's name with plain slashes, None where it is no path below the archive."""
    name = name.replace("\\", "/")
    parts = name.split("/")
    if not name or name.startswith("/") or _DRIVE.match(name) or ".." in parts or "\0" in name:
        return None
    safe = PurePosixPath(name).as_posix()
    return None if safe == "." else safe
