"""The guard lets in who has the token, from this machine, with bodies of a sensible size."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engramma.apps.daemon import guard
from engramma.apps.daemon.guard import Guard
from engramma.apps.daemon.json_depth import Shallow

TOKEN = "a-token"
AUTH = (b"authorization", b"Bearer " + TOKEN.encode())
HOST = (b"host", b"127.0.0.1:7733")


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Reads the whole body and answers with its length."""
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            await send({"type": "http.response.start", "status": 400, "headers": []})
            await send({"type": "http.response.body", "body": b"gone"})
            return
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def answer(path: str, headers: list[tuple[bytes, bytes]], chunks: tuple[bytes, ...] = (b"",), **options: Any) -> int:
    messages = [{"type": "http.request", "body": c, "more_body": i + 1 < len(chunks)} for i, c in enumerate(chunks)]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": headers}
    asyncio.run(Guard(echo, TOKEN, **options)(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    "headers",
    [
        [HOST, AUTH],
        [HOST, (b"x-engramma-token", TOKEN.encode())],
        [(b"host", b"localhost"), AUTH],
        [(b"host", b"[::1]:7733"), AUTH],
        [HOST, AUTH, (b"origin", b"http://127.0.0.1:7733")],
        [HOST, (b"authorization", b"bearer  a-token")],
    ],
)
def test_who_may_come_in(headers: list[tuple[bytes, bytes]]) -> None:
    assert answer("/api/stats", headers) == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([HOST], 401),
        ([HOST, (b"authorization", b"Bearer wrong")], 401),
        ([HOST, (b"authorization", b"Basic a-token")], 401),
        ([HOST, (b"authorization", "Bearer ü".encode("latin-1"))], 401),
        ([HOST, (b"x-engramma-token", b"")], 401),
        ([(b"host", b"evil.example"), AUTH], 421),
        ([(b"host", b"127.0.0.1.evil.example"), AUTH], 421),
        ([HOST, (b"host", b"evil.example"), AUTH], 421),
        ([AUTH], 421),
        ([HOST, AUTH, (b"origin", b"https://evil.example")], 403),
        ([HOST, AUTH, (b"origin", b"null")], 403),
        ([HOST, AUTH, (b"origin", b"http://127.0.0.1@evil.example")], 403),
        ([HOST, AUTH, (b"content-length", b"99999999999")], 413),
    ],
)
def test_who_may_not(headers: list[tuple[bytes, bytes]], status: int) -> None:
    assert answer("/api/stats", headers) == status
    assert answer("/mcp", headers) == status


def test_health_needs_no_token_but_the_right_host() -> None:
    assert answer("/health", [HOST]) == 200
    assert answer("/health", [(b"host", b"evil.example")]) == 421


def test_the_proxy_checks_its_own_key_and_has_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_BODY", 10)
    assert answer("/p/key/openai/v1/models", [HOST], (b"x" * 100,)) == 200
    assert answer("/p/key/openai", [(b"host", b"evil.example")]) == 421


def test_a_body_of_no_stated_length_is_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_BODY", 10)
    assert answer("/api/turns", [HOST, AUTH], (b"x" * 6, b"x" * 4)) == 200
    assert answer("/api/turns", [HOST, AUTH], (b"x" * 6, b"x" * 6)) == 413
    assert answer("/api/import", [HOST, AUTH], (b"x" * 6, b"x" * 6)) == 200


def test_other_names_can_be_allowed() -> None:
    headers = [(b"host", b"memory.lan:7733"), AUTH]
    assert answer("/api/stats", headers) == 421
    assert answer("/api/stats", headers, hosts=["Memory.lan"]) == 200


def test_what_needs_no_token_may_not_be_long() -> None:
    assert answer("/login", [HOST], (b"x" * 4096,), open_paths=["/login"]) == 200
    assert answer("/login", [HOST], (b"x" * 4096, b"x"), open_paths=["/login"]) == 413
    for length in (b"4097", b"99999999", b"9" * 5000):
        assert answer("/login", [HOST, (b"content-length", length)], open_paths=["/login"]) == 413


def test_of_a_body_that_does_not_arrive_whole_nobody_else_hears() -> None:
    async def never(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it would fail, and log that it did")

    messages = [{"type": "http.request", "body": b'{"a', "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Shallow(never, takes_only_json=True)({"type": "http", "path": "/mcp", "headers": []}, receive, send))
    assert sent[0]["status"] == 400 and b"did not arrive completely" in sent[1]["body"]
