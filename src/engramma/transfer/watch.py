"""Follows transcripts that are still being written: files that grew or appeared are imported, others not opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from ..core.core import Core
from ..errors import UnreadableSource
from ..language.times import from_seconds
from ..records import Problem, RememberReport
from ..sources import READERS, sniff
from ..sources.containers import members
from ..sources.members import select_members
from ..sources.places import known_places
from .imports import Reading, import_file

# Formats that grow line by line, a file a session. Of others a folder is one export, and read as a whole.
LIVE = ("claude-code", "codex", "gemini-cli")
TRANSCRIPTS = (*LIVE, "cursor")  # what assistants write by themselves: of these a pause holds for an import, too
FOLLOWED = ("claude-code", "codex")  # where nothing else is asked for

State = tuple[tuple[int, int], ...]  # when each file of a source changed, and its size


@dataclass(frozen=True, slots=True)
class Watched:
    """A file or folder to follow, and its format if that is known."""

    path: Path
    format: str | None = None


@dataclass(slots=True)
class Watch:
    """What is known from the rounds before: how each file was when it was read, and what was told by it."""

    states: dict[Path, State] = field(default_factory=dict)
    homes: dict[int, str] = field(default_factory=dict)
    told: set[Problem] = field(default_factory=set)


def live_places() -> list[Watched]:
    """The folders of assistants on this machine whose transcripts grow."""
    return [Watched(place.path, place.reader) for place in known_places() if place.reader in FOLLOWED]


def watch_round(
    core: Core, watched: Sequence[Watched], watch: Watch, how: Reading | None = None
) -> Iterator[tuple[Path, RememberReport]]:
    """Import what is new since the last round, file by file, those that rest longest first.

    `how` tells the zone, the earliest time and the names of speakers; turns that state no time at all get the
    time at which their file was changed, unless `how` has one. A resumed session may repeat what another file
    tells; the older file tells it. A problem is told once.
    """
    found: list[tuple[Path, str | None, State]] = []
    for place in watched:
        try:
            found += units(place)
        except UnreadableSource as error:  # it went just now, or holds too much: others are followed all the same
            yield place.path, _told(watch, RememberReport(problems=(_unread(place.path, error),)))
    for path, format, state in sorted(found, key=lambda one: (max(one[2], default=(0, 0)), one[0])):
        if watch.states.get(path) == state or not any(size for _, size in state):
            continue
        given = how or Reading()
        time = given.fallback_time or changed_at(state)
        root = next((one.path for one in watched if path != one.path and path.is_relative_to(one.path)), None)
        reading = replace(given, format=format, homes=watch.homes, fallback_time=time, within=root)
        try:
            report = import_file(core, path, reading)
        except UnreadableSource as error:
            report = RememberReport(problems=(_unread(path, error),))
        watch.states[path] = state  # as it was before it was read: what came meanwhile is read the next time
        yield path, _told(watch, report)


def _unread(path: Path, error: UnreadableSource) -> Problem:
    return Problem(str(path), "file", str(error).removeprefix(f"{path} "))


def _told(watch: Watch, report: RememberReport) -> RememberReport:
    """A report without the problems that were told before."""
    new = tuple(problem for problem in report.problems if problem not in watch.told)
    watch.told.update(new)
    return replace(report, problems=new)


def units(place: Watched) -> Iterator[tuple[Path, str | None, State]]:
    """What is read by itself, with its state: a file, each transcript of a folder, or a folder of another format."""
    if not place.path.is_dir():
        if state := _state_of([place.path]):
            yield place.path, place.format, state
        return
    names = members(place.path).names
    format = place.format
    if format is None:
        with suppress(UnreadableSource):
            format = sniff(place.path)
    if format not in LIVE:
        yield place.path, format, _state_of([place.path / name for name in names])
        return
    for name in select_members(READERS[format], names):
        if state := _state_of([place.path / name]):
            yield place.path / name, format, state


def changed_at(state: State) -> datetime | None:
    """When the newest file of a source was changed, to the second, as an import has it."""
    newest = max((changed for changed, _ in state), default=None)
    return None if newest is None else from_seconds(newest // 1_000_000_000)


def _state_of(files: Sequence[Path]) -> State:
    """When each file changed and how large it is; one that is gone meanwhile is left out."""
    states = []
    for path in files:
        with suppress(OSError):
            stat = path.stat()
            states.append((stat.st_mtime_ns, stat.st_size))
    return tuple(states)
