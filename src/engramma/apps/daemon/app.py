"""The daemon's application: every interface on one port, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Query

from ...config.version import __version__
from ..dashboard.headers import secured
from ..dashboard.pages import OPEN, door, in_session, pages
from ..dashboard.view_data import data
from ..http import install, router
from ..http.problems import PROBLEM
from ..http.request import Face
from ..proxy import proxy_app
from .guard import PROXY, App, Guard, Receive, Scope, Send
from .late_mcp import LateMcp
from .limits import Limits
from .proof import PATH, proof
from .state import Daemon
from .status import capture_router


def build_app(daemon: Daemon) -> App:
    """The HTTP API under /api, MCP at /mcp, the proxy under /p, health at /health, the dashboard at /."""
    mcp, proxy = LateMcp(daemon), proxy_app(daemon)
    daemon.relayed = proxy.counts

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(mcp.running())
            stack.push_async_callback(proxy.aclose)
            yield

    app = FastAPI(
        title="Engramma",
        version=__version__,
        summary="A private, local-first memory for AI assistants.",
        lifespan=lifespan,
        docs_url=None,  # its page would load scripts from other machines
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    install(app)

    @app.get("/health", tags=["daemon"], operation_id="health")
    async def health() -> dict[str, Any]:  # in the loop: it answers while every thread is at work
        """Is it there? Answers without a token, and says nothing else."""
        return {"status": "ok", "version": __version__}

    @app.get(PATH, tags=["daemon"], operation_id="proof", responses={"default": PROBLEM})
    async def prove(nonce: Annotated[str, Query(pattern="^[0-9a-f]{32,128}$")]) -> dict[str, str]:
        """Prove to have the token to a client that is about to send it: a keyed hash of its number and our port."""
        return {"proof": proof(daemon.token, nonce, daemon.port)}

    face = Face(daemon)
    app.include_router(router(face), prefix="/api")
    app.include_router(capture_router(daemon), prefix="/api", responses={"default": PROBLEM})

    app.include_router(door(daemon), prefix="/api/dashboard")
    app.include_router(data(face), prefix="/api/dashboard")
    app.include_router(pages(daemon))
    browsed = secured(app)

    async def faces(scope: Scope, receive: Receive, send: Send) -> None:
        """The face that a path belongs to; what passes the proxy passes through nothing else."""
        path = scope.get("path", "")
        if path.startswith(PROXY):
            await proxy(scope, receive, send)
        elif path.rstrip("/") == "/mcp":
            await mcp(scope, receive, send)
        else:
            await browsed(scope, receive, send)

    hosts = (*daemon.settings.allow_hosts, daemon.settings.host)
    limits = Limits(daemon.settings.user_rate, daemon.settings.user_burst)
    return Guard(faces, daemon.token, hosts, in_session(daemon), OPEN, daemon.keys.of_token, limits)
