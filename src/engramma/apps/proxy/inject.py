"""Puts recalled memory into a request, where its API has a place for it; off unless the user asks for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from ...files import foreign_json
from ...language.go_ahead import only_urges
from ...records import Recall
from ..daemon.memories import Memories
from .body import ReplayableBody
from .exchange import Api
from .rules import Headers

SECONDS = 0.3  # a recall that takes longer is left out
TOKENS = 1200
MOST = 1_000_000  # bytes of a body that is read for it: a longer one goes as it is
QUESTION = 2_000  # characters of what was said last that are looked for


class Injector:
    """Adds a marked block to requests, or leaves them as they are."""

    def __init__(self, memories: Memories, seconds: float = SECONDS) -> None:
        self.memories = memories
        self.seconds = seconds

    async def injected(
        self, api: Api, namespace: str, body: ReplayableBody, headers: Headers, given: list[tuple[bytes, bytes]]
    ) -> tuple[AsyncIterator[bytes], Headers]:
        """The body to send and its headers; the client's own where nothing is added."""
        if (length := length_of(headers)) is None or length > MOST or any(n == b"content-encoding" for n, _ in given):
            return body.chunks(), headers
        original = b"".join([chunk async for chunk in body.chunks()])
        changed = await self.changed(api, namespace, original)
        if changed is None:
            return body.chunks(), headers
        sized = str(len(changed)).encode()
        return _one(changed), [(n, sized if n.lower() == b"content-length" else v) for n, v in headers]

    async def changed(self, api: Api, namespace: str, original: bytes) -> bytes | None:
        """The body with memory in it; None if it cannot be, or if there is nothing to add in time."""
        try:
            request = foreign_json.loads(original)
            question = asked_in(api, request).strip()
            if not question:
                return None
            # shielded, because a thread cannot be cancelled: one that takes too long ends on its own, unheard
            looking = asyncio.ensure_future(asyncio.to_thread(self.recalled, namespace, question))
            looking.add_done_callback(lambda done: done.cancelled() or done.exception())
            async with asyncio.timeout(self.seconds):
                block = await asyncio.shield(looking)
            if not block or not _added(api, request, block):
                return None
            return json.dumps(request, ensure_ascii=False).encode("utf-8")
        except Exception:  # whatever it is, the request goes out as it came
            return None

    def recalled(self, namespace: str, said: str) -> str:
        """A context block for what the person said; empty if nothing matches."""
        memory = self.memories.get(namespace)
        question = memory.redactor.own_words(said).strip()[-QUESTION:]
        asks = question and not only_urges(question)
        found: Recall | None = memory.recall(question, k=8, budget_tokens=TOKENS) if asks else None
        return found.context if found is not None and found.candidates else ""


async def _one(chunk: bytes) -> AsyncIterator[bytes]:
    yield chunk


def length_of(headers: Headers) -> int | None:
    return next((int(value) for name, value in headers if name.lower() == b"content-length" and value.isdigit()), None)


def asked_in(api: Api, request: Mapping[str, Any]) -> str:
    """What the person said last; empty if the last word is not theirs."""
    if api == "generate":
        return _text_of(request.get("prompt"))
    listed = request.get("input" if api == "responses" else "messages")
    if isinstance(listed, str):
        return listed
    last = listed[-1] if isinstance(listed, list) and listed else None
    if not isinstance(last, dict) or last.get("role") != "user":
        return ""
    return _text_of(last.get("content"))


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _added(api: Api, request: dict[str, Any], block: str) -> bool:
    """Put the block behind what the person said, as user content; False if this request leaves no place for it.

    It is never system text: what somebody once wrote must not speak with the voice of whoever set the model up. What
    stands before it stays as it is, so nothing that a provider signed is touched and its cache of the talk stays good.
    """
    if api == "generate":
        if not isinstance(request.get("prompt"), str) or request.get("raw") or request.get("suffix"):
            return False  # a model that completes a text would go on writing ours
        request["prompt"] = f"{request['prompt']}\n\n{block}"
        return True
    place = "input" if api == "responses" else "messages"
    listed = request.get(place)
    if isinstance(listed, str):
        request[place] = f"{listed}\n\n{block}"
        return api == "responses"
    last = listed[-1] if isinstance(listed, list) and listed else None
    if not isinstance(last, dict) or last.get("role") != "user":
        return False
    content = last.get("content")
    part = {"type": "input_text" if api == "responses" else "text", "text": block}
    if isinstance(content, list):
        last["content"] = [*content, part]
    elif not isinstance(content, str):
        return False
    elif api == "messages":
        last["content"] = [{"type": "text", "text": content}, part]
    else:
        last["content"] = f"{content}\n\n{block}"
    return True
