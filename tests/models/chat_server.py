"""A real chat server on this machine that replies as a test tells it to, also byte by byte."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .servers import Asked, Reply, as_json


def said(text: str, *, tokens: tuple[int, int] | None = (100, 20), finish: str = "stop", **more: Any) -> Reply:
    """A reply of the protocol with this text."""
    message = {"role": "assistant", "content": text, **more}
    answer: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    if tokens is not None:
        answer["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return as_json(answer)


def scripted(*replies: Reply | Callable[[Asked], Reply]) -> Callable[[Asked], Reply]:
    """One reply after the other; the last one again and again."""
    left = list(replies)

    def answer(asked: Asked) -> Reply:
        one = left.pop(0) if len(left) > 1 else left[0]
        return one(asked) if callable(one) else one

    return answer


class RawServer:
    """Hands every connection, once its request is read, to a function that may do anything with it."""

    def __init__(self, act: Callable[[socket.socket, threading.Event], None]) -> None:
        self.connections = 0
        self.asked: list[Any] = []  # the bodies of requests
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._ended = threading.Event()
        self._act = act
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            if self._ended.is_set():
                connection.close()
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65_536)
            head, _, body = head.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            while length is not None and len(body) < int(length[1]):
                body += connection.recv(65_536)
            self.asked.append(json.loads(body) if body else None)
            self._act(connection, self._ended)

    def close(self) -> None:
        self._ended.set()
        with contextlib.suppress(OSError), socket.create_connection(self._socket.getsockname()):
            pass
        self._accepting.join()
        self._socket.close()
        for thread in self._threads:
            thread.join()


def drip_headers(connection: socket.socket, ended: threading.Event) -> None:
    """A header that never ends."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not ended.wait(0.02):
        connection.sendall(b"x")


def drip_body(connection: socket.socket, ended: threading.Event) -> None:
    """A reply that never ends, a space at a time."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not ended.wait(0.02):
        connection.sendall(b"1\r\n \r\n")


def silent(connection: socket.socket, ended: threading.Event) -> None:
    """Takes the question and says nothing."""
    ended.wait(30)


def reset(connection: socket.socket, ended: threading.Event) -> None:
    """Ends the connection without a word, and not politely."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def half(connection: socket.socket, ended: threading.Event) -> None:
    """Promises more than it sends."""
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"choices": [')
    time.sleep(0.01)


def events(*pieces: str, tokens: tuple[int, int] | None = (100, 20), finish: str | None = "stop") -> bytes:
    """A reply of the protocol as server-sent events, a piece of text each."""
    sent: list[Any] = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}]
    sent += [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    sent += [{"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}] if finish else []
    if tokens is not None:
        usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
        sent.append({"choices": [], "usage": usage})
    lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in sent]
    return "".join([*lines, "data: [DONE]\n\n" if finish else ""]).encode("utf-8")


Act = Callable[[socket.socket, threading.Event], None]


def streams(body: bytes, size: int = 65_536, pause: float = 0.0, kind: str = "text/event-stream") -> Act:
    """Sends a body in chunks of so many bytes, whatever they cut in two, with a pause after each."""

    def act(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n".encode())
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(body), size):
            block = body[at : at + size]
            connection.sendall(f"{len(block):x}\r\n".encode() + block + b"\r\n")
            if pause and ended.wait(pause):
                return
        connection.sendall(b"0\r\n\r\n")

    return act


def writes(*pieces: str, **more: Any) -> Act:
    """Sends a reply as events."""
    return streams(events(*pieces, **more))


def breaks_off(body: bytes) -> Act:
    """Sends the beginning of a stream and ends the connection in the middle of it."""

    def act(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(f"{len(body) + 500:x}\r\n".encode() + body)

    return act


def hangs_after(body: bytes, gone: threading.Event) -> Act:
    """Sends the beginning of a stream, then nothing; tells when the client has ended the connection."""

    def act(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(f"{len(body):x}\r\n".encode() + body + b"\r\n")
        connection.settimeout(0.02)
        while not ended.is_set():
            try:
                if not connection.recv(1_024):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        gone.set()

    return act


def refuses(status: int, **headers: str) -> Act:
    """Answers with a status and a reason."""

    def act(connection: socket.socket, ended: threading.Event) -> None:
        body = json.dumps({"error": {"message": "not now"}}).encode()
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)

    return act


def in_turn(*acts: Act) -> Act:
    """One act a connection; the last one again and again."""
    left = list(acts)

    def act(connection: socket.socket, ended: threading.Event) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(connection, ended)

    return act


@pytest.fixture
def raw() -> Iterator[Callable[..., RawServer]]:
    started: list[RawServer] = []

    def start(act: Callable[[socket.socket, threading.Event], None]) -> RawServer:
        started.append(RawServer(act))
        return started[-1]

    yield start
    for server in started:
        server.close()
