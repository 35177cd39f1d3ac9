"""Claude.ai's data export: a zip, its folder, or the conversations.json in it.

    [{"uuid", "name", "created_at", "account": {"uuid"},
      "chat_messages": [{"uuid", "sender", "text", "content": [...], "created_at",
                         "attachments": [{"file_name", "extracted_content"}], "parent_message_uuid"}]}]

With parent_message_uuid the messages are a tree (`threads`) that ends at current_leaf_message_uuid or
the newest message; without, a list. Left out and counted: thoughts, calls of tools and their results;
documents that Claude wrote (artifacts) are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Role, Turn
from . import thread_files
from .json_files import document_value
from .reader import ReaderOptions
from .thread_files import Fields, LeftOut, SourceThread, ThreadPass, fields_of, list_of, string
from .threads import MessageNode

NAME = "claude"
DESCRIPTION = "Claude.ai's export: the zip, its folder or the conversations.json"

_FILES = re.compile(r"conversations(-\d+)?\.json", re.IGNORECASE)
_MARK = re.compile(r'"chat_messages"\s*:\s*[\[n]')
_ROLES: dict[str, Role] = {
    **{"human": "user", "user": "user", "assistant": "assistant"},
    **{"claude": "assistant", "system": "system", "tool": "tool"},
}
# What a block is that is not said, by its type.
_BESIDE = {
    "thinking": "thoughts",
    "redacted_thinking": "thoughts",
    "tool_use": "tool calls",
    "tool_result": "tool results",
    "token_budget": "system notes",
    "flag": "system notes",
}


def looks_like(head: str, path: Path) -> bool:
    return head.lstrip()[:1] in ("[", "{") and bool(_MARK.search(head))


def takes(names: Sequence[str]) -> list[str]:
    """The members of an export that hold conversations."""
    return sorted(name for name in names if _FILES.fullmatch(PurePosixPath(name).name))


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    to_thread = partial(_thread, people=_people(path.parent / "users.json"))
    return thread_files.read_threads(path, options, NAME, _is_conversation, to_thread)


def _people(path: Path) -> dict[str, str]:
    """The names of accounts by their ids, from the file beside the conversations, if it can be read."""
    try:
        accounts = list_of(document_value(path))
    except UnreadableSource:
        return {}
    named = ((string(fields_of(one), "uuid"), string(fields_of(one), "full_name", "name")) for one in accounts)
    return {uuid: name for uuid, name in named if uuid and name}


def _is_conversation(value: object) -> bool:
    return isinstance(value, dict) and "chat_messages" in value


def _thread(record: Fields, where: str, reading: ThreadPass, *, people: dict[str, str]) -> SourceThread:
    account = fields_of(record.get("account"))
    # By role. A name from beside is no speaker: it would make other turns of those imported without the users.
    meta: dict[Role | None, dict[str, str]] = {"user": {}, "assistant": {}}
    if name := people.get(string(account, "uuid") or ""):
        meta["user"]["name"] = name
    if model := string(record, "model"):
        meta["assistant"]["model"] = model
    if project := string(fields_of(record.get("project")), "uuid", "name") or string(record, "project_uuid"):
        meta = {role: {**fields, "project": project} for role, fields in meta.items()}
    nodes = _nodes(list_of(record.get("chat_messages")), where, string(account, "full_name", "name"), meta, reading)
    created = reading.time(record, where, "created_at", "updated_at")
    title, current = string(record, "name", "title"), string(record, "current_leaf_message_uuid")
    return SourceThread(string(record, "uuid", "id"), title, created, current, nodes)


def _nodes(
    messages: list[object], where: str, person: str | None, meta: dict[Role | None, dict[str, str]], reading: ThreadPass
) -> dict[str, MessageNode]:
    names = [string(fields_of(message), "uuid") or f"message-{n}" for n, message in enumerate(messages, start=1)]
    known = set(names)
    nodes: dict[str, MessageNode] = {}
    before: str | None = None
    for n, (message, name) in enumerate(zip(messages, names, strict=True), start=1):
        place = f"{where}, message {n}"
        if not isinstance(message, dict):
            reading.note(place, "not a JSON object; skipped")
            continue
        while name in nodes:
            name = f"{name}#{n}"
        said_at = reading.time(message, place, "created_at", "updated_at")
        turn = _turn(message, place, person, reading)
        if turn is not None:
            turn = replace(turn, meta=meta.get(turn.role, {}))
        # A parent that is named and not there is the root, whatever its spelling; lists name none.
        parent = string(message, "parent_message_uuid")
        nodes[name] = MessageNode(before if parent is None else parent if parent in known else None, said_at, turn)
        before = name
    return nodes


def _turn(message: Fields, where: str, person: str | None, reading: ThreadPass) -> Turn | None:
    sender = string(message, "sender", "role")
    if sender is None:
        reading.note(where, "a message without a sender; skipped")
        return None
    role = _ROLES.get(sender.lower())
    try:
        text = _text(message, reading)
    except LeftOut as why:
        reading.left_out[str(why)] += 1
        return None
    except ValueError as error:
        reading.note(where, f"{error}; skipped")
        return None
    speaker = (person if role == "user" else None) or role or sender
    return Turn(speaker, text, None, string(message, "uuid"), role)


def _text(message: Fields, reading: ThreadPass) -> str:
    """What a message says: its blocks or, where they say nothing, its text; then what was attached."""
    content = message.get("content")
    if not isinstance(content, str | list | None):
        raise ValueError(f"content is a {type(content).__name__}, not a list of blocks")
    blocks: list[str] = []
    for block in [content] if isinstance(content, str) else list_of(content):
        try:
            blocks += _block(block)
        except LeftOut as why:
            reading.left_out[str(why)] += 1
    plain = string(message, "text")
    lines = blocks or ([plain] if plain is not None else [])
    lines += _attached(message)
    if not any(line.strip() for line in lines):
        raise LeftOut("empty")
    return "\n".join(lines)


def _block(block: object) -> list[str]:
    """The texts of a block; raises LeftOut for one that was not said."""
    fields = fields_of(block)
    kind = fields.get("type")
    if isinstance(block, str):
        return [block] if block else []
    if kind == "tool_use" and (document := _artifact(fields_of(fields.get("input")))):
        return document
    if isinstance(kind, str) and kind in _BESIDE:
        raise LeftOut(_BESIDE[kind])
    if (text := string(fields, "text")) is not None:
        return [text]
    # An empty text is nothing; anything else without text stands for a picture or a sound.
    return [] if kind in (None, "text") else [f"[{str(kind)[:60]}]"]


def _artifact(call: Fields) -> list[str]:
    """The document that a call writes, or what it puts into one; empty where it writes none."""
    written = string(call, "content", "file_text", "new_str")
    if written is None:
        return []
    title = string(call, "title", "path", "id")
    return ["[document]" if title is None else f"[document: {title}]", written]


def _attached(message: Fields) -> list[str]:
    """Attachments with their text, and the names of other files, each once."""
    lines: list[str] = []
    named: set[str] = set()
    for item in list_of(message.get("attachments")):
        fields = fields_of(item)
        name, text = string(fields, "file_name", "name"), string(fields, "extracted_content")
        if name is None and text is None:
            continue
        named.add(name or "")
        lines.append("[attachment]" if name is None else f"[attachment: {name}]")
        lines += [] if text is None else [text]
    for item in (*list_of(message.get("files")), *list_of(message.get("files_v2"))):
        name = string(fields_of(item), "file_name", "name")
        if name is not None and name not in named:
            named.add(name)
            lines.append(f"[file: {name}]")
    return lines
