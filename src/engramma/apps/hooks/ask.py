"""Asks the daemon over a bare socket: http.client alone would cost a hook more time than all the rest."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any

from ...files import foreign_json
from ..daemon.folder import DaemonFolder, state_of
from ..daemon.proof import dial

MOST_BYTES = 4 * 1024 * 1024


class HookRefused(Exception):
    """The daemon answered, but not with what was asked for."""


class HookClient:
    """A running daemon, asked until the time is up."""

    def __init__(self, state: dict[str, Any], token: str, namespace: str, deadline: float) -> None:
        self.token, self._state, self._deadline = token, state, deadline
        self.dial_seconds = deadline - time.monotonic()  # until it has proven to be ours
        self._query = f"namespace={_escaped(namespace)}" if namespace else ""

    def send(self, method: str, path: str, query: str, body: bytes) -> socket.socket:
        """The request on its way, to a daemon that has proven to be ours; its reply is read later."""
        connection = dial(self._state, self.token, min(self._left(), self.dial_seconds))
        head = (  # HTTP/1.0: the reply ends with the connection
            f"{method} /api/{path}{'?' + query if query else ''} HTTP/1.0\r\n"
            f"Host: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        connection.sendall(head.encode("ascii") + body)
        return connection

    def ask(self, path: str, question: dict[str, Any]) -> socket.socket:
        return self.send("POST", path, self._query, json.dumps(question).encode("ascii"))

    def reply(self, connection: socket.socket) -> Any:
        """The JSON of a reply; TimeoutError once the time is up, Refused for an error."""
        data = bytearray()
        with connection:
            while True:
                connection.settimeout(self._left())
                part = connection.recv(1 << 16)
                if not part:
                    break
                data += part
                if len(data) > MOST_BYTES:
                    raise HookRefused("too long")
        head, _, body = bytes(data).partition(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            raise HookRefused("not 200")
        return foreign_json.loads(body)

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def running(place: DaemonFolder, namespace: str, deadline: float) -> HookClient | None:
    """The daemon of a store, if it runs."""
    state = state_of(place)
    if type(state.get("port")) is not int or not is_alive(state.get("pid")):
        return None
    try:
        token = place.token.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return HookClient(state, token, namespace, deadline)


def is_alive(pid: object) -> bool:
    """Whether the process may still be there: if not, nobody need be asked."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    if os.name != "posix":
        return True  # asking would end it there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _escaped(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))
