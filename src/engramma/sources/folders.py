"""A folder with whatever lies in it: the exports it is or holds, the files that are sources by themselves, the rest.

A reader that knows files by their names takes them first, all that it knows as one export. What is left is looked
at file by file, zips too; for plain transcripts only what is text or Markdown by its name, because lines of a program
or of settings look like "Name: text". What lies in the folder of an export belongs to it: a text that somebody attached
to a chat is no talk of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from . import containers, members
from .reader import Reader

# Exports whose subfolders hold what was attached, wherever they are unpacked.
_WITH_SUBFOLDERS = ("telegram", "slack")
# A chat a file, and nothing that would make the folder around it an export.
_LOOSE = ("whatsapp", "email")


@dataclass(frozen=True, slots=True)
class FolderSource:
    """One source in a folder: a file, or with `names` the files of an export that lies in `path`."""

    path: Path
    format: str
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The sources in a folder, and the names of the files that are none. What is hidden is not looked at."""

    sources: tuple[FolderSource, ...]
    unknown: tuple[str, ...]


def sort_folder(path: Path, readers: Mapping[str, Reader]) -> Parts:
    """What lies in a folder, every file in one place."""
    # A hidden folder is a program's: what it holds beside its talk is nobody's talk.
    is_programs = path.resolve().name.startswith(".")
    left = dict.fromkeys(containers.members(path).names)
    found: list[FolderSource] = []
    for name, reader in readers.items():
        own = _export(path, reader, readers, tuple(left), is_programs)
        if own:
            found.append(FolderSource(path, name, tuple(own)))
            left = dict.fromkeys(one for one in left if one not in set(own))
    homes = _homes(found)
    unknown: list[str] = []
    for one in left:
        inside = any(home in PurePosixPath(one).parents for home in homes)
        if not is_programs and any(part.startswith(".") for part in PurePosixPath(one).parts):
            continue
        format = None if is_programs or inside else _format(path / one, readers)
        if format is None:
            unknown.append(one)
        else:
            found.append(FolderSource(path / one, format))
    return Parts(tuple(found), tuple(unknown))


def _export(
    path: Path, reader: Reader, readers: Mapping[str, Reader], names: tuple[str, ...], is_programs: bool
) -> list[str]:
    """The files that a reader knows by name, if one of them is in its format; without those in another."""
    wanted = members.select_members(reader, names)
    if not is_programs:
        wanted = [one for one in wanted if not any(part.startswith(".") for part in PurePosixPath(one).parts)]
    if not any(members.fits_reader(path / one, reader) for one in wanted[: members.TRIED]):
        return []
    return wanted if is_programs else [one for one in wanted if not _is_other(path / one, reader, readers)]


def _is_other(path: Path, reader: Reader, readers: Mapping[str, Reader]) -> bool:
    try:
        return members.other_format(path, reader, readers) is not None
    except UnreadableSource:
        return False  # whoever reads it says what is wrong


def _homes(found: Iterable[FolderSource]) -> set[PurePosixPath]:
    """The folders below that are exports."""
    homes: set[PurePosixPath] = set()
    for part in found:
        if part.names is None or part.format in _LOOSE:
            continue
        parents = {PurePosixPath(name).parent for name in part.names}
        homes |= {parent for parent in parents if parent.parts}
        if part.format in _WITH_SUBFOLDERS and PurePosixPath() in parents:
            inner = (child for child in part.path.iterdir() if child.is_dir())
            homes |= {PurePosixPath(child.name) for child in inner}
    return homes


def _format(path: Path, readers: Mapping[str, Reader]) -> str | None:
    try:
        if containers.is_container(path):
            return members.sniff_container(path, readers)
        return members.member_format(path, readers)
    except UnreadableSource:
        return None
