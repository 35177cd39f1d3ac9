"""Forwards one request and streams its reply back byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from ..proxy.rules import ERROR, dialect_of, error_body, split_path
from .routes import Provider, UpstreamUnreachable
from .wire import BrokeOff, Framing, Head, Malformed, Peer, RelayBody, read_body, read_head, reply_framing, status_of


class Over(Exception):
    """The connection ends here."""


@dataclass(slots=True, eq=False)
class ClientConnection:
    """One program's connection, and what is open for it."""

    peer: Peer
    daemon: Peer | None = None
    provider: Provider | None = None
    name: str = ""  # of the provider

    def close(self) -> None:
        for peer in (self.peer, self.daemon, self.provider.peer if self.provider else None):
            if peer is not None:
                peer.close()


@dataclass(slots=True)
class RelayRequest:
    """One request, as far as it has been read."""

    head: Head
    method: bytes
    path: bytes
    query: bytes
    key: bytes
    provider: str
    body: RelayBody
    keeps: bool  # the connection is wanted after it


# --- one exchange ----------------------------------------------------------------------------------


async def exchange(client: ClientConnection, there: Peer, head: Head, asked: RelayRequest) -> Head:
    """Send a request while its reply is waited for; returns the reply's head. Unreachable if none comes."""

    async def send() -> None:
        await there.write(head.to_bytes())
        async for piece in asked.body.pieces():
            await there.write(piece)

    sending = asyncio.ensure_future(send())
    reading = asyncio.ensure_future(final_head(client, there))
    gone: asyncio.Future[None] | None = None
    try:
        while True:
            watched = {reading} if sending.done() else {reading, sending}
            if sending.done() and asked.body.is_read and gone is None:
                gone = asyncio.ensure_future(client.peer.until_gone())
            await asyncio.wait(watched if gone is None else {*watched, gone}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                return reading.result()
            if gone is not None and gone.done():
                raise Over  # nobody waits for the reply any more
            if sending.done() and isinstance(error := sending.exception(), BrokeOff | Malformed):
                raise Over from error  # the client left, or said nonsense, in the middle of its body
    except (OSError, BrokeOff) as error:
        raise UpstreamUnreachable from error
    finally:
        for task in (sending, reading, gone):
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in (sending, reading, gone) if task), return_exceptions=True)


async def final_head(client: ClientConnection, there: Peer) -> Head:
    """The head of the reply; those that come before it (103 and its like) go on at once."""
    while True:
        head = await read_head(there)
        if head is None:
            raise BrokeOff
        status, _ = status_of(head)
        if status >= 200:
            return head
        if status != 100:
            await client.peer.write(head.to_bytes())


async def pass_back(
    client: ClientConnection, there: Peer, reply: Head, asked: RelayRequest, headers: list[tuple[bytes, bytes]]
) -> bool:
    """The reply to the client, byte for byte as it comes; returns whether the connection there is good for another."""
    asked.body.forget()
    framing: Framing = reply_framing(reply, asked.method)
    _, is_new = status_of(reply)
    said = b",".join(reply.values(b"connection")).lower()
    keeps = is_new and b"close" not in said and not framing.to_the_end and asked.body.is_read
    ends = framing.to_the_end or not asked.keeps or not asked.body.is_read
    headers = [(name, value) for name, value in headers if name.lower() != b"connection"]
    await client.peer.write(Head(reply.start, [*headers, (b"Connection", b"close")] if ends else headers).to_bytes())
    try:
        async for piece in watched(client.peer, read_body(there, framing), asked.body.is_read):
            await client.peer.write(piece)
    except (BrokeOff, Malformed) as error:
        raise Over from error  # the reply breaks off for the client as it did for us
    if ends:
        with suppress(OSError):
            await client.peer.writer.drain()
        raise Over
    return keeps


async def watched(client: Peer, pieces: AsyncIterator[bytes], is_read: bool) -> AsyncIterator[bytes]:
    """The pieces of a reply, until the client leaves."""
    gone = asyncio.ensure_future(client.until_gone()) if is_read else None
    following: asyncio.Future[bytes] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(pieces))
            await asyncio.wait({following} if gone is None else {following, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                raise Over
            try:
                yield following.result()
            except StopAsyncIteration:
                return
    finally:
        for task in (gone, following):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


# --- answers of our own ----------------------------------------------------------------------------


async def send_answer(
    peer: Peer, status: int, title: str, body: bytes, kind: bytes = b"application/json", error: bytes = b"refused"
) -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (ERROR, error)]
    await peer.write(
        Head(f"HTTP/1.1 {status} {title}".encode(), [*headers, (b"Connection", b"close")]).to_bytes() + body
    )


async def refuse_request(client: ClientConnection, asked: RelayRequest, status: int, title: str, message: str) -> None:
    _, provider, _, path = split_path(asked.path)
    await send_answer(client.peer, status, title, error_body(dialect_of(provider, path), message, "not_found"))
    raise Over


async def unreachable(client: ClientConnection, asked: RelayRequest, why: str) -> None:
    _, provider, _, path = split_path(asked.path)
    message = f"Engramma's relay: {provider} cannot be reached ({why})."
    body = error_body(dialect_of(provider, path), message, "upstream_unreachable")
    await send_answer(client.peer, 502, "Bad Gateway", body, error=b"upstream_unreachable")
    raise Over


async def broken(client: ClientConnection, asked: RelayRequest) -> bool:
    """The daemon ended under a body that was too long to be kept: only the program can send it again."""
    await unreachable(client, asked, "the daemon stopped during the request; send it again")
    return True
