"""OpenAI's two APIs: Chat Completions and Responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...records import Role
from ...sources.codex_text import said_in_response
from .body_parser import is_event_stream, parse_events, parse_object
from .messages import ProxyMessage, Reply, describe_tool_call, list_objects, part_texts, result_of, words

ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}


# --- Chat Completions ----------------------------------------------------------------------------


def read_openai_request(request: Mapping[str, Any]) -> Iterator[ProxyMessage]:
    for message in list_objects(request.get("messages")):
        yield from _said_in(message)


def _said_in(message: Mapping[str, Any]) -> Iterator[ProxyMessage]:
    """One message; instructions (system, developer) are not talk."""
    role = ROLES.get(words(message, "role"))
    if role == "tool":
        name = words(message, "name") or words(message, "tool_name")
        yield result_of(name, message.get("content"), message.get("tool_call_id"))
    elif role is not None:
        texts = [*part_texts(message.get("content")), words(message, "refusal")]
        text = "\n".join(text for text in texts if text)
        pictures = message.get("images")  # Ollama's
        text = "\n".join(
            [*([text] if text else []), *(["[image]"] * len(pictures) if isinstance(pictures, list) else [])]
        )
        yield ProxyMessage(role, text, speaker=words(message, "name"))
        calls = list_objects(message.get("tool_calls"))
        if isinstance(older := message.get("function_call"), dict):
            calls.append({"function": older})
        for call in calls:
            inner = call.get("function") or call.get("custom") or {}
            given = inner.get("arguments", inner.get("input")) if isinstance(inner, dict) else None
            yield describe_tool_call(words(inner, "name"), given, call.get("id"))


def read_openai_reply(body: bytes, content_type: str) -> Reply:
    if is_event_stream(body, content_type):
        return _streamed(body)
    reply = parse_object(body)
    choices = list_objects(reply.get("choices"))
    message = choices[0].get("message") if choices else None
    said = tuple(_said_in({"role": "assistant", **message})) if isinstance(message, dict) else ()
    return Reply(said, words(reply, "model"), words(reply, "id"))


def _streamed(body: bytes) -> Reply:
    """A reply put together from its deltas: the first choice, its tool calls merged by index."""
    model = id = ""
    texts: dict[str, list[str]] = {"content": [], "refusal": []}
    calls: dict[str, dict[str, list[str]]] = {}  # in pieces: a text that grows is copied with each of them
    whole = False
    for event in parse_events(body):
        whole = whole or not event
        model, id = model or words(event, "model"), id or words(event, "id")
        for choice in list_objects(event.get("choices")):
            if choice.get("index", 0) != 0:
                continue
            whole = whole or isinstance(choice.get("finish_reason"), str)
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                continue
            for kind, said_so_far in texts.items():
                said_so_far.append(words(delta, kind))
            pieces = list_objects(delta.get("tool_calls"))
            if isinstance(older := delta.get("function_call"), dict):
                pieces.append({"index": "older", "function": older})
            for piece in pieces:
                place = str(piece.get("index", len(calls)))
                call = calls.setdefault(place, {"id": [], "name": [], "arguments": []})
                inner = piece.get("function") or piece.get("custom")
                call["id"].append(words(piece, "id"))
                call["name"].append(words(inner, "name"))
                call["arguments"].append(words(inner, "arguments") or words(inner, "input"))
    text = "\n".join(text for text in map("".join, texts.values()) if text)
    told = (("".join(c["name"]), "".join(c["arguments"]), next(filter(None, c["id"]), "")) for c in calls.values())
    said = (ProxyMessage("assistant", text), *(describe_tool_call(*one) for one in told))
    return Reply(said, model, id, whole)


# --- Responses -----------------------------------------------------------------------------------


def asked_responses(request: Mapping[str, Any], codex: bool) -> Iterator[ProxyMessage]:
    given = request.get("input")
    if isinstance(given, str):
        yield ProxyMessage("user", given)
        return
    for item in list_objects(given):
        yield from _said_in_item(item, codex)


def _said_in_item(item: Mapping[str, Any], codex: bool = False) -> Iterator[ProxyMessage]:
    """One item of an input or an output."""
    kind = words(item, "type") or ("message" if "role" in item else "")
    role = ROLES.get(words(item, "role"))
    if kind == "message":
        if codex:
            yield from (ProxyMessage(who, text) for who, text in said_in_response({**item, "type": "message"}))
        elif role in ("user", "assistant"):
            parts = [text for text in part_texts(item.get("content")) if text]
            yield ProxyMessage(role, ("" if role == "assistant" else "\n").join(parts))
    elif kind.endswith("_call_output"):
        yield result_of("", item.get("output"), item.get("call_id"))
    elif kind.endswith("_call"):
        name = words(item, "name") or kind.removesuffix("_call")
        known = ("arguments", "input", "action", "queries", "code")
        given = next((item[key] for key in known if item.get(key) is not None), None)
        yield describe_tool_call(name, given, item.get("call_id") or item.get("id"))


def answered_responses(body: bytes, content_type: str, codex: bool) -> Reply:
    if not is_event_stream(body, content_type):
        response = parse_object(body)
        return of_response(response, codex, response.get("status") != "failed")
    id = model = ""
    items: dict[str, dict[str, Any]] = {}
    texts: dict[str, list[str]] = {}
    is_whole = False
    for event in parse_events(body):
        kind, index = words(event, "type"), str(event.get("output_index"))
        is_whole = is_whole or kind == "response.completed"
        told = event.get("response")
        if isinstance(told, dict):
            id, model = words(told, "id") or id, words(told, "model") or model
            if kind in ("response.completed", "response.incomplete", "response.failed"):
                found = of_response(told, codex, kind != "response.failed")
                if found.said or not items:
                    return found
        elif kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            items[index] = event["item"]
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            texts.setdefault(index, []).append(words(event, "delta"))
    # it broke off before its last event, or that event left the output out: what had come until then
    for index, parts in texts.items():
        said_so_far = [{"type": "x", "text": "".join(parts)}]
        items.setdefault(index, {"type": "message", "role": "assistant", "content": said_so_far})
    said = (one for index in sorted(items) for one in _said_in_item(items[index], codex))
    return Reply(tuple(said), model, id, is_whole)


def of_response(response: Mapping[str, Any], codex: bool, whole: bool) -> Reply:
    said = tuple(one for item in list_objects(response.get("output")) for one in _said_in_item(item, codex))
    return Reply(said, words(response, "model"), words(response, "id"), whole)
