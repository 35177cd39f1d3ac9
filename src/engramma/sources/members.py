"""Zips and folders through the readers: which reader knows what lies in them, and its members read in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import UnreadableSource
from ..records import Conversation, Extra, Problem
from . import containers, files
from .reader import Reader, ReaderOptions

# Of a container with thousands of files, enough to know the format by.
TRIED = 20
# Names shown in a message.
SHOWN = 8


def sniff_container(path: Path, readers: Mapping[str, Reader]) -> str | None:
    """The format of what lies in a container; None where no reader knows it."""
    names = containers.members(path).names
    refused: UnreadableSource | None = None
    for name, reader in readers.items():
        for member in select_members(reader, names)[:TRIED]:
            try:
                if reader.looks_like(files.read_text_head(path / member), path / member):
                    return name
            except UnreadableSource as error:
                refused = refused or error
    if len(names) == 1:
        try:
            return member_format(path / names[0], readers)
        except UnreadableSource as error:
            refused = error
    if refused is not None:
        raise refused
    return None


def file_format(path: Path, readers: Mapping[str, Reader]) -> str | None:
    """The format of one file; None where no reader knows it."""
    head = files.read_text_head(path)
    return next((name for name, reader in readers.items() if reader.looks_like(head, path)), None)


def member_format(path: Path, readers: Mapping[str, Reader]) -> str | None:
    """The same of a file that nobody named: it lies in a zip or a folder. Plain text has to be text by its name."""
    head, is_text = files.read_text_head(path), is_prose(path)
    asked = ((name, reader) for name, reader in readers.items() if is_text or not getattr(reader, "IS_PLAIN", False))
    return next((name for name, reader in asked if reader.looks_like(head, path)), None)


def is_prose(path: Path) -> bool:
    """Whether a file may hold what people write, by its name: text or Markdown, no source code and no settings."""
    from .documents import SUFFIXES

    if not path.suffix:
        return not path.name.lower().endswith("file")  # Makefile, Dockerfile
    return SUFFIXES.get(path.suffix.lower()) in ("text", "markdown")


def select_members(reader: Reader, names: tuple[str, ...]) -> list[str]:
    """The members that a reader knows by their names."""
    takes = getattr(reader, "takes", None)
    return list(takes(names)) if takes else []


def describe_container(path: Path, readers: Mapping[str, Reader]) -> str:
    """What a container holds, for the message that refuses it."""
    found = containers.members(path)
    kind = "a folder" if path.is_dir() else "a zip archive"
    if any(problem.damage for problem in found.problems) and not path.is_dir():
        kind = f"{kind} that is truncated or damaged, so download or copy it again,"
    known = [member for reader in readers.values() for member in select_members(reader, found.names)]
    if known:
        return (
            f"{kind} whose {known[0]} is {files.describe_file(path / known[0], files.read_text_head(path / known[0]))}"
        )
    if found.names:
        return f"{kind} with {_some(found.names)}{' (give a file in it)' if path.is_dir() else ''}"
    problem = f": {found.problems[0].reason}" if found.problems else ""
    return f"{kind} (directory) without files{problem}" if path.is_dir() else f"{kind} without files{problem}"


def read_container(
    path: Path,
    reader: Reader,
    readers: Mapping[str, Reader],
    options: ReaderOptions,
    given: Sequence[str] | None = None,
) -> Iterator[Conversation | Problem | Extra]:
    """The conversations of every member that a reader takes, or of those given; one that cannot be read is reported."""
    found = containers.members(path)
    yield from found.problems
    names = list(given or ()) or select_members(reader, found.names)
    names = names or [name for name in found.names if fits_reader(path / name, reader)]
    if not names:
        raise UnreadableSource(
            f"{path} holds no file that is {reader.DESCRIPTION}. Seen: {describe_container(path, readers)}."
        )
    if read_members := getattr(reader, "read_members", None):
        yield from read_members(path, names, options)
    else:
        yield from _each(path, names, reader, readers, options)
    others = [name for name in found.names if name not in set(names)]
    if others and given is None:
        yield Problem(str(path), "other files", f"{_some(others)}: not conversations in this format; skipped")


def _each(
    path: Path, names: list[str], reader: Reader, readers: Mapping[str, Reader], options: ReaderOptions
) -> Iterator[Conversation | Problem | Extra]:
    refused: list[str] = []
    for name in names:
        is_damaged = False
        try:
            other = other_format(path / name, reader, readers)
            if other is None:
                yield from reader.read(path / name, options)
                continue
            reason = f"in another format ({other}); skipped: import it separately"
        except UnreadableSource as error:
            reason, is_damaged = f"{error}; skipped", True
        refused.append(reason)
        yield Problem(str(path / name), "file", reason, is_damaged)
    if len(refused) == len(names):
        raise UnreadableSource(f"{path} contains nothing that can be read: {refused[0]}")


def other_format(path: Path, reader: Reader, readers: Mapping[str, Reader]) -> str | None:
    """The format of a member that is not in the reader's but in another one."""
    if reader.looks_like(files.read_text_head(path), path):
        return None
    name = file_format(path, readers)
    return None if name == reader.NAME else name


def fits_reader(path: Path, reader: Reader) -> bool:
    """Whether a file looks like a reader's format; one that cannot be opened does not."""
    try:
        return reader.looks_like(files.read_text_head(path), path)
    except UnreadableSource:
        return False


def _some(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
