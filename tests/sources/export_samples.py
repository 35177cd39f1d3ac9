"""Exports of ChatGPT and Claude.ai built piece by piece, as their real files have them."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

T0 = 1_700_000_000.0
ROOT_PARENT = "00000000-0000-4000-8000-000000000000"

Json = dict[str, Any]


def said(id: str, role: str, *parts: Any, at: Any = None, **fields: Any) -> Json:
    """A message of ChatGPT's export; `at` counts seconds from T0 where it is a number."""
    time = T0 + at if isinstance(at, int | float) else at
    content = {"content_type": "text", "parts": list(parts)}
    return {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": time,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
        **fields,
    }


def chat(id: str, *nodes: tuple[str, str | None, Json | None], current: str | None = None, **fields: Any) -> Json:
    """A conversation of ChatGPT's export from (node, its parent, its message)."""
    mapping: Json = {
        name: {"id": name, "message": message, "parent": parent, "children": []} for name, parent, message in nodes
    }
    for name, parent, _ in nodes:
        if parent in mapping:
            mapping[parent]["children"].append(name)
    return {
        "title": id.title(),
        "create_time": T0,
        "update_time": T0 + 600,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": current,
        "plugin_ids": None,
        "conversation_id": id,
        "conversation_template_id": None,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": "gpt-4o",
        "id": id,
        **fields,
    }


def line(id: str, *messages: Json, **fields: Any) -> Json:
    """A conversation of ChatGPT's export whose messages follow each other below an empty root."""
    names = [message["id"] for message in messages]
    nodes = list(zip(names, ["root", *names], messages, strict=False))
    return chat(id, ("root", None, None), *nodes, current=names[-1] if names else "root", **fields)


def claude_said(id: str, sender: str, text: str = "", *, at: str | None = None, **fields: Any) -> Json:
    """A message of Claude.ai's export; `at` is the minute and second of one hour."""
    time = None if at is None else f"2024-03-10T09:{at}.000000Z"
    return {
        "uuid": id,
        "text": text,
        "content": [{"type": "text", "text": text}] if text else [],
        "sender": sender,
        "created_at": time,
        "updated_at": time,
        "attachments": [],
        "files": [],
        **fields,
    }


def claude_chat(id: str, *messages: Any, **fields: Any) -> Json:
    """A conversation of Claude.ai's export."""
    return {
        "uuid": id,
        "name": id.title(),
        "created_at": "2024-03-10T09:00:00.000000Z",
        "updated_at": "2024-03-10T09:30:00.000000Z",
        "account": {"uuid": "user-1"},
        "chat_messages": list(messages),
        **fields,
    }


CHATGPT: list[Json] = [
    line(
        "borscht",
        said("m1", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
        said("m2", "user", "What goes into borscht?", at=5),
        said("m3", "assistant", "Beetroot, cabbage\nand dill. 🍲", at=9.25, metadata={"model_slug": "gpt-4o-mini"}),
    ),
    chat(
        "kites",
        ("root", None, None),
        ("k1", "root", said("k1", "user", "I fly kites.", at=10_000)),
        ("k2", "k1", said("k2", "assistant", "Box kites?", at=10_004)),
        ("k3", "k1", said("k3", "assistant", "Stunt kites?", at=10_050)),
        ("k4", "k3", said("k4", "user", "Delta kites.", at=10_090)),
        current="k4",
    ),
]

CLAUDE: list[Json] = [
    claude_chat(
        "asyncio",
        claude_said("c1", "human", "What is a coroutine?", at="00:30", parent_message_uuid=ROOT_PARENT),
        claude_said("c2", "assistant", "A function that waits.", at="01:00", parent_message_uuid="c1"),
        claude_said("c3", "assistant", "A function that can pause.", at="02:00", parent_message_uuid="c1"),
    ),
    claude_chat("greeting", claude_said("g1", "human", "Hello! 🍲", at="20:00"), name=""),
]


def as_json(value: Any, **how: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, **how).encode()


def write_zip(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def write_folder(path: Path, members: dict[str, bytes]) -> Path:
    for name, content in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def with_flags(content: bytes, flag: int) -> bytes:
    """The archive with a flag set in every header of it."""
    changed = bytearray(content)
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(magic)
        while at >= 0:
            flags = struct.unpack_from("<H", changed, at + place)[0] | flag
            struct.pack_into("<H", changed, at + place, flags)
            at = content.find(magic, at + 4)
    return bytes(changed)
