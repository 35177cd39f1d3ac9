"""A ChatGPT export of any size, from the talks of a LongMemEval file, to measure imports with.

    python evaluate/bench/export_chatgpt.py write longmemeval_oracle.json[.gz] OUT.zip [--megabytes 100]
    python evaluate/bench/export_chatgpt.py read OUT.zip

Every session of the file becomes a conversation with the structure of a real export: an empty root, hidden
instructions, a mapping with branches (every seventh answer was made anew), current_node, thoughts and calls
of tools that importers leave out. When the file is used up it begins again, each round with other ids and
half a year later, until conversations.json has the size asked for. `read` reads an export and prints what was
found, how fast, and by how much the process grew.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import sys
import time
import uuid
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma import sources
from engramma.records import Conversation, Problem

HALF_A_YEAR = timedelta(days=183)
# Between messages, and from a question to its second answer: seconds.
PAUSE, AGAIN = 40, 15
ANEW_EVERY = 7
IDS = uuid.UUID("6d7b0f8c-53c4-4f0b-9d6d-0f6f6a1f2b11")

Json = dict[str, Any]


def talks(path: Path) -> list[tuple[str, datetime, list[Json]]]:
    """The distinct sessions of a LongMemEval file: name, date, messages."""
    data = path.read_bytes()
    rows = json.loads(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    found: dict[str, tuple[str, datetime, list[Json]]] = {}
    for row in rows:
        for name, date, talk in zip(
            row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True
        ):
            began = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
            found.setdefault(name, (name, began, talk))
    return list(found.values())


def message(name: str, role: str, content: Json, at: float | None, **fields: Any) -> Json:
    return {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": role == "assistant" or None,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
        **fields,
    }


def conversation(name: str, began: datetime, talk: list[Json], round_: int) -> Json:
    """One session as an export has it."""

    def new_id(*parts: object) -> str:
        return str(uuid.uuid5(IDS, f"{round_}/{name}/{'/'.join(map(str, parts))}"))

    start = (began + HALF_A_YEAR * round_).timestamp()
    mapping: Json = {}

    def add(node: str, parent: str | None, inner: Json | None) -> str:
        mapping[node] = {"id": node, "message": inner, "parent": parent, "children": []}
        if parent is not None:
            mapping[parent]["children"].append(node)
        return node

    last = add(new_id("root"), None, None)
    hidden = {"is_visually_hidden_from_conversation": True}
    context = {"content_type": "user_editable_context", "user_profile": "", "user_instructions": "Be brief."}
    instructions = new_id("instructions")
    last = add(instructions, last, message(instructions, "user", context, None, metadata=hidden))
    for place, said in enumerate(talk):
        at = start + PAUSE * place
        role, text = said["role"], {"content_type": "text", "parts": [said["content"]]}
        node = new_id(place)
        if role == "assistant":
            thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Thinking", "content": "..."}]}
            last = add(new_id(place, "t"), last, message(new_id(place, "t"), role, thoughts, at - 1))
            model = {"model_slug": "gpt-4o", "finish_details": {"type": "stop"}}
            if place % ANEW_EVERY == ANEW_EVERY - 2:
                first = {"content_type": "text", "parts": [said["content"][: len(said["content"]) // 2] or "..."]}
                add(
                    new_id(place, "first"),
                    last,
                    message(new_id(place, "first"), role, first, at - AGAIN, metadata=model),
                )
            last = add(node, last, message(node, role, text, at, metadata=model))
        else:
            last = add(node, last, message(node, role, text, at, metadata={"request_id": new_id(place, "r")}))
    title = talk[0]["content"][:40] if talk else ""
    return {
        "title": title,
        "create_time": start,
        "update_time": start + PAUSE * len(talk),
        "mapping": mapping,
        "moderation_results": [],
        "current_node": last,
        "plugin_ids": None,
        "conversation_id": new_id(),
        "conversation_template_id": None,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": "gpt-4o",
        "id": new_id(),
    }


def conversations(path: Path, size: int) -> Iterator[bytes]:
    """The conversations as JSON, until they have this many bytes together."""
    found, written, round_ = talks(path), 0, 0
    if not found:
        sys.exit(f"{path} holds no sessions")
    while True:
        for name, began, talk in found:
            record = json.dumps(conversation(name, began, talk, round_), ensure_ascii=False, separators=(",", ":"))
            data = record.encode()
            written += len(data) + 2
            yield data
            if written >= size:
                return
        round_ += 1


def write(path: Path, out: Path, size: int) -> int:
    """The export with what lies beside the conversations; the number of them."""
    count = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", json.dumps({"id": "user-1", "email": "someone@example.org"}))
        archive.writestr("message_feedback.json", "[]")
        archive.writestr("chat.html", "<html></html>")
        with archive.open("conversations.json", "w", force_zip64=True) as file:
            for data in conversations(path, size):
                file.write(b", " if count else b"[")
                file.write(data)
                count += 1
            file.write(b"]")
    return count


def grown() -> float:
    """The most memory the process has had so far, in megabytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def read(out: Path) -> Json:
    """What a reader finds in the export, in which time and memory."""
    before, began = grown(), time.perf_counter()
    found = turns = 0
    problems: list[str] = []
    for item in sources.read_source(out, idle_gap=timedelta(minutes=30)):
        if isinstance(item, Conversation):
            found += 1
            turns += sum(len(session.turns) for session in item.sessions)
        elif isinstance(item, Problem):
            problems.append(item.reason)
    seconds = time.perf_counter() - began
    return {
        "conversations": found,
        "turns": turns,
        "problems": problems,
        "seconds": round(seconds, 2),
        "grown_mb": round(grown() - before, 1),
        "base_mb": round(before, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("source", type=Path)
    writing.add_argument("out", type=Path)
    writing.add_argument("--megabytes", type=float, default=100)
    commands.add_parser("read").add_argument("out", type=Path)
    given = parser.parse_args()
    if given.command == "read":
        print(json.dumps(read(given.out), indent=1))
        return
    count = write(given.source, given.out, int(given.megabytes * 1_000_000))
    print(f"{given.out}: {count} conversations, {given.out.stat().st_size / 1e6:.1f} MB packed")


if __name__ == "__main__":
    main()
