"""The proxy as an ASGI app: who may pass, where to, and whether a copy is kept."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from typing import Any

from ...errors import EngrammaError
from ...records.team import THE_OWNER, Who
from ...store.namespace_queries import check_namespace
from ..daemon.folder import inject_key, is_paused, proxy_key, relay_key, relay_proof
from ..daemon.guard import WHO, read_header_values
from ..daemon.state import Daemon
from .exchange import Exchange, api_of
from .inject import Injector
from .relay import Call, relay
from .rules import ERROR, HELLO, NO_SOCKET, NOTHING, dialect_of, error_body, split_path
from .upstream import Upstream, upstream_at

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger(__name__)


class Proxy:
    """Passes requests on to the providers, and hands a copy of each exchange to the daemon's scribe."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.counts: Counter[str] = Counter()  # relayed, offered, and why others were not: for `status`
        self.key = proxy_key(daemon.token).encode()
        self.inject_key = inject_key(daemon.token).encode()
        self.upstreams: dict[str, Upstream] = {}
        self.injector = Injector(daemon.memories) if daemon.inject else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await refuse_socket(scope, receive, send)
        elif scope["type"] == "http":
            await self.pass_on(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self.live(receive, send)

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        key, provider, namespace, path = parts_of(scope)
        if key == HELLO:
            await _answer(
                send, 200, relay_proof(relay_key(self.daemon.token), provider, self.daemon.port), b"text/plain"
            )
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        own = headers.get(b"x-engramma-namespace", b"").decode("latin-1") or namespace
        who = await self.who_has(key)
        into = own or (who.home if who and not who.is_owner else self.daemon.namespace)
        # one answer to all: it does not tell whether the key is wrong, or which namespaces there are
        if who is None or into is None or not who.may("write", into) or provider not in self.daemon.upstreams:
            await _answer(send, 404, error_body(dialect_of(provider, path), NOTHING, "not_found"))
            return
        scope[WHO] = who  # let in: from here on the connection is waited for
        if headers.get(b"upgrade", b"").lower() == b"websocket":
            await _answer(send, 426, NO_SOCKET.encode(), b"text/plain")
            return
        if provider not in self.upstreams:
            self.upstreams[provider] = upstream_at(provider, self.daemon.upstreams[provider])
        call = Call(
            self.upstreams[provider],
            provider,
            into,
            path,
            api_of(scope["method"], path) if self.daemon.settings.capture else None,
            self.unwanted(headers),
            who.name,
        )
        self.counts["relayed"] += 1
        injector = self.injector if self.injector and await self.may_read(key, scope["headers"], into) else None
        await relay(call, scope, receive, send, self.offer, self.counts, injector)

    async def who_has(self, key: bytes) -> Who | None:
        """Whose key this is. The owner's is compared first and always whole: time does not tell how much is right."""
        if hmac.compare_digest(key, self.key) | hmac.compare_digest(key, self.inject_key):
            return THE_OWNER
        try:
            return await asyncio.to_thread(self.daemon.keys.of_proxy, key.decode("latin-1"))
        except (EngrammaError, OSError):
            return None

    async def may_read(self, key: bytes, headers: list[tuple[bytes, bytes]], namespace: str) -> bool:
        """Whether memory may go into a request: by the key for it, or by a token beside a key that only captures."""
        if hmac.compare_digest(key, self.inject_key):
            return True
        for token in read_header_values(headers, b"x-engramma-token"):
            if hmac.compare_digest(token.encode(), self.daemon.token.encode()):
                return True
            try:
                who = await asyncio.to_thread(self.daemon.keys.of_token, token)
            except (EngrammaError, OSError):
                return False
            if who is not None:
                return who.may("read", namespace)
        return False

    def unwanted(self, headers: dict[bytes, bytes]) -> bool:
        """Whether the client or the user said that it is not to be kept."""
        if headers.get(b"x-engramma-capture", b"").strip().lower() in (b"off", b"false", b"no", b"0"):
            self.counts["opted_out"] += 1
            return True
        if is_paused(self.daemon.place):
            self.counts["paused"] += 1
            return True
        return False

    def offer(self, exchange: Exchange) -> None:
        """Hand a copy over. Whatever goes wrong, the reply has gone out already."""
        try:
            if not exchange.unsaid and is_paused(self.daemon.place):
                self.counts["paused"] += 1
                exchange = replace(exchange, unsaid=True)
            check_namespace(exchange.namespace)
            taken = self.daemon.scribe.offer(exchange.to_bytes())
        except Exception as error:
            self.counts["failed"] += 1
            log.warning("an exchange was not captured: %s", type(error).__name__)  # a message might quote it
            return
        self.counts["dropped" if not taken else "unsaid" if exchange.unsaid else "offered"] += 1

    async def aclose(self) -> None:
        """Let go of the connections."""
        for upstream in self.upstreams.values():
            await upstream.pool.aclose()
            await upstream.network.aclose()

    async def live(self, receive: Receive, send: Send) -> None:
        """From the server's start to its end, where it serves nothing else."""
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await self.aclose()
        await send({"type": "lifespan.shutdown.complete"})


def parts_of(scope: Scope) -> tuple[bytes, str, str, bytes]:
    """(key, provider, namespace, path for the provider) of a request."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8")
    return split_path(raw.removeprefix(scope.get("root_path", "").encode("utf-8")))


async def _answer(send: Send, status: int, body: bytes, kind: bytes = b"application/json", error: bytes = b"") -> None:
    """An answer of our own, marked as such."""
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (ERROR, error or b"refused")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """426 makes a client that tried a WebSocket first (Codex) go on with plain HTTP at once."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        headers = [(b"content-type", b"text/plain")]
        await send({"type": "websocket.http.response.start", "status": 426, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": NO_SOCKET.encode()})
    else:
        await send({"type": "websocket.close", "code": 1008})
