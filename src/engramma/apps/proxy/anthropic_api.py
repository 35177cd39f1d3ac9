"""Anthropic Messages: what is said in a request, a reply and a stream of events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...sources.claude_code import texts_said
from .bodies import events, is_event_stream, parsed
from .messages import Reply, Said, call_of, records, result_of, shown_part, words


def asked(request: Mapping[str, Any], claude_code: bool) -> Iterator[Said]:
    """The messages of a request. Claude Code puts its own words around a person's: they are taken off."""
    for message in records(request.get("messages")):
        role, content = message.get("role"), message.get("content")
        if role in ("user", "assistant"):
            yield from said_in(
                content if isinstance(content, list) else [{"type": "text", "text": content}], role, claude_code
            )


def said_in(content: list[Any], role: Any, claude_code: bool) -> Iterator[Said]:
    """One message: its texts joined, its calls and results in between. Thinking is nobody's word."""
    texts: list[str] = []
    for block in records(content):
        kind = words(block, "type")
        if kind.endswith("tool_use"):
            yield from joined(texts, role, claude_code)
            yield call_of(block.get("name"), block.get("input"), block.get("id"))
        elif kind.endswith("tool_result"):
            yield from joined(texts, role, claude_code)
            yield result_of("", block.get("content"), block.get("tool_use_id"))
        elif claude_code and kind != "thinking":
            # the transcript has a turn for each text, an image with the text before it
            found = list(texts_said([block], role))
            if kind == "text":
                yield from joined(texts, role, claude_code)
            texts += found
        elif text := shown_part(block) if "thinking" not in kind else "":
            texts.append(text)
    yield from joined(texts, role, claude_code)


def joined(texts: list[str], role: Any, claude_code: bool) -> Iterator[Said]:
    """The texts so far as one, the list emptied. An assistant's are fragments of one text, a person's are parts."""
    if texts:
        yield Said(role, ("" if role == "assistant" and not claude_code else "\n").join(texts))
        texts.clear()


def answered(body: bytes, content_type: str, claude_code: bool) -> Reply:
    if not is_event_stream(body, content_type):
        message = parsed(body)
        content = message.get("content")
        said = tuple(said_in(content if isinstance(content, list) else [], "assistant", claude_code))
        return Reply(said, words(message, "model"), words(message, "id"))
    return streamed(body, claude_code)


def streamed(body: bytes, claude_code: bool) -> Reply:
    """A reply put together from its events."""
    blocks: dict[Any, dict[str, Any]] = {}
    model = id = ""
    whole = False
    for event in events(body):
        kind, index = words(event, "type"), event.get("index")
        if kind == "message_start":
            model, id = words(event.get("message"), "model"), words(event.get("message"), "id")
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            block = event["content_block"]
            blocks[index] = {**block, "text": words(block, "text")} if block.get("type") == "text" else dict(block)
        elif kind == "content_block_delta" and index in blocks:
            delta = event.get("delta")
            if words(delta, "type") == "text_delta":
                blocks[index]["text"] = words(blocks[index], "text") + words(delta, "text")
            elif words(delta, "type") == "input_json_delta":
                begun = blocks[index].get("input")
                blocks[index]["input"] = (begun if isinstance(begun, str) else "") + words(delta, "partial_json")
        elif kind == "message_stop":
            whole = True
    return Reply(tuple(said_in(list(blocks.values()), "assistant", claude_code)), model, id, whole)
