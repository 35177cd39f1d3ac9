"""Codex sessions: ~/.codex/sessions/Y/M/D/rollout-*.jsonl, or .jsonl.zst once they rest.

    {"timestamp":"…","type":"session_meta","payload":{"id":"…","cwd":"…","git":{"branch":"main"}}}
    {"timestamp":"…","type":"event_msg","payload":{"type":"user_message","message":"…"}}

A message stands in a session up to three times, depending on the version: as an event, as a completed
item, and as an item of the response. It is taken where it stands first and known again by its words,
the third "ok" of one lane being the third of every other. What the program writes into the person's
mouth (environment, instructions, plugins) stands among the response items only: as tags, which are
left out, and as messages that no event confirms. A message without an event is therefore believed
once it is answered. Reasoning and tools are left out, and so are the
sessions of subagents. Before September 2025 rows had no payload and messages no times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Turn
from .agent_turns import Telling, collect_stated_facts, first_rows, live_rows, parse_json_lines, stated_time, word
from .codex_text import Role, said_in_event, said_in_item, said_in_response
from .files import read_text_head
from .ids import content_id
from .json_files import Located, document_value
from .reader import ReaderOptions
from .sessions import PIECE_TURNS, no_times
from .zst import is_zst, zst_head, zst_lines

NAME = "codex"
DESCRIPTION = "Codex session (~/.codex/sessions/**/rollout-*.jsonl, .jsonl.zst)"

_ROWS = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
_DOCUMENT = re.compile(r'\{\s*"session"\s*:\s*\{[^{}]{0,200}"(?:id|timestamp)"\s*:')
_FILE = re.compile(r"rollout-.*\.jsonl?(?:\.zst)?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def looks_like(head: str, path: Path) -> bool:
    start = zst_head(path) if is_zst(path) else head
    if not start.lstrip().startswith("{"):
        return False
    if any(_is_row(row) or _is_old_head(row) for row in first_rows(start)):
        return True
    # One value over many lines, perhaps longer than the head.
    return bool(_DOCUMENT.match(start.lstrip()))


def takes(names: Sequence[str]) -> list[str]:
    """The sessions; of one that is there packed and unpacked, the unpacked."""
    wanted = [name for name in names if _FILE.fullmatch(PurePosixPath(name).name)]
    return [name for name in wanted if name.removesuffix(".zst") == name or name.removesuffix(".zst") not in wanted]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), path.name, options)
    found = False
    for located in _rows(path):
        if isinstance(located, Problem):
            yield located
            continue
        where, row = located
        if not isinstance(row, dict):
            yield Problem(str(path), where, "not a row of a Codex session; skipped")
            continue
        found = found or _is_row(row) or _is_old_head(row)
        reading.take(row, where)
        yield from reading.problems
        reading.problems.clear()
        yield from reading.early()
    if not found:
        raise UnreadableSource(f"{path} contains no row of a Codex session")
    yield from reading.conversation()


def _rows(path: Path) -> Iterator[Located | Problem]:
    """The rows of a session, whether it is packed, a row a line, or (in 2025) one JSON value."""
    if is_zst(path):
        yield from parse_json_lines(zst_lines(path), str(path), whole=True)
        return
    start = read_text_head(path)
    if '"session"' in start and '"items"' in start:
        value = _document(path)
        if isinstance(value, dict):
            yield "session", value["session"]
            yield from ((f"item {n}", item) for n, item in enumerate(value["items"], start=1))
            return
    yield from live_rows(path)


@dataclass(slots=True)
class _Found:
    """A message that was met: its turn, and whether an event or a completed item confirms it."""

    turn: Turn
    confirmed: bool


@dataclass(slots=True)
class _Reading:
    """One pass over a session."""

    path: str
    name: str
    options: ReaderOptions
    id: str | None = None
    began: datetime | None = None
    facts: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    title: str | None = None
    subagent: bool = False
    found: dict[str, _Found] = field(default_factory=dict)
    counts: Counter[int] = field(default_factory=Counter)  # how often a lane had some words, by their hash
    given: set[int] = field(default_factory=set)  # hashes of the messages that were handed over early
    telling: Telling | None = None
    answered: int = 0  # how many messages stood before the last answer, or the work on one
    problems: list[Problem] = field(default_factory=list)

    def take(self, row: dict[str, object], where: str) -> None:
        payload = row.get("payload")
        kind = row.get("type")
        if not isinstance(payload, dict):
            if _is_old_head(row):
                self.begin(row, where)
            elif kind in ("message", "response_item", "event_msg") and not isinstance(row.get("content"), list):
                self.problems.append(Problem(self.path, where, "a row without content; skipped"))
            elif kind == "message":
                self.add("old", said_in_response(row), row, where)
        elif kind == "session_meta":
            inner = payload.get("meta")
            self.begin(inner if isinstance(inner, dict) else payload, where)
        elif kind == "turn_context":
            self.model = word(payload, "model") or self.model
        elif kind == "response_item":
            self.add("response", said_in_response(payload), row, where)
            if payload.get("role") not in ("user", "developer", "system"):
                self.answered = len(self.found)
        elif kind == "event_msg" and payload.get("type") == "item_completed":
            self.add("item", said_in_item(payload.get("item")), row, where)
        elif kind == "event_msg" and payload.get("type") == "thread_name_updated":
            self.title = word(payload, "thread_name") or self.title
        elif kind == "event_msg":
            self.add("event", said_in_event(payload), row, where)

    def begin(self, meta: dict[str, object], where: str) -> None:
        """The first row of a session; a fork copies the first rows of others behind it."""
        if self.id is not None:
            return
        self.id = word(meta, "id")
        self.began = stated_time(meta.get("timestamp"), where, self.path, self.options, self.problems)
        source = meta.get("source")
        self.subagent = meta.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source)
        self.facts = collect_stated_facts(
            branch=word(meta, "git", "branch"), cwd=word(meta, "cwd"), version=word(meta, "cli_version")
        )

    def add(self, lane: str, said: Iterator[tuple[Role, str]], row: dict[str, object], where: str) -> None:
        for role, text in said:
            words = content_id(role, text)
            key = hash((lane, words))
            self.counts[key] += 1
            turn_id = content_id(words, str(self.counts[key]))
            if hash(turn_id) in self.given:
                continue
            if before := self.found.get(turn_id):
                before.confirmed = before.confirmed or lane != "response"
                continue
            time = stated_time(row.get("timestamp"), where, self.path, self.options, self.problems)
            model = collect_stated_facts(model=self.model if role == "assistant" else None)
            turn = Turn(role, text, time, turn_id, role, {**self.facts, **model})
            self.found[turn_id] = _Found(turn, lane != "response")

    def conversation(self) -> Iterator[Conversation | Problem]:
        if self.subagent:
            yield Problem(self.path, "session", "the work of a subagent; skipped")
            return
        turns = self.believed()
        telling = self.telling or self.told()
        if not turns and not telling.sessions:
            yield Problem(self.path, "session", "no message yet; skipped")
            return
        is_timed = telling.sessions > 0
        yield from telling.end(turns, self.title, self.began)
        if not self.began and not is_timed and not any(turn.said_at for turn in turns):
            yield no_times(self.path, 1, self.options.fallback_time)

    def early(self) -> Iterator[Conversation]:
        """What is over of a long session; what was written there and not believed is not waited for any longer."""
        if self.subagent or len(self.found) <= (self.telling.limit if self.telling else PIECE_TURNS):
            return
        turns = self.believed()
        telling = self.telling = self.telling or self.told()
        piece, count = telling.early(turns, self.title) if turns else (None, 0)
        telling.limit = max(telling.limit, 2 * (len(self.found) - count))
        if piece is not None:
            names = list(self.found)
            over = names.index(turns[count].id or "")
            self.given.update(hash(turn.id) for turn in turns[:count])
            for name in names[:over]:
                del self.found[name]
            self.answered = max(0, self.answered - over)
            yield piece

    def believed(self) -> list[Turn]:
        """The messages that somebody wrote."""
        found = list(self.found.values())
        last = max((n for n, one in enumerate(found) if one.confirmed and one.turn.role == "user"), default=-1)
        answered = range(last + 1, self.answered)
        return [one.turn for n, one in enumerate(found) if one.confirmed or one.turn.role != "user" or n in answered]

    def told(self) -> Telling:
        named = _UUID.findall(self.name)
        name = self.id or (named[-1] if named else self.name.removesuffix(".zst").removesuffix(".jsonl"))
        return Telling(name, self.options, NAME)


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and row.get("type") in _ROWS and isinstance(row.get("payload"), dict)


def _is_old_head(row: object) -> bool:
    """The first row of a session before rows had a payload."""
    if not isinstance(row, dict) or "payload" in row or word(row, "id") is None or word(row, "timestamp") is None:
        return False
    return "type" not in row and bool(row.keys() & {"instructions", "git"})


def _document(path: Path) -> object:
    try:
        value = document_value(path)
    except UnreadableSource:
        return None  # rows, one of which speaks of sessions and items
    return value if _is_document(value) else None


def _is_document(value: object) -> bool:
    """A session of the first Codex, in one JSON value."""
    return isinstance(value, dict) and isinstance(value.get("session"), dict) and isinstance(value.get("items"), list)
