"""Files of conversations whose messages answer each other: what ChatGPT's and Claude's exports have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..errors import UnreadableSource
from ..language.times import format_time
from ..records import Conversation, Problem
from . import threads
from .clock import written_time
from .containers import open_source
from .files import describe_file, read_text_head
from .ids import content_id
from .reader import ReaderOptions
from .sessions import no_times
from .streaming import Damage, items

Fields = dict[str, object]


class LeftOut(Exception):
    """A message that is not part of the conversation, with the label it is counted under."""


@dataclass(frozen=True, slots=True)
class SourceThread:
    """A conversation as its file has it: a tree of messages and the one it ends with, where known."""

    id: str | None
    title: str | None
    created: datetime | None
    current: str | None
    nodes: dict[str, threads.MessageNode]


@dataclass(slots=True)
class ThreadPass:
    """One pass over a file: what it was told, and what it has to report."""

    path: Path
    options: ReaderOptions
    timeless: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    def note(self, where: str, reason: str) -> None:
        self.problems.append(Problem(str(self.path), where, reason))

    def time(self, fields: Fields, where: str, *keys: str) -> datetime | None:
        """The first of the times that is stated and can be read."""
        for key in keys:
            # Exporters write 0 for a time they do not know.
            if (value := fields.get(key)) not in (None, 0, ""):
                try:
                    return written_time(value)
                except ValueError as error:
                    self.note(where, f"kept without {key}: {error}")
        return None

    def noted(self) -> Iterator[Problem]:
        yield from self.problems
        self.problems.clear()


def read_threads(
    path: Path,
    options: ReaderOptions,
    source: str,
    is_conversation: Callable[[object], bool],
    to_thread: Callable[[Fields, str, ThreadPass], SourceThread],
) -> Iterator[Conversation | Problem]:
    """The conversations of a file, one in memory at a time."""
    reading = ThreadPass(path, options)
    met = 0
    refused: list[str] = []
    ended: int | None = None
    with open_source(path) as file:
        for item in items(file, is_conversation):
            where = f"conversation {item.number}, byte {item.at}"
            if isinstance(item, Damage):
                reading.problems.append(Problem(str(path), where, item.reason, damage=True))
                refused = refused or [f"{where}: {item.reason}."]
                ended = item.at if "ends too early" in item.reason else ended
            elif isinstance(item.value, dict) and is_conversation(item.value):
                met += 1
                if item.note:
                    reading.note(where, item.note)
                yield from _conversation(to_thread(item.value, where, reading), where, source, reading)
            else:
                reading.note(where, f"no {source} conversation; skipped")
            yield from reading.noted()
    if not met and ended is not None:
        raise UnreadableSource(
            f"{path} is cut off: it ends at byte {ended:,}, before its first {source} conversation is complete. "
            "Nothing was imported: export or download it again."
        )
    if not met:
        refused.append(f"Seen: {describe_file(path, read_text_head(path))}.")
        raise UnreadableSource(" ".join([f"{path} holds no {source} conversation.", *refused]))
    if reading.left_out:
        counts = ", ".join(f"{count} {what}" for what, count in sorted(reading.left_out.items()))
        yield Problem(str(path), "messages", f"not part of the conversation: {counts}; skipped")
    if reading.timeless:
        yield no_times(str(path), reading.timeless, options.fallback_time)


def _conversation(
    thread: SourceThread, where: str, source: str, reading: ThreadPass
) -> Iterator[Conversation | Problem]:
    told = threads.branches(thread.nodes, thread.current)
    if any(branch.is_circle for branch in told):
        reading.note(where, "messages reply to each other in a circle; each kept once")
    turns = [node.turn for node in thread.nodes.values() if node.turn is not None]
    if not turns:
        reading.note(where, "a conversation without usable messages; skipped")
        return
    yield from reading.noted()
    reading.timeless += thread.created is None and not any(node.said_at for node in thread.nodes.values())
    name = thread.id
    if name is None:
        began = None if thread.created is None else format_time(thread.created)
        name = f"{source}-{content_id(began, turns[0].id, turns[0].role, turns[0].text)}"
    start = thread.created or reading.options.fallback_time
    found = threads.build_sessions(name, thread.nodes, told, start, reading.options)
    yield Conversation(name, found, title=thread.title, source=source)


def string(fields: Fields, *keys: str) -> str | None:
    """The first of the values that is a text with something in it."""
    found = (fields.get(key) for key in keys)
    return next((value for value in found if isinstance(value, str) and value.strip()), None)


def fields_of(value: object) -> Fields:
    """A JSON object, empty where the value is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """A JSON list, empty where the value is none."""
    return value if isinstance(value, list) else []
