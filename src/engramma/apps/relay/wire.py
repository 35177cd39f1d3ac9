"""HTTP/1.1 as it is on the wire: heads are read, bodies are passed on in the very bytes and pieces they came in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

MAX_HEAD = 64 * 1024
PIECE = 64 * 1024
MAX_SIZE_LINE = 256  # of a chunk, with what some put behind the number
KEPT = 8 * 1024 * 1024  # of a request's body, to send it once more

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REQUEST = re.compile(rb"([A-Z]{1,20}) (/[^ \x00-\x20\x7f]*) HTTP/1\.([01])")
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [^\r\n\x00]*)?")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n\x00]*)?")


class Malformed(ValueError):
    """What came is not HTTP/1.1, or could be read in two ways."""


class BrokeOff(Exception):
    """The other side closed the connection in the middle."""


@dataclass(frozen=True, slots=True)
class Head:
    """The start line and the headers of a request or a reply, in order."""

    start: bytes
    headers: list[tuple[bytes, bytes]]

    def values(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.headers if key.lower() == name]

    def to_bytes(self) -> bytes:
        return b"\r\n".join([self.start, *(name + b": " + value for name, value in self.headers), b"", b""])


class Peer:
    """One side of a connection: what was read too far waits here."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self._waiting = b""

    async def read(self) -> bytes:
        """What has come, or what comes next; empty at the end."""
        if self._waiting:
            data, self._waiting = self._waiting, b""
            return data
        return await self.reader.read(PIECE)

    def put_back(self, data: bytes) -> None:
        self._waiting = data + self._waiting

    async def until_gone(self) -> None:
        """Return when the other side has closed; what it sends meanwhile waits, up to a bound."""
        while len(self._waiting) < MAX_HEAD:
            data = await self.reader.read(PIECE)
            if not data:
                return
            self._waiting += data
        await asyncio.Event().wait()

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def close(self) -> None:
        self.writer.close()


async def read_head(peer: Peer) -> Head | None:
    """The next head; None where the other side closed before it began one."""
    data = bytearray()
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > MAX_HEAD:
            raise Malformed("the head is too long")
        if not (piece := await peer.read()):
            if data.strip(b"\r\n"):
                raise BrokeOff
            return None
        data += piece
        if not data.strip(b"\r\n"):
            data.clear()  # an empty line before a request, as some send it
    peer.put_back(bytes(data[end + 4 :]))
    start, *lines = bytes(data[:end]).lstrip(b"\r\n").split(b"\r\n")
    headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not _NAME.fullmatch(name) or re.search(rb"[\r\n\x00]", value):
            raise Malformed("a header is damaged")
        headers.append((name, value.strip(b" \t")))
    return Head(start, headers)


def request_line(head: Head) -> tuple[bytes, bytes, bool]:
    """(method, target, whether it is HTTP/1.1) of a request."""
    if not (found := _REQUEST.fullmatch(head.start)):
        raise Malformed("the request line is damaged")
    return found[1], found[2], found[3] == b"1"


def status_of(head: Head) -> tuple[int, bool]:
    """(status, whether it is HTTP/1.1) of a reply."""
    if not (found := _STATUS.fullmatch(head.start)):
        raise Malformed("the status line is damaged")
    return int(found[2]), found[1] == b"1"


# --- bodies ----------------------------------------------------------------------------------------


class Framing:
    """Where a body ends. `take` is given what comes and says how much of it belongs to the body."""

    is_over = False
    to_the_end = False  # only the end of the connection ends it

    def take(self, data: bytes) -> int:
        raise NotImplementedError


class Sized(Framing):
    """So many bytes."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.is_over = size == 0

    def take(self, data: bytes) -> int:
        used = min(self.left, len(data))
        self.left -= used
        self.is_over = self.left == 0
        return used


class Endless(Framing):
    """Until the connection ends."""

    to_the_end = True

    def take(self, data: bytes) -> int:
        return len(data)


class Chunked(Framing):
    """Pieces that say how long they are, and lines behind the last."""

    def __init__(self) -> None:
        self._line = bytearray()  # of a size, of what follows a chunk, or behind the last
        self._left = 0
        self._state = "size"
        self._behind = 0

    def take(self, data: bytes) -> int:
        at = 0
        while at < len(data) and not self.is_over:
            if self._state == "data":
                used = min(self._left, len(data) - at)
                self._left -= used
                at += used
                if not self._left:
                    self._state = "after"
                continue
            end = data.find(b"\n", at)
            stop = len(data) if end < 0 else end + 1
            self._line += data[at:stop]
            at = stop
            if len(self._line) > (MAX_HEAD if self._state == "behind" else MAX_SIZE_LINE):
                raise Malformed("a chunk's line is too long")
            if end >= 0:
                self._end_line(bytes(self._line))
                self._line.clear()
        return at

    def _end_line(self, line: bytes) -> None:
        if not line.endswith(b"\r\n"):
            raise Malformed("a chunk's line is not terminated correctly")
        line = line[:-2]
        if self._state == "after":
            if line:
                raise Malformed("a chunk is longer than it said")
            self._state = "size"
        elif self._state == "size":
            if not (found := _SIZE.fullmatch(line)):
                raise Malformed("a chunk has no length")
            self._left = int(found[1], 16)
            self._state = "data" if self._left else "behind"
        else:
            self._behind += len(line)
            if self._behind > MAX_HEAD:
                raise Malformed("too much data after the last chunk")
            self.is_over = not line


def request_framing(head: Head) -> Framing:
    """How a request's body ends; Malformed where two readers might not agree."""
    coded, sized = head.values(b"transfer-encoding"), head.values(b"content-length")
    if coded:
        if sized or len(coded) > 1 or coded[0].lower() != b"chunked":
            raise Malformed("the body's length is given twice")
        return Chunked()
    if len(sized) > 1 or (sized and not sized[0].isdigit()) or (sized and len(sized[0]) > 18):
        raise Malformed("the body's length is not a number")
    return Sized(int(sized[0]) if sized else 0)


def reply_framing(head: Head, method: bytes) -> Framing:
    status, _ = status_of(head)
    if method == b"HEAD" or status < 200 or status in (204, 304):
        return Sized(0)
    coded, sized = head.values(b"transfer-encoding"), head.values(b"content-length")
    if coded:
        return Chunked() if coded[-1].lower().endswith(b"chunked") else Endless()
    if not sized:
        return Endless()
    if any(one != sized[0] for one in sized) or not sized[0].isdigit():
        raise Malformed("the reply's length is not a number")
    return Sized(int(sized[0]))


async def read_body(peer: Peer, framing: Framing) -> AsyncIterator[bytes]:
    """A body in the pieces in which it comes, with its framing, and no byte more."""
    while not framing.is_over:
        if not (data := await peer.read()):
            if framing.to_the_end:
                return
            raise BrokeOff
        used = framing.take(data)
        if used < len(data):
            peer.put_back(data[used:])
        if used:
            yield data[:used]


class RelayBody:
    """A request's body, which may have to be sent once more: to the provider, when the daemon ends under it."""

    def __init__(self, client: Peer, framing: Framing) -> None:
        self._client, self._framing = client, framing
        self._kept: bytearray | None = bytearray()

    @property
    def can_be_sent_again(self) -> bool:
        return self._kept is not None

    @property
    def is_read(self) -> bool:
        return self._framing.is_over

    async def pieces(self) -> AsyncIterator[bytes]:
        """All of it, from the beginning."""
        if self._kept:
            yield bytes(self._kept)
        async for piece in read_body(self._client, self._framing):  # from where it was left, if it was
            if self._kept is not None:
                self._kept += piece
                if len(self._kept) > KEPT:
                    self._kept = None
            yield piece

    def forget(self) -> None:
        """The reply has begun: it is not sent again."""
        self._kept = None
