"""Clients of both eras, over stdio and over HTTP, list everything and call every tool."""

from __future__ import annotations

import asyncio
import shutil
import socket
import sys
import threading
import time
from contextlib import contextmanager

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.apps.mcp.calls import call, call_every_tool, filled, look_around, text_of

COMMAND = ["-c", "from engramma.apps.cli.main import run; run()", "mcp"]
TOKEN = "a-token-of-these-tests"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("filled") / "store")


@pytest.fixture
def copy(store, tmp_path):
    shutil.copytree(store, tmp_path / "store")
    return tmp_path / "store"


def over_stdio(store, *options: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, "--store", str(store), *options])


@contextmanager
def daemon_at(store):
    """The daemon's own application under a real server; yields its port."""
    import uvicorn

    from engramma.apps.daemon.app import build_app
    from engramma.apps.daemon.folder import place_in
    from engramma.apps.daemon.memories import Memories
    from engramma.apps.daemon.spool import Spool
    from engramma.apps.daemon.state import Daemon

    class Nobody:
        def offer(self, frame: bytes) -> bool:
            return False

        def counts(self) -> dict[str, int]:
            return {}

    with socket.create_server(("127.0.0.1", 0)) as listener:
        place, port = place_in(store), listener.getsockname()[1]
        place.make()
        memories = Memories(store)
        memories.get("other", create=True)
        daemon = Daemon(store, place, memories, Spool(place.spool), Nobody(), TOKEN, port=port)
        server = uvicorn.Server(uvicorn.Config(build_app(daemon), log_config=None, access_log=False, lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join()
            memories.close()


@pytest.fixture(scope="module")
def port(store, tmp_path_factory):
    place = tmp_path_factory.mktemp("served") / "store"
    shutil.copytree(store, place)
    with daemon_at(place) as found:
        yield found


async def over_http(port, mode, work, **headers: str) -> None:
    given = {"Authorization": f"Bearer {TOKEN}", **headers}
    async with (
        httpx2.AsyncClient(headers=given, timeout=60) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode=mode) as client,
    ):
        await work(client)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_on_stdio_calls_every_tool(copy, mode):
    async def use():
        async with Client(over_stdio(copy), mode=mode) as client:
            await look_around(client)
            await call_every_tool(client)

    asyncio.run(use())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_http_calls_every_tool(port, mode):
    async def work(client):
        await look_around(client)
        await call_every_tool(client)

    asyncio.run(over_http(port, mode, work))


def test_a_client_over_http_names_its_namespace_and_sees_no_other(port):
    async def add(client):
        await call(client, "memory_add", text="The vault of the other namespace is blue.")
        found = await call(client, "memory_search", query="What is Ana's cat called?")
        assert not found["found"] or all("Pixel" not in hit["text"] for hit in found["hits"])

    async def look(client):
        found = await call(client, "memory_search", query="Which colour has the vault?")
        assert all("vault" not in hit["text"] for hit in found["hits"])

    async def mistype(client):
        result = await client.call_tool("memory_add", {"text": "x"})
        assert result.is_error and "othr" in text_of(result)

    asyncio.run(over_http(port, "auto", add, **{"X-Engramma-Namespace": "other"}))
    asyncio.run(over_http(port, "auto", mistype, **{"X-Engramma-Namespace": "othr"}))
    asyncio.run(over_http(port, "auto", look))


def test_no_path_is_read_for_a_client_over_http(port, tmp_path):
    (tmp_path / "private.md").write_text("secret plans", encoding="utf-8")

    async def work(client):
        result = await client.call_tool("memory_ingest", {"path": str(tmp_path / "private.md")})
        assert result.is_error and "may not read files" in text_of(result)

    asyncio.run(over_http(port, "auto", work))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
        ({"X-Engramma-Token": TOKEN}, 200),
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://localhost:3000"}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_strangers_are_refused(port, path, headers, status):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    accepted = {"Accept": "application/json, text/event-stream", **headers}
    answer = httpx2.post(
        f"http://127.0.0.1:{port}{path}",
        json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        headers=accepted,
        follow_redirects=False,
    )
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("depth", [202, 5_000, 100_000])
def test_json_that_nests_too_deeply_is_refused_alike_by_both_eras(port, version, depth):
    deep = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": ' + b"[" * depth + b"]" * depth + b"}"
    answer = httpx2.post(
        f"http://127.0.0.1:{port}/mcp",
        content=deep,
        headers={
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": version,
        },
    )
    assert answer.status_code == 400 and "200 levels" in answer.text


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_the_mcp_app_itself_refuses_a_foreign_host_and_origin(store, headers):
    """Without the daemon's guard before it."""
    from engramma.apps.daemon.folder import place_in
    from engramma.apps.daemon.memories import Memories
    from engramma.apps.daemon.spool import Spool
    from engramma.apps.daemon.state import Daemon
    from engramma.apps.mcp import http_app

    place = place_in(store)
    daemon = Daemon(store, place, Memories(store), Spool(place.spool), None, TOKEN)  # type: ignore[arg-type]
    app, running = http_app(daemon)

    async def ask() -> int:
        transport = httpx2.ASGITransport(app=app)
        async with running(), httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:7733") as client:
            sent = {"Accept": "application/json, text/event-stream", **headers}
            return (
                await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=sent)
            ).status_code

    assert asyncio.run(ask()) == (421 if "Host" in headers else 403)
