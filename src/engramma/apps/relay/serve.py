"""Serves the relay's address: each request to the daemon, or straight to its provider where there is none.

python -m engramma.apps.relay.serve STORE PORT
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...files.locks import hold_lock
from ..daemon.folder import DaemonFolder, place_in, token_of, write_json
from ..proxy.rules import (
    ERROR,
    HOP_BY_HOP,
    MOUNT,
    NO_SOCKET,
    NOTHING,
    is_own_header,
    named_by_connection,
    outgoing,
    split_path,
)
from .forward import (
    ClientConnection,
    Over,
    RelayRequest,
    broken,
    exchange,
    pass_back,
    refuse_request,
    send_answer,
    unreachable,
)
from .routes import KnownStore, Provider, UpstreamUnreachable, to_daemon, to_provider
from .wire import BrokeOff, Head, Malformed, Peer, RelayBody, read_head, request_framing, request_line

HOST = "127.0.0.1"  # never another: what passes holds the keys of providers
MOST_CLIENTS = 200  # at once; each takes two of the process's files
HEAD_SECONDS = 30.0  # for a head, from its first byte
KEEP_SECONDS = 120.0  # between two requests
BACKLOG = 1024
HOSTS = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
USERS_KEY = re.compile(rb"[0-9a-f]{16}-[0-9a-f]{32}")
MOST_USERS = 1_000


@dataclass(slots=True)
class Relay:
    """Passes requests on."""

    known: KnownStore
    waiting: dict[ClientConnection, asyncio.Task[None]] = field(
        default_factory=dict
    )  # for a request, the longest first
    clients: set[ClientConnection] = field(default_factory=set)  # without those that had to make room
    users: set[bytes] = field(default_factory=set)  # keys of users that the daemon let in

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its beginning to its end."""
        client = ClientConnection(Peer(reader, writer))
        task = asyncio.current_task()
        assert task is not None
        if len(self.clients) >= MOST_CLIENTS and self.waiting:
            self.make_room()
        self.clients.add(client)
        try:
            while len(self.clients) <= MOST_CLIENTS:
                self.waiting[client] = task
                head = await next_head(client.peer)
                self.waiting.pop(client, None)
                if head is None:
                    return
                await self.one(client, head)
        except (Over, BrokeOff, OSError, TimeoutError, asyncio.CancelledError):
            pass
        except Malformed as error:
            with suppress(OSError):
                await send_answer(client.peer, 400, "Bad Request", str(error).encode(), b"text/plain")
        finally:
            self.waiting.pop(client, None)
            self.clients.discard(client)
            client.close()

    def make_room(self) -> None:
        """Ends the connection that has waited longest: it asks for nothing.

        Its place is free at once, although its task ends later: of many who come at the same time each finds one.
        """
        longest = next(iter(self.waiting))
        self.waiting.pop(longest).cancel()
        self.clients.discard(longest)

    async def one(self, client: ClientConnection, head: Head) -> None:
        asked = read_request(client.peer, head)
        self.known.refresh()
        hosts = asked.head.values(b"host")
        if len(hosts) != 1 or not HOSTS.fullmatch(hosts[0]):
            return await refuse_request(
                client, asked, 421, "Misdirected Request", "This relay answers to 127.0.0.1 only."
            )
        ours = self.known.has(asked.key)
        if not asked.path.startswith(MOUNT) or not (ours or USERS_KEY.fullmatch(asked.key)):
            return await refuse_request(client, asked, 404, "Not Found", NOTHING)
        if any(b"websocket" in value.lower() for value in asked.head.values(b"upgrade")):
            await send_answer(client.peer, 426, "Upgrade Required", NO_SOCKET.encode(), b"text/plain")
            raise Over
        if any(value.lower() == b"100-continue" for value in asked.head.values(b"expect")):
            await client.peer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if await self.by_daemon(client, asked):
            return
        if not ours and asked.key not in self.users:
            return await refuse_request(client, asked, 404, "Not Found", NOTHING)
        await self.by_provider(client, asked)

    # --- the two roads -----------------------------------------------------------------------------

    async def by_daemon(self, client: ClientConnection, asked: RelayRequest) -> bool:
        """Whether the daemon answered. One that ends before its reply begins leaves the request to the other road."""
        headers = [(name, value) for name, value in asked.head.headers if name.lower() != b"expect"]
        for is_fresh in (False, True):
            if client.daemon is None:
                is_fresh = True
                try:
                    client.daemon = await to_daemon(self.known)
                except UpstreamUnreachable:
                    return False
            try:
                reply = await exchange(client, client.daemon, Head(asked.head.start, headers), asked)
            except (UpstreamUnreachable, Malformed):
                client.daemon.close()
                client.daemon = None
                if not asked.body.can_be_sent_again:
                    return await broken(client, asked)
                if is_fresh:
                    return False
                continue
            if USERS_KEY.fullmatch(asked.key) and not reply.values(ERROR) and len(self.users) < MOST_USERS:
                self.users.add(asked.key)
            keeps = await pass_back(client, client.daemon, reply, asked, reply.headers)
            if not keeps:
                client.daemon.close()
                client.daemon = None
            return True
        return False

    async def by_provider(self, client: ClientConnection, asked: RelayRequest) -> None:
        """Straight to the provider, by the proxy's rules: what is for us stays here, the rest goes as it came."""
        if asked.provider not in self.known.upstreams:
            return await refuse_request(client, asked, 404, "Not Found", NOTHING)
        for is_fresh in (False, True):
            if client.provider is not None and client.name != asked.provider:
                client.provider.peer.close()
                client.provider = None
            if client.provider is None:
                is_fresh = True
                try:
                    client.provider = await to_provider(self.known.upstreams[asked.provider])
                    client.name = asked.provider
                except UpstreamUnreachable as error:
                    return await unreachable(client, asked, str(error))
            road = client.provider
            try:
                reply = await exchange(client, road.peer, direct(asked, road), asked)
            except (UpstreamUnreachable, Malformed):
                road.peer.close()
                client.provider = None
                if is_fresh or not asked.body.can_be_sent_again:
                    return await unreachable(client, asked, "it closed the connection without an answer")
                continue
            if not await pass_back(client, road.peer, reply, asked, own_headers(reply)):
                road.peer.close()
                client.provider = None
            return


def read_request(peer: Peer, head: Head) -> RelayRequest:
    method, target, is_new = request_line(head)
    path, _, query = target.partition(b"?")
    key, provider, _, _ = split_path(path)
    body = RelayBody(peer, request_framing(head))
    said = b",".join(head.values(b"connection")).lower()
    return RelayRequest(head, method, path, query, key, provider, body, keeps=is_new and b"close" not in said)


async def next_head(peer: Peer) -> Head | None:
    async with asyncio.timeout(KEEP_SECONDS):
        if not (first := await peer.read()):
            return None
    peer.put_back(first)
    async with asyncio.timeout(HEAD_SECONDS):
        return await read_head(peer)


def direct(asked: RelayRequest, road: Provider) -> Head:
    """A request's head as the provider gets it."""
    _, _, _, path = split_path(asked.path)
    target = road.whole + (road.path + path or b"/") + (b"?" + asked.query if asked.query else b"")
    headers = outgoing(asked.head.headers, road.authority)
    return Head(asked.method + b" " + target + b" HTTP/1.1", [*headers, *road.proxy_headers])


def own_headers(reply: Head) -> list[tuple[bytes, bytes]]:
    """A provider's headers as the program gets them: all that concern the message, and how its body is framed."""
    dropped = (HOP_BY_HOP | named_by_connection(reply.headers)) - {b"transfer-encoding"}
    return [(name, value) for name, value in reply.headers if name.lower() not in dropped and not is_own_header(name)]


# --- the process -----------------------------------------------------------------------------------


def serve_relay(store: Path, port: int, ready: Callable[[str], None] = lambda _: None) -> bool:
    """Serve until told to stop; False if a relay serves this store already."""
    place = place_in(store)
    place.make()
    token_of(place)  # made now if there is none: it is what keys are derived from
    with hold_lock(place.relay_lock) as is_alone:
        if not is_alone:
            return False
        listener = _listening(port)
        with suppress(KeyboardInterrupt):
            asyncio.run(serve_on(place, listener, ready))
    return True


def _listening(port: int) -> socket.socket:
    """The wanted port, or any where that is taken: whoever asks for the address is told the new one."""
    try:
        return socket.create_server((HOST, port), backlog=BACKLOG)
    except OSError:
        return socket.create_server((HOST, 0), backlog=BACKLOG)


async def serve_on(place: DaemonFolder, listener: socket.socket, ready: Callable[[str], None]) -> None:
    known = KnownStore(place)
    known.refresh()
    relay = Relay(known)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for told in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(told, over.set)
    server = await asyncio.start_server(relay.serve, sock=listener)
    port = listener.getsockname()[1]
    url = f"http://{HOST}:{port}"
    write_json(place.relay, {"pid": os.getpid(), "port": port, "url": url})
    ready(url)
    await over.wait()
    server.close()


if __name__ == "__main__":
    serve_relay(Path(sys.argv[1]), int(sys.argv[2]))
