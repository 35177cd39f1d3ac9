"""What the readers of coding agents share: rows of a file that is still being written, and turns made a talk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Turn
from . import rooted_files
from .clock import written_time
from .files import read_lines
from .ids import with_content_ids
from .json_files import Located, first_value, parse_json
from .reader import ReaderOptions
from .sessions import PIECE_TURNS, numbered, sittings, timed

# The first rows of a session are bookkeeping, and some of them may be damaged.
ROWS_TRIED = 20

IMAGE = "[image]"

SHORTEST_PROJECT = 3  # letters of a folder's name that tells what it is about
_HOME = re.compile(r"/root|(?:[A-Za-z]:)?/(?:home|Users)/[^/]*|[A-Za-z]:|/tmp|/workspaces?|/app|")


def first_rows(head: str) -> list[object]:
    """The first lines of a file as JSON values, None for each that is none: for looking only."""
    return [first_value(row) for row in head.lstrip().split("\n", ROWS_TRIED)[:ROWS_TRIED]]


def live_rows(path: Path) -> Iterator[Located | Problem]:
    """The JSON lines of a file with their places; a last line that is half written is left for the next time."""
    yield from parse_json_lines(read_lines(path), str(path), whole=_ends_a_line(path))


def parse_json_lines(
    numbered_lines: Iterable[tuple[int, str] | Problem], path: str, *, whole: bool
) -> Iterator[Located | Problem]:
    """Lines as JSON values. Of a file that is not `whole`, nothing is said about a last line that fails."""
    held: Problem | None = None
    for line in numbered_lines:
        if held:
            yield held
            held = None
        if isinstance(line, Problem):
            held = line
            continue
        number, text = line
        try:
            value = parse_json(text)
        except ValueError as error:
            held = Problem(path, f"line {number}", f"{error}; skipped", damage=True)
            continue
        yield f"line {number}", value
    if held and whole:
        yield held


def _ends_a_line(path: Path) -> bool:
    """Whether a file ends with a line end; what lies in an archive is no longer written."""
    try:
        if not path.is_file():
            return True
        with rooted_files.open_below_root(path) as file:
            file.seek(0, 2)
            if not file.tell():
                return True
            file.seek(-1, 2)
            return file.read(1) == b"\n"
    except (OSError, ValueError, UnreadableSource):
        return True  # whoever reads the lines says what is wrong


def word(fields: object, *keys: str) -> str | None:
    """The string under nested keys, None where there is none or only blank space."""
    value = fields
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value.strip() else None


def stated_time(
    value: object, where: str, path: str, options: ReaderOptions, problems: list[Problem]
) -> datetime | None:
    """The time that a row states; one that cannot be read is noted and taken as missing."""
    if value is None:
        return None
    try:
        return written_time(value)
    except ValueError as error:
        problems.append(Problem(path, where, f"kept without its time: {error}"))
        return None


def line_time(
    written: str | None, line: int, path: str, options: ReaderOptions, problems: list[Problem]
) -> datetime | None:
    """The time that a line states, as some programs write it: "2024-05-01 10:00 Z", "13:56:00,5 +02:00"."""
    spelled = written and written[:11] + written[11:].replace(",", ".").replace(" ", "")
    return stated_time(spelled, f"line {line}", path, options, problems)


def lines_told(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"


def collect_stated_facts(**facts: str | None) -> dict[str, str]:
    """The facts that a source states, for a turn's meta."""
    return {name: fact for name, fact in facts.items() if fact}


def talk(
    name: str,
    turns: Sequence[Turn],
    options: ReaderOptions,
    *,
    source: str,
    title: str | None = None,
    began: datetime | None = None,
) -> Iterator[Conversation]:
    """A conversation of turns as their source has them: missing times placed, missing ids made, cut into sittings.

    `began` is when it began, for one whose turns state no time.
    """
    return Telling(name, options, source).end(with_content_ids(turns), title, began)


@dataclass(slots=True)
class Telling:
    """A talk that is handed over while it is read: of a long one the sittings that are over, the rest at its end.

    Its last sitting is held, because only silence ends it. Turns must have their ids.
    """

    name: str
    options: ReaderOptions
    source: str
    sessions: int = 0  # handed over so far
    limit: int = field(default_factory=lambda: PIECE_TURNS)  # from so many turns on, it is worth a look what is over

    def early(self, turns: Sequence[Turn], title: str | None) -> tuple[Conversation | None, int]:
        """The sittings that are over, and how many of the turns are in them."""
        *over, last = sittings(timed(turns, None), self.options.idle_gap)
        # A sitting that goes on and on is looked at seldom.
        self.limit = max(PIECE_TURNS, 2 * len(last))
        return (self._piece(over, title) if over else None), len(turns) - len(last)

    def end(self, turns: Sequence[Turn], title: str | None, began: datetime | None = None) -> Iterator[Conversation]:
        """What is left; `began` is when the talk began, for one whose turns state no time."""
        if turns:
            placed = timed(turns, began or self.options.fallback_time)
            yield self._piece(list(sittings(placed, self.options.idle_gap)), title)

    def _piece(self, sittings: list[list[Turn]], title: str | None) -> Conversation:
        first = self.sessions + 1
        self.sessions += len(sittings)
        named = numbered(self.name, sittings, first)
        called = titled_by_project(title, (turn for sitting in sittings for turn in sitting))
        return Conversation(self.name, named, title=called, source=self.source, continues=first > 1)


def titled_by_project(title: str | None, turns: Iterable[Turn]) -> str | None:
    """A title that begins with the project, the folder at work: "kites: The tail". Whoever reads or searches sees which
    of several projects a talk is about, and a talk without a title is called by its project."""
    folder = next((cwd for turn in turns if (cwd := turn.meta.get("cwd"))), "").replace("\\", "/").rstrip("/")
    project = "" if _HOME.fullmatch(folder) else folder.rpartition("/")[2].strip()
    if len(project) < SHORTEST_PROJECT or (title and title.casefold().startswith(project.casefold())):
        return title
    return f"{project}: {title}" if title else project


def without_spans(text: str, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The text without <name>...</name> spans, and the last content of each name that was taken out.

    A span that never closes is text: somebody wrote about the tag.
    """
    opening = re.compile(rf"<({'|'.join(map(re.escape, names))})(?:\s[^<>]{{0,200}})?>")
    taken: dict[str, str] = {}
    kept: list[str] = []
    unclosed: set[str] = set()
    at = 0
    while found := opening.search(text, at):
        name = found[1]
        end = -1 if name in unclosed else text.find(f"</{name}>", found.end())
        if end < 0:
            unclosed.add(name)
            kept.append(text[at : found.end()])
            at = found.end()
            continue
        kept.append(text[at : found.start()])
        taken[name] = text[found.end() : end]
        at = end + len(name) + 3
    kept.append(text[at:])
    return ("".join(kept).strip() if taken else text), taken
