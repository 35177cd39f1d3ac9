"""How many programs the relay serves at once, and who makes room when more come."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, cast

from engramma.apps.relay.serve import MOST_CLIENTS, Relay

MORE = 60


def is_open(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        return one.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


async def crowd(many: int) -> tuple[Relay, list[bool]]:
    """A relay that so many connect to before it looks, and which of them it still holds a moment later."""
    relay = Relay(cast("Any", None))
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0, backlog=1024)
    address = server.sockets[0].getsockname()
    held = [socket.create_connection(address, timeout=30) for _ in range(many)]
    try:
        async with asyncio.timeout(30):
            while len(relay.clients) < MOST_CLIENTS:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        return relay, [is_open(one) for one in held]
    finally:
        for one in held:
            one.close()
        server.close()
        await server.wait_closed()


def test_of_many_who_come_at_once_the_newest_are_held():
    relay, are_open = asyncio.run(crowd(MOST_CLIENTS + MORE))
    assert are_open == [False] * MORE + [True] * MOST_CLIENTS
    assert not relay.clients and not relay.waiting, "all are gone at the end"


def test_as_many_as_there_are_places_are_all_held():
    assert all(asyncio.run(crowd(MOST_CLIENTS))[1])
