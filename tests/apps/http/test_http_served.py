"""The API as it is served: a short run of the benches api_fuzz.py and api_load.py against a daemon of its own."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from pathlib import Path

import pytest

from engramma import Memory
from tests.conftest import talk

sys.path.insert(0, str(Path(__file__).parents[3] / "evaluate" / "bench"))

import api_fuzz
import api_load
import api_serving

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def at(folder):
    with Memory.open(folder / "store") as memory:
        memory.remember_session("home", "monday", talk("Ann: The garden is wide.", "Bob: The train is late."))
    with api_serving.served(folder / "store", folder / "log") as daemon:
        yield daemon
    assert " ERROR " not in (folder / "log").read_text(encoding="utf-8")


def test_no_call_makes_the_server_fail(at):
    found = api_fuzz.fuzz(at, calls=1, seed=5)
    assert found.failures == []
    assert found.calls > 300 and found.statuses[200] > 10 and found.statuses[422] > 10


def test_clients_at_once_get_answers_and_lose_nothing(at, folder):
    seen = asyncio.run(api_load.crowd(20, 2.0, "short", at))
    assert not seen.errors and seen.acknowledged and seen.seconds["recall"]
    assert api_load.lost_and_doubled(folder / "store", seen.acknowledged) == (0, 0)


@pytest.mark.parametrize("token", ["wrong", None])
def test_who_is_refused_while_still_sending_gets_the_answer(at, token):
    """A connection that is closed under a client that sends is reset, and what was answered is lost."""
    host, port = at.url.removeprefix("http://").split(":")
    lines = [
        "POST /api/notes HTTP/1.1",
        f"Host: {host}:{port}",
        "Content-Type: application/json",
        "Content-Length: 200000",
    ]
    lines += [f"Authorization: Bearer {token}"] if token else []
    with socket.create_connection((host, int(port)), timeout=10) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode() + b" " * 100_000)
        time.sleep(0.3)
        client.sendall(b" " * 50_000)
        time.sleep(0.3)
        client.sendall(b" " * 50_000)
        assert client.recv(100_000).startswith(b"HTTP/1.1 401 ")
