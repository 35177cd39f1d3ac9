"""Ollama's own API: /api/chat and /api/generate, whose replies are JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .body_parser import json_lines
from .messages import IMAGE, ProxyMessage, Reply, describe_tool_call, list_objects, words


def asked_to_generate(request: Mapping[str, Any]) -> Iterator[ProxyMessage]:
    pictures = request.get("images")
    marks = [IMAGE] * len(pictures) if isinstance(pictures, list) else []
    yield ProxyMessage("user", "\n".join([text for text in (words(request, "prompt"), *marks) if text]))


def read_ollama_reply(body: bytes) -> Reply:
    """A reply put together from its lines; one that is not streamed is a single line."""
    text = model = ""
    calls: list[ProxyMessage] = []
    whole = False
    for line in json_lines(body):
        message = line.get("message")
        text += words(message, "content") or words(line, "response")
        model = model or words(line, "model")
        whole = whole or line.get("done") is True
        for call in list_objects(message.get("tool_calls")) if isinstance(message, dict) else []:
            inner = call.get("function")
            calls.append(
                describe_tool_call(words(inner, "name"), inner.get("arguments") if isinstance(inner, dict) else None)
            )
    return Reply((ProxyMessage("assistant", text), *calls), model, "", whole)
