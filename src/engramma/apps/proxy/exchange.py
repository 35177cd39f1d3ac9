"""One request with its reply, copied while it passed: all that the capture needs, and no header that it does not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...records.team import OWNER

Api = Literal["messages", "completions", "responses", "chat", "generate"]

# By the end of the path, because providers copy each other's. Nothing else is copied at all.
APIS: Mapping[bytes, Api] = {
    b"/messages": "messages",
    b"/chat/completions": "completions",
    b"/responses": "responses",
    b"/api/chat": "chat",
    b"/api/generate": "generate",
}
MAX_COPY = 32 * 1024 * 1024  # of a request or a reply; what is longer passes and is not kept

# Headers that the capture may see: which conversation it is, whose program, how the body is packed. Never a key.
KEPT_OF_REQUEST = (
    *("x-engramma-session", "x-claude-code-session-id", "x-claude-code-agent-id", "x-claude-code-parent-agent-id"),
    *("session_id", "session-id", "conversation_id", "user-agent", "content-type", "content-encoding"),
)
KEPT_OF_REPLY = ("content-type", "content-encoding")


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and what came back, as bytes. `complete`: the reply came to its end.

    `unsaid`: nobody wants it kept. It is noted by keyed hashes alone, so that it is not taken from the histories that
    later requests repeat.
    """

    api: Api
    provider: str
    namespace: str
    status: int
    began: float  # seconds since 1970: when the request came, and when the last byte of the reply went
    ended: float
    complete: bool
    request_headers: Mapping[str, str] = field(default_factory=dict)
    reply_headers: Mapping[str, str] = field(default_factory=dict)
    request: bytes = b""
    reply: bytes = b""
    unsaid: bool = False
    who: str = OWNER  # whose key was in the address

    def to_bytes(self) -> bytes:
        head = {name: getattr(self, name) for name in _HEAD}
        packed = json.dumps({**head, "length": len(self.request)}).encode()
        return b"%d\n%b%b%b" % (len(packed), packed, self.request, self.reply)

    @classmethod
    def from_bytes(cls, frame: bytes) -> Exchange:
        size, _, rest = frame.partition(b"\n")
        head: dict[str, Any] = json.loads(rest[: int(size)])
        bodies = rest[int(size) :]
        length = head.pop("length")
        return cls(**head, request=bodies[:length], reply=bodies[length:])


def told_of(frame: bytes) -> dict[str, Any]:
    """What may be written down of a frame that cannot be masked: not a word of it, and no name a client gave."""
    told: dict[str, Any] = {"bytes": len(frame)}
    try:
        size, _, rest = frame.partition(b"\n")
        head = json.loads(rest[: int(size)])
        told |= {name: head[name] for name in ("api", "provider", "status", "began", "ended", "complete")}
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return told


_HEAD = (
    *("api", "provider", "namespace", "status", "began", "ended", "complete", "unsaid", "who"),
    *("request_headers", "reply_headers"),
)


def api_of(method: str, path: bytes) -> Api | None:
    """Which API a request speaks; None if there is nothing in it to remember."""
    if method != "POST":
        return None
    path = path.rstrip(b"/")
    return next((api for end, api in APIS.items() if path.endswith(end)), None)


def kept_headers(headers: Iterable[tuple[bytes, bytes]], names: Iterable[str]) -> dict[str, str]:
    """The headers on the list, the last of each."""
    wanted = {name.encode() for name in names}
    return {
        name.lower().decode("latin-1"): value.decode("latin-1") for name, value in headers if name.lower() in wanted
    }


class Copy:
    """Chunks kept as they pass, up to a bound; past it, none of them."""

    __slots__ = ("_chunks", "limit", "overflown", "size")

    def __init__(self, limit: int = MAX_COPY) -> None:
        self.limit = limit
        self.size = 0
        self.overflown = False
        self._chunks: list[bytes] = []

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size <= self.limit:
            self._chunks.append(chunk)
        elif not self.overflown:
            self.overflown = True
            self._chunks.clear()

    def whole(self) -> bytes:
        return b"".join(self._chunks)
