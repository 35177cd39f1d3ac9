"""ChatGPT's data export: a zip, its folder, or the conversations.json (also conversations-NNN.json) in it.

    [{"conversation_id", "title", "create_time", "current_node",
      "mapping": {node: {"parent", "children", "message": {"id", "author", "content", ...}}}}]

The messages are a tree (`threads`): the path to current_node is the conversation, other branches are
sessions of their own. Left out and counted: hidden messages, instructions, thoughts, calls of tools.
What tools answered is kept, with the role tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ..language.text import ROLES
from ..records import Conversation, Problem, Role, Turn
from . import thread_files
from .chatgpt_text import read_message_text
from .reader import ReaderOptions
from .thread_files import Fields, LeftOut, SourceThread, ThreadPass, fields_of, list_of, string
from .threads import MessageNode

NAME = "chatgpt"
DESCRIPTION = "ChatGPT's export: the zip, its folder or a conversations.json"

_FILES = re.compile(r"conversations(-\d+)?\.json", re.IGNORECASE)
_TREE = re.compile(r'"mapping"\s*:\s*\{')
_NODE = re.compile(r'"(current_node|children|message|parent)"\s*:')


def looks_like(head: str, path: Path) -> bool:
    return head.lstrip()[:1] in ("[", "{") and bool(_TREE.search(head)) and bool(_NODE.search(head))


def takes(names: Sequence[str]) -> list[str]:
    """The members of an export that hold conversations."""
    return sorted(name for name in names if _FILES.fullmatch(PurePosixPath(name).name))


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    return thread_files.read_threads(path, options, NAME, _is_conversation, _thread)


def _is_conversation(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def _thread(record: Fields, where: str, reading: ThreadPass) -> SourceThread:
    created = reading.time(record, where, "create_time", "update_time")
    raw: dict[str, Fields] = {}
    for name, node in fields_of(record.get("mapping")).items():
        if isinstance(node, dict):
            raw[name] = node
        elif node is not None:
            reading.note(f"{where}, message {name}", "not a JSON object; skipped")
    parents = _parents(raw, where, reading)
    common = _common_meta(record)
    nodes: dict[str, MessageNode] = {}
    for name, node in raw.items():
        message, place = node.get("message"), f"{where}, message {name}"
        turn = said_at = None
        if isinstance(message, dict):
            said_at = reading.time(message, place, "create_time", "update_time")
            turn = _turn(message, name, place, common, reading)
        elif message is not None:
            reading.note(place, "not a JSON object; skipped")
        nodes[name] = MessageNode(parents[name], said_at, turn)
    return SourceThread(
        string(record, "conversation_id", "id"), string(record, "title"), created, string(record, "current_node"), nodes
    )


def _parents(raw: dict[str, Fields], where: str, reading: ThreadPass) -> dict[str, str | None]:
    """The parent of each node, by its own word or by the node that lists it; a chain where nothing is said."""
    listed: dict[str, str] = {}
    for name, node in raw.items():
        for child in list_of(node.get("children")):
            if isinstance(child, str) and child != name:
                listed.setdefault(child, name)
    parents: dict[str, str | None] = {}
    lost = 0
    for name, node in raw.items():
        parent = node.get("parent")
        parents[name] = parent if isinstance(parent, str) and parent in raw else listed.get(name)
        lost += parents[name] is None and parent is not None
    if lost:
        reading.note(where, f"messages whose parent is missing: {lost}; kept as starts of threads")
    elif not any(parents.values()):
        parents = dict(zip(raw, [None, *raw], strict=False))
    return parents


def _turn(message: Fields, node: str, where: str, common: dict[str, str], reading: ThreadPass) -> Turn | None:
    author = fields_of(message.get("author"))
    stated = string(author, "role")
    if stated is None:
        reading.note(where, "a message without an author; skipped")
        return None
    role: Role | None = ROLES.get(stated.lower())
    try:
        text = read_message_text(message, stated.lower())
    except LeftOut as why:
        reading.left_out[str(why)] += 1
        return None
    except ValueError as error:
        reading.note(where, f"{error}; skipped")
        return None
    speaker = string(author, "name") or role or stated
    return Turn(speaker, text, None, string(message, "id") or node, role, _meta(message, role, common))


def _common_meta(record: Fields) -> dict[str, str]:
    """What holds for every message of a conversation: the custom GPT or project, and the usual model."""
    meta: dict[str, str] = {}
    for key in ("gizmo_id", "conversation_template_id"):
        if value := string(record, key):
            meta.setdefault("project" if value.startswith("g-p-") else "gizmo", value)
    if model := string(record, "default_model_slug"):
        meta["model"] = model
    return meta


def _meta(message: Fields, role: Role | None, common: dict[str, str]) -> dict[str, str]:
    meta = {key: value for key, value in common.items() if key != "model" or role == "assistant"}
    if role == "assistant" and (model := string(fields_of(message.get("metadata")), "model_slug")):
        meta["model"] = model
    return meta
