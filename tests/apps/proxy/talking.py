"""What tests of the capture share: exchanges as clients make them, stored as the worker stores them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engramma import Memory
from engramma.apps.daemon.spool import Spool
from engramma.apps.proxy.capture import as_item, read_exchange
from engramma.apps.proxy.exchange import Exchange
from engramma.records import RememberReport

T0 = 1_790_000_000.0  # a moment in 2026


def chat(said: Sequence[str], reply: str, at: float = 0.0, **headers: str) -> Exchange:
    """A Chat Completions exchange: what was said, by turns the person and the assistant, and the answer; in minutes."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    answer = {"id": "x", "model": "m-1", "choices": [{"index": 0, "message": {"role": "assistant", "content": reply}}]}
    return exchange("completions", {"model": "m", "messages": messages}, answer, at, **headers)


def exchange(api: str, request: Any, answer: Any, at: float = 0.0, complete: bool = True, **headers: str) -> Exchange:
    began = T0 + 60 * at
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    kind = "text/event-stream" if body.startswith((b"data:", b"event:")) else "application/json"
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    asked = request if isinstance(request, bytes) else json.dumps(request).encode()
    return Exchange(api, "p", "default", 200, began, began + 5, complete, names, {"content-type": kind}, asked, body)  # type: ignore[arg-type]


def item_of(memory: Memory, one: Exchange) -> dict[str, Any]:
    captured = read_exchange(Exchange.from_bytes(one.to_bytes()), memory._core.own_words)
    assert captured is not None
    return json.loads(json.dumps(as_item(captured, memory._core.mask)))


def remember(memory: Memory, *exchanges: Exchange) -> list[RememberReport]:
    """Through the spool into the memory, as the worker does it."""
    spool = Spool(Path(memory.path) / "daemon" / "spool")
    for one in exchanges:
        assert spool.put("exchange", item_of(memory, one))
    reports = []
    for item in spool.items():
        reports.append(memory.ingest.store_exchange(item.value))
        spool.done(item)
    return reports


def told(memory: Memory) -> dict[str, list[str]]:
    """What is remembered, by conversation: the words in the order in which they were stored."""
    return {
        conversation.id: [turn.text for session in conversation.sessions for turn in session.turns]
        for conversation in memory.conversations()
    }


def only(memory: Memory) -> list[str]:
    """The words of the one conversation there is."""
    (words,) = told(memory).values()
    return words
