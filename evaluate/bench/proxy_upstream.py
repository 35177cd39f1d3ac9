"""A provider that says what it is told to: every protocol of the proxy, with the accidents that happen to replies."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn


@dataclass(slots=True)
class Script:
    """One reply: what is sent, in which pieces, and whether it ends."""

    chunks: list[bytes]
    kind: str = "application/json"
    status: int = 200
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    cut: bool = False  # the connection ends before the reply does
    sized: bool = False  # with a Content-Length
    first: float = 0.0  # seconds to the first chunk, and between chunks
    between: float = 0.0

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)


@dataclass(slots=True)
class Seen:
    """A request as it reached the provider."""

    method: str
    target: bytes
    headers: list[tuple[bytes, bytes]]
    size: int
    sha256: str


class Upstream:
    """The ASGI app. A script is named by the header x-script or by the model of the request."""

    def __init__(self) -> None:
        self.scripts: dict[str, Script] = {}
        self.seen: dict[str, Seen] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise NotImplementedError
        hasher, size, kept = hashlib.sha256(), 0, []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            chunk = message.get("body", b"")
            hasher.update(chunk)
            size += len(chunk)
            if size < 2_000_000:
                kept.append(chunk)
            if not message.get("more_body"):
                break
        name = dict(scope["headers"]).get(b"x-script", b"").decode() or json.loads(b"".join(kept))["model"]
        query = b"?" + scope["query_string"] if scope["query_string"] else b""
        self.seen[name] = Seen(
            scope["method"], scope["raw_path"] + query, list(scope["headers"]), size, hasher.hexdigest()
        )
        await self.play(self.scripts[name], send)

    async def play(self, script: Script, send: Any) -> None:
        headers = [(b"content-type", script.kind.encode()), *script.headers]
        if script.sized:
            headers.append((b"content-length", str(len(script.body) + script.cut).encode()))
        if script.first:
            await asyncio.sleep(script.first)
        await send({"type": "http.response.start", "status": script.status, "headers": headers})
        for n, chunk in enumerate(script.chunks):
            if n and script.between:
                await asyncio.sleep(script.between)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        if not script.cut:  # else the server closes what was left unfinished
            await send({"type": "http.response.body", "body": b""})


@contextmanager
def serving(app: Any) -> Iterator[int]:
    """A real server in a thread; yields its port."""
    config = uvicorn.Config(
        app,
        port=0,
        log_level="critical",
        lifespan="auto",
        server_header=False,
        date_header=False,
        access_log=False,
        timeout_keep_alive=120,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)


# --- replies, as the providers write them --------------------------------------------------------


def reply(api: str, text: str, stream: bool, rng: random.Random) -> Script:
    """A text as an API says it, at once or in pieces."""
    pieces = cut_up(text, rng)
    if api == "completions":
        return completions(text, pieces, stream)
    if api == "responses":
        return responses(text, pieces, stream)
    if api == "messages":
        return messages(text, pieces, stream)
    return ollama(text, pieces, stream)


def cut_up(text: str, rng: random.Random) -> list[str]:
    places = sorted(rng.sample(range(1, len(text)), min(len(text) - 1, rng.randint(1, 12)))) if len(text) > 1 else []
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def sse(events: list[Any], named: bool = False) -> list[bytes]:
    return [
        (f"event: {event['type']}\n" if named else "").encode()
        + b"data: "
        + (event if isinstance(event, bytes) else json.dumps(event, ensure_ascii=False).encode())
        + b"\n\n"
        for event in events
    ]


def completions(text: str, pieces: list[str], stream: bool) -> Script:
    base = {"id": "chatcmpl-1", "created": 1, "model": "scripted", "object": "chat.completion"}
    if not stream:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return Script([json.dumps({**base, "choices": [choice]}).encode()], sized=True)
    base["object"] = "chat.completion.chunk"
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    events: list[Any] = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events.append({**base, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
    return Script([*sse(events), b"data: [DONE]\n\n"], "text/event-stream")


def responses(text: str, pieces: list[str], stream: bool) -> Script:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    whole = {
        **{"id": "resp_1", "object": "response", "created_at": 1, "model": "scripted", "status": "completed"},
        **{"output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    }
    if not stream:
        return Script([json.dumps(whole).encode()], sized=True)
    begun = {**whole, "status": "in_progress", "output": []}
    events: list[Any] = [{"type": "response.created", "response": begun, "sequence_number": 0}]
    events.append({"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}})
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events.append({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
    events += [{"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []} for piece in pieces]
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return Script(sse([{"sequence_number": n, **e} for n, e in enumerate(events)], named=True), "text/event-stream")


def messages(text: str, pieces: list[str], stream: bool) -> Script:
    base = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    content = [{"type": "text", "text": text}]
    if not stream:
        whole = {**base, "content": content, "stop_reason": "end_turn", "usage": usage}
        return Script([json.dumps(whole).encode()], sized=True)
    begun: dict[str, Any] = {**base, "content": [], "stop_reason": None, "usage": usage}
    events: list[Any] = [{"type": "message_start", "message": begun}]
    events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    events.append({"type": "ping"})
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        events += [{"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "ping"}]
    events.append({"type": "content_block_stop", "index": 0})
    ending = {"stop_reason": "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return Script(sse(events, named=True), "text/event-stream")


def ollama(text: str, pieces: list[str], stream: bool) -> Script:
    base = {"model": "scripted", "created_at": "2026-01-01T00:00:00Z"}
    ending = {"done": True, "done_reason": "stop", "total_duration": 1}
    if not stream:
        message = {"role": "assistant", "content": text}
        return Script([json.dumps({**base, "message": message, **ending}).encode()], sized=True)
    lines = [{**base, "message": {"role": "assistant", "content": piece}, "done": False} for piece in pieces]
    lines.append({**base, "message": {"role": "assistant", "content": ""}, **ending})
    return Script([json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines], "application/x-ndjson")


def packed(script: Script) -> Script:
    """The same reply, packed as a whole and sent in pieces."""
    data = gzip.compress(script.body, mtime=0)
    chunks = [data[n : n + 50] for n in range(0, len(data), 50)]
    return Script(chunks, script.kind, script.status, [*script.headers, (b"content-encoding", b"gzip")])
