"""Messages as the OpenAI API spells them: JSON lines, or one JSON value.

A line (or an item of an array) is a conversation, {"messages": [...], "id", "title", "created_at"},
or a single message, {"role", "content", "timestamp", "conversation_id"}. Single messages with the
same conversation_id are one conversation; those without any are one, too.

Times come from the messages, else the conversation's created_at, else `Options.fallback_time`.
A conversation without an id gets one from how it begins, so that it stays the same when it goes on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from ..errors import UnreadableSource
from ..language.times import format_time
from ..records import Conversation, Problem, Turn
from .clock import written_time
from .ids import content_id, name_file, talk_id, with_content_ids
from .json_files import Located, first_value, read_json_values
from .message_text import speaker_and_role, text_and_omitted
from .reader import ReaderOptions
from .sessions import fill_times, no_times, numbered, split_by_gap

NAME = "messages"
DESCRIPTION = "OpenAI-style messages, as JSON lines or one JSON value"

_TIME_KEYS = ("timestamp", "created_at", "time", "create_time")
_MARK = re.compile(r'"messages"\s*:\s*\[|"role"\s*:\s*"(user|assistant|system|developer|tool)"')
# A file whose first values are damaged, or longer than the head, is judged by the marks alone.
_LINES_TRIED = 20


def looks_like(head: str, path: Path) -> bool:
    start = head.lstrip()
    if start[:1] not in ("[", "{"):
        return False
    rows = [start.removeprefix("["), *start.split("\n", _LINES_TRIED)[1:_LINES_TRIED]]
    found = [first_value(row) for row in rows]
    if any(_is_conversation(value) or _is_message(value) for value in found):
        return True
    return not isinstance(found[0], dict) and bool(_MARK.search(start))


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), name_file(path), options)
    singles: dict[str | None, list[Located]] = {}
    taken = False
    refused: list[str] = []
    for record in read_json_values(path):
        if isinstance(record, Problem):
            refused = refused or [f"{record.where}: {record.reason}"]
            yield record
            continue
        where, value = record
        if isinstance(value, dict) and _is_conversation(value):
            taken = True
            inner = [(f"{where}, message {n}", item) for n, item in enumerate(value["messages"], start=1)]
            yield from reading.conversation(value, where, inner)
        elif isinstance(value, dict) and _is_message(value):
            singles.setdefault(_id(value, "conversation_id"), []).append(record)
        else:
            yield Problem(str(path), where, "neither a message nor a conversation with messages; skipped")
    for name, messages in singles.items():
        yield from reading.conversation({"id": name}, messages[0][0], messages)
    if not taken and not singles:
        raise UnreadableSource("; ".join([f"{path} contains no messages", *refused]))
    if reading.timeless:
        yield no_times(str(path), reading.timeless, options.fallback_time)


@dataclass(slots=True)
class _Reading:
    """One pass over a file, counting the conversations that state no time and those that begin alike."""

    path: str
    stem: str
    options: ReaderOptions
    timeless: int = 0
    problems: list[Problem] = field(default_factory=list)
    alike: Counter[str] = field(default_factory=Counter)
    places: dict[tuple[str, str], int] = field(default_factory=dict)

    def conversation(
        self, record: dict[str, object], where: str, messages: Iterable[Located]
    ) -> Iterator[Conversation | Problem]:
        turns: list[Turn] = []
        for place, message in messages:
            try:
                turns.append(self.turn(message, place))
            except ValueError as error:
                self.note(place, f"{error}; skipped")
        created = self.time(record, where)
        if not turns:
            self.note(where, "a conversation without usable messages; skipped")
        yield from self.problems
        self.problems.clear()
        if not turns:
            return

        stated = [turn.said_at for turn in turns]
        name = _id(record, "id", "conversation_id") or self.derived_id(turns, created)
        times = fill_times(stated, start=created or self.options.fallback_time)
        timed = [replace(turn, said_at=time) for turn, time in zip(turns, times, strict=True)]
        self.timeless += created is None and not any(stated)
        title = record.get("title")
        yield Conversation(
            name,
            numbered(name, split_by_gap(with_content_ids(timed), self.options.idle_gap)),
            title=title if isinstance(title, str) and title.strip() else None,
            source=NAME,
        )

    def turn(self, message: object, where: str) -> Turn:
        if not isinstance(message, dict):
            raise ValueError("not a JSON object")
        speaker, role = speaker_and_role(message)
        text, omitted = text_and_omitted(message)
        left_out = f"parts without text: {', '.join(omitted)}"
        if not text.strip():
            raise ValueError(f"no text, only {left_out}" if omitted else "no text")
        if omitted:
            self.note(where, f"imported, except for {left_out}")
        return Turn(speaker, text, self.time(message, where), _id(message, "id"), role)

    def time(self, fields: dict[str, object], where: str) -> datetime | None:
        for key in _TIME_KEYS:
            if fields.get(key) is not None:
                try:
                    return written_time(fields[key])
                except ValueError as error:
                    self.note(where, f"kept without {key}: {error}")
        return None

    def derived_id(self, turns: list[Turn], created: datetime | None) -> str:
        """An id from how the conversation begins.

        With a time the first turn alone is distinct. Without one, many begin with the same words: the
        first exchange and the file's name must count, and the place among those that begin alike. A
        copy of a whole conversation has the place of the first, so it is found to be one.
        """
        began = created or turns[0].said_at
        if began:
            return f"conv-{content_id(format_time(began), *_parts(turns[:1]))}"
        name = talk_id(self.stem, *_parts(_first_exchange(turns)))
        self.alike[name] += 1
        place = self.places.setdefault((name, content_id(*_parts(turns))), self.alike[name])
        return name if place == 1 else f"{name}#{place}"

    def note(self, where: str, reason: str) -> None:
        self.problems.append(Problem(self.path, where, reason))


def _first_exchange(turns: list[Turn]) -> list[Turn]:
    """The turns up to the second that is not an instruction: those stand before every chat alike."""
    spoken = [n for n, turn in enumerate(turns) if turn.role != "system"][:2]
    return turns[: spoken[-1] + 1] if spoken else turns


def _parts(turns: list[Turn]) -> list[str | None]:
    return [part for turn in turns for part in (turn.role, turn.speaker, turn.text)]


def _is_conversation(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def _is_message(value: object) -> bool:
    return (
        isinstance(value, dict) and "role" in value and bool(value.keys() & {"content", "tool_calls", "function_call"})
    )


def _id(fields: dict[str, object], *keys: str) -> str | None:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None
