"""Cursor's chats, in the SQLite database state.vscdb: globalStorage has today's, a workspace's may have older ones.

    cursorDiskKV   composerData:<chat>          {"name", "createdAt", "fullConversationHeadersOnly": [{"bubbleId"}]}
                   bubbleId:<chat>:<message>    {"type": 1 (person) or 2 (assistant), "text", "createdAt"}
    ItemTable      workbench.panel.aichat.view.aichat.chatdata    {"tabs": [{"tabId", "chatTitle", "bubbles"}]}

The file is opened for reading only and holds tokens, too: only these keys are asked for (cursor.sql).
Thinking, tools and a message that is still being written are left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Conversation, Problem
from .agent_turns import stated_time, talk, word
from .cursor_bubbles import bubble_turn
from .json_files import parse_json
from .reader import ReaderOptions
from .sessions import no_times

NAME = "cursor"
DESCRIPTION = "Cursor's chats (state.vscdb)"

_MAGIC = "SQLite format 3\0"
_QUERIES = dict(
    part.partition("\n")[::2] for part in Path(__file__).with_suffix(".sql").read_text("utf-8").split("-- name: ")[1:]
)
# A chat of more is a mistake, and would be held in memory several times over.
_MAX_VALUE = 256 * 1024 * 1024


def looks_like(head: str, path: Path) -> bool:
    if not head.startswith(_MAGIC):
        return False
    try:
        with closing(_connected(path)) as database:
            tables = _tables(database)
            # ItemTable alone is any editor's of the VS Code family.
            return "cursorDiskKV" in tables or ("ItemTable" in tables and _has_old_chats(database))
    except (sqlite3.Error, UnicodeError, UnreadableSource):
        return b"cursorDiskKV" in head.encode("utf-8", "replace")


def takes(names: Sequence[str]) -> list[str]:
    return [name for name in names if PurePosixPath(name).name == "state.vscdb"]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), options)
    try:
        with closing(_connected(path)) as database:
            tables = _tables(database)
            if not tables:
                raise UnreadableSource(f"{path} is not a Cursor database: it has none of its tables")
            if "cursorDiskKV" in tables:
                yield from reading.composers(database)
            if "ItemTable" in tables:
                yield from reading.old_chats(database)
    except (sqlite3.Error, UnicodeError) as error:
        if not reading.taken:
            raise UnreadableSource(f"{path} cannot be read as a Cursor database: {error}") from None
        yield Problem(str(path), "database", f"damaged ({error}); the rest is skipped", damage=True)
    if not reading.taken:
        yield Problem(str(path), "database", "no chats in it; skipped")
    if reading.timeless:
        yield no_times(str(path), reading.timeless, options.fallback_time)


def _connected(path: Path) -> sqlite3.Connection:
    """The database, read-only. Where nobody writes to it, it is not even locked."""
    if not path.is_file():
        raise UnreadableSource(f"{path} is inside an archive: unpack it first")
    try:
        journal = path.with_name(path.name + "-wal")
        live = journal.is_file() and journal.stat().st_size > 0
        mode = "mode=ro" if live else "mode=ro&immutable=1"
        database = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=5)
    except (sqlite3.Error, OSError, ValueError) as error:
        raise UnreadableSource(f"{path} cannot be opened as a database: {error}") from None
    database.text_factory = bytes
    return database


def _tables(database: sqlite3.Connection) -> set[str]:
    return {_name(row[0]) for row in database.execute(_QUERIES["tables"])}


def _has_old_chats(database: sqlite3.Connection) -> bool:
    return database.execute(_QUERIES["old_chats"]).fetchone() is not None


@dataclass(slots=True)
class _Reading:
    """One pass over a database."""

    path: str
    options: ReaderOptions
    taken: int = 0
    timeless: int = 0
    ids: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def composers(self, database: sqlite3.Connection) -> Iterator[Conversation | Problem]:
        """Today's chats, one at a time."""
        for key, value in database.execute(_QUERIES["composers"]):
            where = _name(key)
            chat = self.value(value, where)
            if isinstance(chat, dict):
                name = word(chat, "composerId") or where.removeprefix("composerData:")
                yield from self.chat(name, chat, list(self.bubbles(database, name, chat)), where)
            yield from self.noted()

    def old_chats(self, database: sqlite3.Connection) -> Iterator[Conversation | Problem]:
        for key, value in database.execute(_QUERIES["old_chats"]):
            where = _name(key)
            listed = self.value(value, where)
            chats = [one for kind in ("tabs", "allComposers") for one in _list(listed, kind)]
            for number, chat in enumerate(chats, start=1):
                name = word(chat, "tabId") or word(chat, "composerId")
                if isinstance(chat, dict) and name and name not in self.ids:
                    bubbles = [*_list(chat, "bubbles"), *_list(chat, "conversation")]
                    yield from self.chat(name, chat, bubbles, f"{where}, chat {number}")
            yield from self.noted()

    def bubbles(self, database: sqlite3.Connection, name: str, chat: dict[str, object]) -> Iterator[object]:
        """The messages of a chat: those in it, else those it points to."""
        if inline := _list(chat, "conversation"):
            yield from inline
            return
        generating = set(filter(None, (str(one) for one in _list(chat, "generatingBubbleIds"))))
        held = chat.get("conversationMap")
        for header in _list(chat, "fullConversationHeadersOnly"):
            bubble = word(header, "bubbleId")
            if bubble is None or bubble in generating:
                continue
            if isinstance(held, dict) and isinstance(held.get(bubble), dict):
                yield {"bubbleId": bubble, **held[bubble]}
                continue
            row = database.execute(_QUERIES["bubble"], {"composer": name, "bubble": bubble}).fetchone()
            # A message that was deleted leaves its header behind.
            found = self.value(row[0], f"bubbleId:{name}:{bubble}") if row else None
            if isinstance(found, dict):
                yield {"bubbleId": bubble, **found}

    def chat(
        self, name: str, chat: dict[str, object], bubbles: list[object], where: str
    ) -> Iterator[Conversation | Problem]:
        found = [bubble_turn(bubble, chat, where, self.path, self.options, self.problems) for bubble in bubbles]
        turns = [turn for turn in found if turn]
        if chat.get("status") == "generating" and turns and turns[-1].role == "assistant":
            turns.pop()
        self.taken += 1
        if not turns or name in self.ids:
            return  # a chat that was opened and never used
        self.ids.add(name)
        began = chat.get("createdAt") or chat.get("lastSendTime") or chat.get("lastUpdatedAt")
        start = stated_time(began, where, self.path, self.options, self.problems)
        self.timeless += not start and not any(turn.said_at for turn in turns)
        title = word(chat, "name") or word(chat, "chatTitle")
        yield from talk(name, turns, self.options, source=NAME, title=title, began=start)

    def value(self, value: object, where: str) -> object:
        """The JSON in a cell; empty ones are those of chats that were removed."""
        if not isinstance(value, str | bytes) or not value or len(value) > _MAX_VALUE:
            return None
        try:
            return parse_json(value.decode("utf-8") if isinstance(value, bytes) else value)
        except ValueError as error:
            reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            self.problems.append(Problem(self.path, where, f"{reason}; skipped"))
            return None

    def noted(self) -> Iterator[Problem]:
        yield from self.problems
        self.problems.clear()


def _name(key: object) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)


def _list(fields: object, key: str) -> list[object]:
    found = fields.get(key) if isinstance(fields, dict) else None
    return found if isinstance(found, list) else []
