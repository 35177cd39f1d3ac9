"""One message of Cursor's, a "bubble", as a turn."""

from __future__ import annotations

from datetime import datetime

from ..records import Problem, Role, Turn
from .agent_turns import IMAGE, collect_stated_facts, stated_time, word
from .json_files import parse_json
from .reader import ReaderOptions

# In numbers today, in words before 2025.
_ROLES: dict[object, Role] = {1: "user", 2: "assistant", "user": "user", "ai": "assistant"}
_TIMINGS = ("clientRpcSendTime", "clientEndTime", "clientSettleTime")
# Some of those figures count from the start of the program, not from 1970; this is in 2001.
_LEAST_MILLISECONDS = 10**12
_TEXT_KEYS = ("text", "rawText")
_RICH_KEYS = ("richText", "initText")


def bubble_turn(
    bubble: object, chat: dict[str, object], where: str, path: str, options: ReaderOptions, problems: list[Problem]
) -> Turn | None:
    """What a message says; None for one of tools or thinking alone."""
    fields = bubble if isinstance(bubble, dict) else {}
    kind = fields.get("type")
    role = _ROLES.get(kind) if isinstance(kind, int | str) else None
    if role is None:
        return None
    text = next((found for key in _TEXT_KEYS if (found := word(fields, key))), None)
    text = text or next((found for key in _RICH_KEYS if (found := _rich_text(fields.get(key)))), "")
    images = fields.get("images")
    pictures = [IMAGE] * len(images) if role == "user" and isinstance(images, list) else []
    said = "\n".join([*([text] if text else []), *pictures])
    if not said.strip():
        return None
    name = word(fields, "bubbleId") or word(fields, "id")
    time = _time(fields, f"{where}, message {name}", path, options, problems)
    model = (
        word(fields, "modelInfo", "modelName") or word(fields, "modelType") or word(chat, "modelConfig", "modelName")
    )
    facts = collect_stated_facts(model=model if role == "assistant" else None, branch=word(chat, "createdOnBranch"))
    return Turn(role, said, time, name, role, facts)


def _time(
    fields: dict[str, object], where: str, path: str, options: ReaderOptions, problems: list[Problem]
) -> datetime | None:
    """Stated by newer messages; an answer of an older one says when it was asked for."""
    if created := fields.get("createdAt"):
        return stated_time(created, where, path, options, problems)
    timing = fields.get("timingInfo")
    figures = [timing.get(key) for key in _TIMINGS] if isinstance(timing, dict) else []
    stated = [one for one in figures if isinstance(one, int | float) and one >= _LEAST_MILLISECONDS]
    return stated_time(stated[0], where, path, options, problems) if stated else None


def _rich_text(value: object) -> str:
    """The words in the JSON of the editor, a line a paragraph."""
    if not isinstance(value, str) or not value:
        return ""
    try:
        root = parse_json(value)
    except ValueError:
        return ""
    pieces: list[str] = []
    waiting: list[object] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif isinstance(node, dict):
            if isinstance(text := node.get("text"), str):
                pieces.append(text)
            children = node.get("children")
            inner = [node["root"]] if "root" in node else list(children) if isinstance(children, list) else []
            if node.get("type") in ("paragraph", "linebreak"):
                inner.append("\n")
            waiting.extend(reversed(inner))
    return "".join(pieces).strip()
