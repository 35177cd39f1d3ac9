"""MCP in the daemon: its library takes as long to import as all the rest, so the first request for it does that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from .guard import App, Receive, Scope, Send

if TYPE_CHECKING:
    from .state import Daemon


class LateMcp:
    """The endpoint of MCP. Requests that come while its library is imported wait for it; all others are answered."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._asked.set()
        app = await asyncio.shield(self._app)  # a client that goes away does not end it for the others
        await app(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """What the daemon's lifespan has to enter."""
        self._asked = asyncio.Event()
        self._app: asyncio.Future[App] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(self._serve())
        try:
            yield
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving

    async def _serve(self) -> None:
        """In a task of its own: what the library begins has to be ended where it began."""
        await self._asked.wait()
        try:
            app, running = await asyncio.to_thread(import_app, self._daemon)
            async with running():
                self._app.set_result(app)
                await asyncio.get_running_loop().create_future()
        except Exception as error:
            if self._app.done():
                raise
            self._app.set_exception(error)  # those who asked are told, here and later


def import_app(daemon: Daemon) -> tuple[App, Callable[[], AbstractAsyncContextManager[None]]]:
    """The endpoint, and what has to be entered as long as it is used."""
    from ..mcp import http_app

    return http_app(daemon)
