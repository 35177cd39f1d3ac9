"""The words of one row of a Codex session, without what the program puts into the person's mouth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from .agent_turns import IMAGE, word

Role = Literal["user", "assistant"]

_ROLES: dict[str | None, Role] = {"user": "user", "assistant": "assistant"}
_EVENTS: dict[str | None, Role] = {"user_message": "user", "agent_message": "assistant"}
_ITEMS: dict[str | None, Role] = {"UserMessage": "user", "AgentMessage": "assistant"}
_TAG = re.compile(r"<([A-Za-z][\w-]{0,60})[\s>]")
_IMAGE_TAG = re.compile(r"\s*</?image(?:\s[^<>]{0,200})?>\s*")
_INSTRUCTIONS = ("# AGENTS.md instructions", "<user_instructions>", "<environment_context>", "<turn_aborted>")
_EDITOR = "# Context from my IDE setup:"
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*$", re.MULTILINE)


def said_in_event(payload: dict[str, object]) -> Iterator[tuple[Role, str]]:
    """{"type":"user_message","message":"…","images":[…]}"""
    role = _EVENTS.get(word(payload, "type"))
    message = payload.get("message")
    if role and isinstance(message, str):
        pictures = [payload.get(key) for key in ("images", "local_images")]
        count = sum(len(listed) for listed in pictures if isinstance(listed, list))
        yield from _said(role, message, count)


def said_in_item(item: object) -> Iterator[tuple[Role, str]]:
    """{"type":"AgentMessage","id":"…","content":[{"type":"Text","text":"…"}]}"""
    fields = item if isinstance(item, dict) else {}
    if role := _ITEMS.get(word(fields, "type")):
        yield from _parts(role, fields.get("content"))


def said_in_response(payload: dict[str, object]) -> Iterator[tuple[Role, str]]:
    """{"type":"message","role":"user","content":[{"type":"input_text","text":"…"}]}"""
    role = _ROLES.get(word(payload, "role"))
    if role and payload.get("type") == "message":
        yield from _parts(role, payload.get("content"))


def _parts(role: Role, content: object) -> Iterator[tuple[Role, str]]:
    """A person's parts are one message, as in an event; an assistant's are a message each."""
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [text for part in parts if isinstance(text := part.get("text"), str)]
    if role == "assistant":
        for text in texts:
            yield from _said(role, text)
        return
    pictures = sum("image" in str(part.get("type")).lower() for part in parts)
    yield from _said(role, "".join(text for text in texts if not _is_tag(text)), pictures)


def _said(role: Role, text: str, pictures: int = 0) -> Iterator[tuple[Role, str]]:
    if role == "user":
        text = "" if text.lstrip().startswith(_INSTRUCTIONS) else _request(text)
        text = "\n".join([*([text] if text.strip() else []), *([IMAGE] * pictures)])
    if text.strip():
        yield role, text


def _is_tag(text: str) -> bool:
    """Whether a part of a message is one tag from end to end, or instructions: what the program adds."""
    start = text.strip()
    tag = _TAG.match(start)
    closed = bool(tag and start.endswith(f"</{tag[1]}>"))
    return closed or start.startswith(_INSTRUCTIONS) or bool(_IMAGE_TAG.fullmatch(text))


def _request(text: str) -> str:
    """The request alone, of a text that an editor put its open files before."""
    if text.lstrip().startswith(_EDITOR) and (found := _REQUEST.search(text)):
        return text[found.end() :].strip()
    return text
