"""Plain asyncio streams under the HTTP client: no layer between a chunk and its reader."""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

import httpcore2 as http
from httpcore2 import SOCKET_OPTION, AsyncNetworkBackend, AsyncNetworkStream

# How often this request had to connect: 0 means that it went out on a connection that had rested.
connections: ContextVar[list[str] | None] = ContextVar("connections", default=None)


class Stream(AsyncNetworkStream):
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come, or what comes next; there is no limit on a model's silence."""
        try:
            return await self._reader.read(max_bytes)
        except (OSError, ssl.SSLError) as error:
            raise http.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer:
            try:
                self._writer.write(buffer)
                await self._writer.drain()
            except (OSError, ssl.SSLError) as error:
                raise http.WriteError(str(error)) from error

    async def aclose(self) -> None:
        self._writer.close()  # not waited for: a reply must not wait for a good-bye

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except TimeoutError as error:
            raise http.ConnectTimeout("the encrypted connection took too long") from error
        except (OSError, ssl.SSLError) as error:
            raise http.ConnectError(str(error)) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # of a connection that rests: it was closed from the other side
            return self._reader.at_eof() or _readable(self._writer.get_extra_info("socket"))
        return self._writer.get_extra_info(info)


class Network(AsyncNetworkBackend):
    """Connects with asyncio."""

    def __init__(self) -> None:
        self._writers: WeakSet[asyncio.StreamWriter] = WeakSet()

    async def aclose(self) -> None:
        """End what is still open, and wait until it has ended: the loop may end next."""
        for writer in list(self._writers):
            writer.close()
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(1):
                    await writer.wait_closed()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        if (made := connections.get()) is not None:
            made.append(host)
        try:
            async with asyncio.timeout(timeout):
                reader, writer = await asyncio.open_connection(host, port, limit=2**18)
        except TimeoutError as error:
            raise http.ConnectTimeout(f"no connection to {host}:{port} within {timeout:g} s") from error
        except OSError as error:
            raise http.ConnectError(str(error)) from error
        self._writers.add(writer)
        return Stream(reader, writer)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _readable(connected: socket.socket | None) -> bool:
    """Whether there is something to read, which on a connection that rests can only be its end."""
    if connected is None or connected.fileno() < 0:
        return True
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(connected.fileno(), select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([connected], [], [], 0)[0])
