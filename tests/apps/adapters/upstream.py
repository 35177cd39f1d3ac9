"""A local model server that answers a script, one reply a request, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Upstream(ThreadingHTTPServer):
    """Answers with `script[0]`, `script[1]`, …"""

    daemon_threads = True

    def __init__(self, script: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.script, self.asked = list(script), list[dict[str, Any]]()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answers(BaseHTTPRequestHandler):
    """One reply a request."""

    server: Upstream

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        body = json.dumps(self.server.script[len(self.server.asked) - 1]).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def upstream(script: list[dict[str, Any]]) -> Iterator[Upstream]:
    """The server, running while the block is."""
    with Upstream(script) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
