"""Anthropic Messages: what is said in a request, a reply and a stream of events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...sources.claude_code import texts_said
from .body_parser import is_event_stream, parse_events, parse_object
from .messages import ProxyMessage, Reply, describe_tool_call, list_objects, result_of, shown_part, words


def read_anthropic_request(request: Mapping[str, Any], claude_code: bool) -> Iterator[ProxyMessage]:
    """The messages of a request. Claude Code puts its own words around a person's: they are taken off."""
    for message in list_objects(request.get("messages")):
        role, content = message.get("role"), message.get("content")
        if role in ("user", "assistant"):
            yield from _said_in(
                content if isinstance(content, list) else [{"type": "text", "text": content}], role, claude_code
            )


def _said_in(content: list[Any], role: Any, claude_code: bool) -> Iterator[ProxyMessage]:
    """One message: its texts joined, its calls and results in between. Thinking is nobody's word."""
    texts: list[str] = []
    for block in list_objects(content):
        kind = words(block, "type")
        if kind.endswith("tool_use"):
            yield from _joined(texts, role, claude_code)
            yield describe_tool_call(block.get("name"), block.get("input"), block.get("id"))
        elif kind.endswith("tool_result"):
            yield from _joined(texts, role, claude_code)
            yield result_of("", block.get("content"), block.get("tool_use_id"))
        elif claude_code and kind != "thinking":
            # the transcript has a turn for each text, an image with the text before it
            found = list(texts_said([block], role))
            if kind == "text":
                yield from _joined(texts, role, claude_code)
            texts += found
        elif text := shown_part(block) if "thinking" not in kind else "":
            texts.append(text)
    yield from _joined(texts, role, claude_code)


def _joined(texts: list[str], role: Any, claude_code: bool) -> Iterator[ProxyMessage]:
    """The texts so far as one, the list emptied. An assistant's are fragments of one text, a person's are parts."""
    if texts:
        yield ProxyMessage(role, ("" if role == "assistant" and not claude_code else "\n").join(texts))
        texts.clear()


def read_anthropic_reply(body: bytes, content_type: str, claude_code: bool) -> Reply:
    if not is_event_stream(body, content_type):
        message = parse_object(body)
        content = message.get("content")
        said = tuple(_said_in(content if isinstance(content, list) else [], "assistant", claude_code))
        return Reply(said, words(message, "model"), words(message, "id"))
    return _streamed(body, claude_code)


def _streamed(body: bytes, claude_code: bool) -> Reply:
    """A reply put together from its events."""
    blocks: dict[str, dict[str, Any]] = {}
    pieces: dict[tuple[str, str], list[str]] = {}  # of a block's text or input: one that grows is copied with each
    model = id = ""
    whole = False
    for event in parse_events(body):
        kind, index = words(event, "type"), str(event.get("index"))
        if kind == "message_start":
            model, id = words(event.get("message"), "model"), words(event.get("message"), "id")
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            blocks[index] = event["content_block"]
            pieces.pop((index, "text"), None)
            pieces.pop((index, "input"), None)
        elif kind == "content_block_delta" and index in blocks:
            delta = event.get("delta")
            if words(delta, "type") == "text_delta":
                pieces.setdefault((index, "text"), [words(blocks[index], "text")]).append(words(delta, "text"))
            elif words(delta, "type") == "input_json_delta":
                pieces.setdefault((index, "input"), [words(blocks[index], "input")]).append(
                    words(delta, "partial_json")
                )
        elif kind == "message_stop":
            whole = True
    for (index, name), said in pieces.items():
        blocks[index] = {**blocks[index], name: "".join(said)}
    return Reply(tuple(_said_in(list(blocks.values()), "assistant", claude_code)), model, id, whole)
