"""Imports one source after another with a progress bar, and records the result of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import sources
from ...errors import UnreadableSource
from ...records import Problem, RememberReport
from ...redaction import redact
from ...transfer.imports import PAUSED, Reading
from ...transfer.preview import Preview
from ...transfer.watch import TRANSCRIPTS
from ..render import plural
from .common import progress_bar, say

if TYPE_CHECKING:
    from rich.progress import Progress

    from ...memory import Memory

Progressed = Callable[[int, int], None]
Work = Callable[[Path, Reading, Progressed], RememberReport | Preview]


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What became of one source: its format and what was found, or why it was not read."""

    path: Path
    format: str | None = None
    found: RememberReport | Preview | None = None
    unread: Problem | None = None

    def damaged(self) -> list[Problem]:
        """What could not be read of it."""
        return [] if self.found is None else [problem for problem in self.found.problems if problem.damage]

    def summary(self) -> dict[str, Any]:
        """In figures, for JSON; the problems stand beside it."""
        path = redact(str(self.path)).text
        value: dict[str, Any] = {"path": path, "format": self.format, "read": self.unread is None}
        if self.found is not None:
            value |= {f.name: getattr(self.found, f.name) for f in fields(self.found) if f.name != "problems"}
            value["problems"] = len(self.found.problems)
            value["incomplete"] = bool(self.damaged())
        return value


@dataclass(frozen=True, slots=True)
class Given:
    """The sources to import, and what lies beside them in a folder and is none."""

    given: list[tuple[Path, Reading]]
    unknown: list[str] = field(default_factory=list)


def expanded(given: list[tuple[Path, Reading]]) -> Given:
    """Every source that is named or lies in a folder that is named; a format that is asked for holds for all of it."""
    found: list[tuple[Path, Reading]] = []
    unknown: list[str] = []
    for path, how in given:
        if how.format is not None or not path.is_dir():
            found.append((path, how))
            continue
        inside, here = sources.find_sources(path), replace(how, within=path)
        found += [(part.path, replace(here, format=part.format, names=part.names)) for part in inside.sources]
        if inside.sources:
            unknown += [redact(str(path / name)).text for name in inside.unknown]
        else:
            found.append((path, how))  # refused, with what it holds
    return Given(found, unknown)


def any_readable(given: list[tuple[Path, Reading]]) -> bool:
    """Whether anything at all can be read of one of these: looked at no further than that takes."""
    for path, how in given:
        try:
            items = sources.read_source(path, how.format, idle_gap=timedelta(hours=1), names=how.names)
            if any(not isinstance(item, Problem) for item in items):
                return True
        except UnreadableSource:
            continue
    return False


def import_each(memory: Memory, given: list[tuple[Path, Reading]]) -> list[ImportOutcome]:
    """Import every source that can be read."""

    def work(path: Path, reading: Reading, progress: Progressed) -> RememberReport:
        report = memory.import_(path, reading, progress)
        if report.turns or report.known_turns or any(one.where == PAUSED for one in report.problems):
            return report
        nothing = Problem(str(path), "the whole file", "nothing was imported from it")
        return replace(report, problems=(*report.problems, nothing))

    with progress_bar() as bar:
        return [_one(memory, path, reading, bar, work, counted=True) for path, reading in given]


def look_at_each(memory: Memory, given: list[tuple[Path, Reading]]) -> list[ImportOutcome]:
    """Look at every source that can be read; nothing is stored."""
    seen: set[int] = set()

    def work(path: Path, reading: Reading, progress: Progressed) -> Preview:
        return memory.transfer.preview(path, reading, seen, progress)

    with progress_bar() as bar:
        return [_one(memory, path, reading, bar, work, counted=False) for path, reading in given]


def _one(memory: Memory, path: Path, reading: Reading, bar: Progress, work: Work, *, counted: bool) -> ImportOutcome:
    """One source: say what it is, count it if somebody is looking at the bar, do the work."""
    task = bar.add_task(path.name, total=None)
    name = reading.format
    try:
        name = name or sources.sniff(path)
        how = replace(reading, format=name, except_for=reading.except_for if name in TRANSCRIPTS else ())
        if not bar.disable:
            say(f"{path}: {name}")
            if counted:
                bar.update(task, total=total(memory, path, how, bar))
        found = work(path, how, lambda turns, _: bar.advance(task, turns))
    except UnreadableSource as error:
        (problem,) = memory.redactor.mask_problems(
            [Problem(str(path), "the whole file", str(error).removeprefix(f"{path} "))]
        )
        return ImportOutcome(path, name, unread=problem)
    finally:
        bar.remove_task(task)
    return ImportOutcome(path, name, found)


def total(memory: Memory, path: Path, reading: Reading, bar: Progress) -> int:
    """How many turns a source has. Reading is many times faster than embedding, and only this makes an ETA true."""
    task = bar.add_task("reading", total=None)
    conversations = turns = 0

    def told(more_conversations: int, more_turns: int) -> None:
        nonlocal conversations, turns
        conversations, turns = conversations + more_conversations, turns + more_turns
        found = f"{plural(conversations, 'conversation')}, {plural(turns, 'turn')}"
        bar.update(task, description=f"found {found}", completed=turns)

    memory.transfer.count(path, reading, told)
    bar.remove_task(task)
    say(f"  {plural(conversations, 'conversation')}, {plural(turns, 'turn')}")
    return turns
