"""A request's body, read once and kept so that it can be sent again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from .exchange import Copy

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ClientLeft(Exception):
    """Nobody waits for the reply any more."""


class ReplayableBody:
    """A request's body: read once from the client, and once more from the copy if it has to be sent again."""

    def __init__(self, receive: Receive, copied: bool) -> None:
        self.receive = receive
        self.copy = Copy() if copied else Copy(0)
        self.ended = asyncio.Event()

    @property
    def read(self) -> bool:
        """Whether it was read to its end."""
        return self.ended.is_set()

    async def chunks(self) -> AsyncIterator[bytes]:
        if self.read:
            yield self.copy.whole()
            return
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientLeft
            if chunk := message.get("body", b""):
                self.copy.add(chunk)
                yield chunk
            if not message.get("more_body", False):
                self.ended.set()
                return

    async def client_gone(self) -> None:
        """Return when the client has left, once nobody reads the body any more."""
        await self.ended.wait()
        while (await self.receive())["type"] != "http.disconnect":
            pass

    @property
    def repeatable(self) -> bool:
        return self.read and not self.copy.overflown
