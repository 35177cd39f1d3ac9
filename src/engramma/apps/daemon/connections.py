"""Limits the daemon's connections: how many, how long each may take, and which are closed for new ones.

uvicorn waits for ever for the end of headers and bodies, and accepts until no descriptor is left. Here each request
has to arrive in time, replies may take as long as they like, and whoever has not shown a token gives way first.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .guard import WHO

MOST = 1_000
RESERVED = 128  # descriptors for everything else: database, indexes, worker, log
WANTED_DESCRIPTORS = 4_096  # the soft limit is raised to this, where the hard one allows
BATCH = 32  # connections that give way at once
MOST_READ = 64 * 1024  # bytes at once; asyncio's 256 KiB, times a thousand connections, would be felt
REST_SECONDS = 1.0  # asyncio's pause after it could not accept
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/problem+json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b"
)
WHY = b'{"type": "about:blank", "title": "Too slow", "status": 408, "detail": "The request did not arrive in time."}'

logger = logging.getLogger("engramma.daemon")


@dataclass(frozen=True, slots=True)
class ConnectionTimeouts:
    """Seconds that a connection is waited for. None of them limits a reply to somebody who was let in."""

    head: float = 15.0  # a TLS handshake, and a request's headers, from the first byte to the last
    body: float = 60.0  # silence within the body of somebody who was let in: slow is allowed, standing still is not
    idle: float = 120.0  # between two requests: longer than providers wait, so that none is closed under a request
    stranger: float = 15.0  # all of these for somebody who was not let in, and the whole of their body
    reply: float = 60.0  # until somebody who was not let in has read the reply


class Phase(Enum):
    """What a connection is waited for."""

    head = "head"
    body = "body"
    reply = "reply"
    rest = "rest"  # of a body that was answered already
    idle = "idle"
    end = "end"  # what was written last is still to be read


class Door:
    """Counts the connections of a daemon, closes the overdue, and makes room when there are too many."""

    def __init__(self, most: int = MOST, patience: ConnectionTimeouts | None = None) -> None:
        self.most = most
        self.patience = patience or ConnectionTimeouts()
        self.connections: set[Connection] = set()
        self.arriving: dict[int, tuple[socket.socket, float]] = {}  # accepted, and shaking hands by TLS
        self.turned_away: Counter[str] = Counter()  # how many were closed, by why

    def __len__(self) -> int:
        return len(self.connections) + len(self.arriving)

    def sweep(self) -> None:
        """Close what is overdue; called once a second."""
        now = time.monotonic()
        for number, (arriving, since) in list(self.arriving.items()):
            if arriving.fileno() < 0:
                del self.arriving[number]
            elif now - since > self.patience.head:
                self.turned_away["late"] += 1
                hang_up(arriving)
        for connection in list(self.connections):
            if connection.is_overdue(now, self.patience):
                self.turned_away["late"] += 1
                connection.turn_away()

    def make_room(self) -> bool:
        """Close a few connections that can best be done without; False if all are at work for somebody let in."""
        victims = _chosen(self.connections, BATCH)
        for connection in victims:
            connection.transport.abort()
        old = time.monotonic() - REST_SECONDS
        late = [one for one, since in self.arriving.values() if since < old][: BATCH - len(victims)]
        for arriving in late:
            hang_up(arriving)
        made = len(victims) + len(late)
        self.turned_away["crowded"] += made
        if made:
            logger.warning("%d connections is the maximum; idle ones are closed", self.most)
        return made > 0


class Connection(H11Protocol):
    """One connection; it knows what it is waited for, and since when."""

    def __init__(self, door: Door, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.door = door
        self.heard = self.since = time.monotonic()  # when bytes last came, and when this phase of it began
        self.is_known = False  # whether a request over it was ever let in
        self.unread = 0  # bytes of the last reply, when it was looked at
        self.has_begun = True  # whether bytes of the next request came, or have to come soon

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if hasattr(transport, "max_size"):
            transport.max_size = MOST_READ
        self.door.connections.add(self)
        self.door.arriving.pop(transport.get_extra_info("socket").fileno(), None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.door.connections.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.heard = time.monotonic()
        if self.phase() is Phase.idle:
            self.since, self.has_begun = self.heard, True
        asked = self.cycle
        super().data_received(data)
        if self.cycle is not asked:
            self.since = self.heard

    def on_response_complete(self) -> None:
        self.is_known = self.is_known or WHO in self.scope
        self.since, self.has_begun = time.monotonic(), False
        if not self.is_known and self.conn.trailing_data[0]:
            self.transport.close()  # a stranger who asks on without reading the answers
        super().on_response_complete()

    def timeout_keep_alive_handler(self) -> None:
        """Do nothing: the sweep closes idle connections, and others that uvicorn would wait for."""

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: the proxy answers such requests, and anybody can send them."""

    def phase(self) -> Phase:
        if self.transport.is_closing():
            return Phase.end
        cycle = self.cycle
        if cycle is None:
            return Phase.head
        if not cycle.response_complete:
            return Phase.body if cycle.more_body and not cycle.response_started else Phase.reply
        if self.conn.their_state is h11.SEND_BODY:
            return Phase.rest
        return Phase.head if self.has_begun else Phase.idle

    def is_overdue(self, now: float, patience: ConnectionTimeouts) -> bool:
        phase, waited = self.phase(), now - self.since
        was_let_in = self.scope is not None and WHO in self.scope
        if phase is Phase.head:
            return waited > patience.head
        if phase is Phase.body and was_let_in:
            if self.flow.read_paused or self.cycle.waiting_for_100_continue:
                self.heard = now  # it is us who are waited for
            return now - self.heard > patience.body
        if phase is Phase.reply:
            return not was_let_in and waited > patience.reply
        if phase is Phase.end:
            if self.unread != (left := self.transport.get_write_buffer_size()):
                self.unread, self.since = left, now  # a slow reader still reads
            return now - self.since > patience.reply
        return waited > (patience.idle if phase is Phase.idle and self.is_known else patience.stranger)

    def gives_way(self) -> int | None:
        """How readily it is closed for a new one, the lowest number first; None: never."""
        phase = self.phase()
        if phase in (Phase.body, Phase.reply) and self.scope is not None and WHO in self.scope:
            return None
        if self.is_known:
            return {Phase.end: 0, Phase.rest: 2, Phase.head: 3}.get(phase, 4)
        return 2 if phase in (Phase.body, Phase.reply) else 1 if phase is Phase.idle else 0

    def turn_away(self) -> None:
        """Say why, if nothing was said yet and a request was begun, and close."""
        phase = self.phase()
        if phase is Phase.end:
            return self.transport.abort()
        if phase is Phase.body or (phase is Phase.head and self.heard > self.since):
            self.transport.write(TOO_SLOW % (len(WHY), WHY))
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # whoever waits for the body is told that nobody is there
            self.cycle.message_event.set()
        if phase is Phase.reply:
            return self.transport.abort()
        self.since = time.monotonic()
        return self.transport.close()


class BoundedListener(socket.socket):
    """A listening socket that accepts only as many as there may be, and is not upset when descriptors run out."""

    door: Door
    rests_until = 0.0

    def accept(self) -> tuple[socket.socket, Any]:
        now = time.monotonic()
        if now < self.rests_until:
            raise BlockingIOError
        if len(self.door) >= self.door.most:
            if self.door.make_room() or self.door.arriving:
                raise BlockingIOError  # their descriptors are free when the loop has turned once
            logger.warning("all %d connections are busy; new ones wait", self.door.most)
            self._rest(now, OSError(errno.EMFILE, "all connections are busy"))
        try:
            accepted, address = super().accept()
        except OSError as error:
            if error.errno not in SCARCE:
                raise
            logger.error("cannot accept a connection: %s", error.strerror)
            self.door.make_room()
            self._rest(now, error)
            raise
        self.door.arriving[accepted.fileno()] = (accepted, now)
        return accepted, address

    def _rest(self, now: float, error: OSError) -> None:
        """Let asyncio pause: it does so at an error, yet some versions go on to try a thousand times more."""
        self.rests_until = now + REST_SECONDS * 0.9
        raise error


class GuardedServer(uvicorn.Server):
    """uvicorn with connection limits, and with hooks that run every second and at shutdown."""

    def __init__(
        self,
        config: uvicorn.Config,
        door: Door,
        each_second: Iterable[Callable[[], object]] = (),
        closing: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(config)
        self.each_second: tuple[Callable[[], object], ...] = (door.sweep, *each_second)
        self.closing = closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_tell)
        await super().startup(sockets)

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            for act in self.each_second:
                act()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.closing()  # before it waits for the replies that are still on their way
        await super().shutdown(sockets)


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong in the loop, but for what the listener has said already."""
    error = context.get("exception")
    if not (isinstance(error, OSError) and error.errno in SCARCE and "accept" in str(context.get("message"))):
        loop.default_exception_handler(context)


def _chosen(connections: Iterable[Connection], most: int) -> list[Connection]:
    """Those that give way: by what they are waited for, then of who has most of them, then the oldest."""
    ranked = [(rank, one) for one in connections if (rank := one.gives_way()) is not None]
    shares = Counter(one.client[0] if one.client else "" for _, one in ranked)
    ranked.sort(key=lambda pair: (pair[0], -shares[pair[1].client[0] if pair[1].client else ""], pair[1].since))
    return [one for _, one in ranked[:most]]


def hang_up(accepted: socket.socket) -> None:
    """End a connection whose transport is asyncio's: it sees the end and tidies up."""
    with suppress(OSError):
        accepted.shutdown(socket.SHUT_RDWR)


def most_connections() -> int:
    """As many as leave descriptors for the rest: each may have one to a provider on its other side."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft == resource.RLIM_INFINITY:
        return MOST
    return max(16, min(MOST, (soft - RESERVED) // 2))
