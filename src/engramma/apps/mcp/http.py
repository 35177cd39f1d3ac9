"""The MCP server over HTTP, for the daemon to mount: serves stateful and stateless clients."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from mcp.server.transport_security import TransportSecuritySettings

from ...records.team import Who
from ..daemon.guard import WHO
from ..daemon.hosts import ANY, normalize_host
from ..daemon.json_depth import Shallow
from .serve import server
from .tool_context import asked_namespace, asking

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

    from ..daemon.state import Daemon

MOST_BODY = 16 * 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SCHEMES = ("http", "https")
HEADER = b"x-engramma-namespace"
NOBODY = Who("nobody", {})  # where no guard stands before: whoever it is may read nothing


class McpApp:
    """One endpoint; it hands each request to the SDK with the namespace that the request names."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._handle = Shallow(manager.handle_request, takes_only_json=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        named, who = asked_namespace.set(namespace_in(scope)), asking.set(scope.get(WHO, NOBODY))
        try:
            await self._handle(scope, receive, send)
        finally:
            asking.reset(who)
            asked_namespace.reset(named)


def http_app(daemon: Daemon) -> tuple[McpApp, Callable[[], AbstractAsyncContextManager[None]]]:
    """(an ASGI app for the daemon to mount, what its lifespan has to enter).

    The SDK refuses a foreign Host (421) and Origin (403); the daemon's guard asks for the token before. A client
    names another namespace by `?namespace=` or the header X-Engramma-Namespace. No path is read for a client here.
    """
    made = server(daemon.memories, daemon.namespace, read_only=daemon.read_only)
    named = {normalize_host(host) for host in (*daemon.settings.allow_hosts, daemon.settings.host)} - {*ANY}
    hosts = (*LOOPBACK, *sorted(f"[{host}]" if ":" in host else host for host in named))
    made.streamable_http_app(  # makes the manager
        stateless_http=True,
        json_response=True,
        max_request_body_size=MOST_BODY,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[pattern for host in hosts for pattern in (host, f"{host}:*")],
            allowed_origins=[f"{scheme}://{host}{port}" for scheme in SCHEMES for host in hosts for port in ("", ":*")],
        ),
    )
    return McpApp(made.session_manager), made.session_manager.run


def namespace_in(scope: Any) -> str | None:
    """The namespace that a request names."""
    for name, value in scope.get("headers", ()):
        if name.lower() == HEADER:
            return str(value.decode("latin-1")).strip() or None
    named = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("namespace")
    return named[0] if named else None
