"""A real embedding server on this machine that can be stopped, started again at the same address, and be unwell."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes import HashEmbedder

MODEL = "words"
DIGEST = hashlib.sha256(b"words").hexdigest()


class EmbeddingServer:
    """Speaks both protocols (Ollama's and OpenAI's) with vectors of hashed words.

    `mood` is how it answers: well, broken (500), garbage, mute (never), drips (a byte now and then), refuses (400 for
    texts with `poison` in them).
    """

    def __init__(self) -> None:
        self.model = HashEmbedder()
        self.mood = "well"
        self.asked = 0  # questions with texts
        self.texts: list[str] = []
        self.poison = ""
        self._released = threading.Event()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._http: ThreadingHTTPServer | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ollama(self) -> str:
        return f"ollama:{MODEL}@{self.base}"

    @property
    def openai(self) -> str:
        return f"openai:{MODEL}@{self.base}/v1"

    def start(self) -> EmbeddingServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer({"models": [{"name": f"{MODEL}:latest", "digest": DIGEST}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = body["input"]
                server.asked += 1
                server.texts += texts
                if server.poison and any(server.poison in text for text in texts):
                    self.answer({"error": "input is too long"}, 400)
                    return
                rows = server.model.embed(texts).astype(float).tolist()
                if self.path.endswith("/api/embed"):
                    self.answer({"embeddings": rows})
                else:
                    self.answer({"data": [{"index": n, "embedding": row} for n, row in enumerate(rows)]})

            def answer(self, value: Any, status: int = 200) -> None:
                content = json.dumps(value).encode()
                if server.mood == "broken":
                    content, status = b'{"error": "out of memory"}', 500
                elif server.mood == "garbage":
                    content = b"<html>Welcome to nginx!</html>"
                elif server.mood == "mute":
                    server._released.wait(60)
                    return
                with contextlib.suppress(ConnectionError):  # a client that gave up
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    if server.mood == "drips":
                        for byte in content:
                            self.wfile.write(bytes([byte]))
                            if server._released.wait(0.1):
                                return
                    self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        ThreadingHTTPServer.allow_reuse_address = True
        self._released.clear()
        self._http = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        if self._http is not None:
            self._released.set()
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()
            self._http = None
