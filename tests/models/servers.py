"""A real HTTP server on this machine that answers as a test tells it to."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Asked:
    """What a client sent."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Reply:
    """What the server sends back. `claimed` is a Content-Length that need not be true."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    claimed: int | None = None


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(json.dumps(value).encode(), status, headers)


class LocalServer:
    """Calls `answer` for every request, keeps the requests, and knows its own address."""

    def __init__(self, answer: Callable[[Asked], Reply]) -> None:
        self.asked: list[Asked] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.handle_one("GET")

            def do_POST(self) -> None:
                self.handle_one("POST")

            def handle_one(self, method: str) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked = Asked(method, self.path, dict(self.headers), json.loads(raw) if raw else None)
                server.asked.append(asked)
                reply = answer(asked)
                with contextlib.suppress(ConnectionError):  # a client that gave up
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name.replace("_", "-"), value)
                    length = len(reply.content) if reply.claimed is None else reply.claimed
                    self.send_header("Content-Length", str(length))
                    self.end_headers()
                    self.wfile.write(reply.content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


Serve = Callable[[Callable[[Asked], Reply]], LocalServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers and ends them with the test."""
    started: list[LocalServer] = []

    def start(answer: Callable[[Asked], Reply]) -> LocalServer:
        started.append(LocalServer(answer))
        return started[-1]

    yield start
    for server in started:
        server.close()
