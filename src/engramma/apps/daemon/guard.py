"""The daemon's access control: who may ask, from where, and how much. Plain ASGI, in front of every interface."""

from __future__ import annotations

import asyncio
import hmac
import json
import math
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any

from ...errors import EngrammaError
from ...records.team import THE_OWNER, Who
from .hosts import ANY, LOOPBACK, name_of_origin, normalize_host, parse_host_header
from .limits import Limits

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = tuple[int, str, str, int | None]  # status, title, what to do next, seconds until another try

OPEN = ("/health", "/proof")
PROXY = "/p/"  # a key in the path takes the token's place: clients there send the keys of their providers
MOST_BODY = 16 * 1024 * 1024
MOST_OPEN = 4 * 1024  # of a request that needs no token: a one-time code is the longest there is
UPLOAD = "/api/import"
MOST_UPLOAD = 16 * 1024**3
LONGEST_NUMBER = 20  # digits of a stated length; Python refuses to read very long ones
SWALLOWED, SWALLOW_SECONDS = 1024 * 1024, 2.0  # bytes of a refused request, and how long they are waited for
WHO = "engramma.who"  # where a request's scope says who asks
COUNTED = ("/api/", "/mcp")  # paths whose requests a user has only so many of


class Guard:
    """Checks Host, Origin, token and size before an application sees a request."""

    def __init__(
        self,
        app: App,
        token: str,
        hosts: Iterable[str] = (),
        admits: Callable[[Scope], Who | None] = lambda _: None,  # by something else than a token: a browser's session
        open_paths: Iterable[str] = (),
        knows: Callable[[str], Who | None] = lambda _: None,  # whose token, other than the owner's
        limits: Limits | None = None,
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._admits = admits
        self._knows = knows
        self._limits = limits or Limits()
        self._open = frozenset((*OPEN, *open_paths))
        self._hosts = frozenset((*LOOPBACK, *(normalize_host(host) for host in hosts))) - frozenset(ANY)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] == "websocket":  # none of ours; the proxy tells its clients what to do instead
            if scope["path"].startswith(PROXY) and self._refusal(scope) is None:
                return await self._app(scope, receive, send)
            return await send({"type": "websocket.close", "code": 1008})
        refused = self._refusal(scope)
        if refused is not None:
            await swallow(receive)
            return await send_problem(send, *refused)
        if scope["path"].startswith(PROXY):
            return await self._app(scope, receive, send)
        if scope["path"] not in self._open and (refused := await self._let_in(scope)) is not None:
            await swallow(receive)
            return await send_problem(send, *refused)
        body = Limited(receive, send, self._most(scope["path"]))
        return await self._app(scope, body.receive, body.send)

    async def _let_in(self, scope: Scope) -> Refusal | None:
        """Note in the scope who asks; or why they may not."""
        scope.pop(WHO, None)
        given = tokens_in(scope["headers"])
        if any(hmac.compare_digest(one.encode("utf-8", "replace"), self._token) for one in given):
            scope[WHO] = THE_OWNER
            return None
        try:
            who = await asyncio.to_thread(self._found, given, scope)
        except (EngrammaError, OSError):
            return 503, "Service unavailable", "The token cannot be checked right now. Try again later.", 5
        if who is None:
            detail = "Send the token in the store's daemon/token file, or your own, as `Authorization: Bearer …`."
            return 401, "Unauthorized", detail, None
        if not who.is_owner and scope["path"].startswith(COUNTED) and (seconds := self._limits.wait(who.name)):
            return 429, "Too many requests", f"{who.name} sent too many requests. Try again later.", math.ceil(seconds)
        scope[WHO] = who
        return None

    def _found(self, given: Iterable[str], scope: Scope) -> Who | None:
        """Of a user's token or a browser's session. Looks into the database, so it runs in a thread."""
        for token in given:
            if (who := self._knows(token)) is not None:
                return who
        return self._admits(scope)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers, path = scope["headers"], scope["path"]
        hosts = read_header_values(headers, b"host")
        if len(hosts) != 1 or parse_host_header(hosts[0]) not in self._hosts:
            return 421, "Wrong host", "This daemon answers to 127.0.0.1 and localhost only (see allow_hosts).", None
        if not path.startswith("/"):  # a whole URL, or a host for CONNECT, may name somebody else than Host does
            return 421, "Wrong target", "Send only the path, such as /health: this daemon is not a forward proxy.", None
        if path.startswith(PROXY):
            return None
        for origin in read_header_values(headers, b"origin"):
            if name_of_origin(origin) not in self._hosts:
                return 403, "Foreign origin", "Pages from other sites may not access a memory.", None
        length, most = read_header_values(headers, b"content-length"), self._most(path)
        if length and length[0].isdecimal() and (len(length[0]) > LONGEST_NUMBER or int(length[0]) > most):
            return 413, "Content too large", f"A request may have at most {most:,} bytes.", None
        return None

    def _most(self, path: str) -> int:
        return MOST_OPEN if path in self._open else MOST_UPLOAD if path == UPLOAD else MOST_BODY


class Limited:
    """A request whose body ends where it goes over the limit, and is then answered with 413 whatever is said."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive = receive
        self._send = send
        self._most = most
        self._seen = 0
        self._begun = self._refused = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._seen += len(message.get("body", b""))
            if self._seen > self._most:
                return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        if self._seen > self._most and not self._begun:
            if not self._refused:
                self._refused = True
                await send_problem(
                    self._send, 413, "Content too large", f"A request may have at most {self._most:,} bytes."
                )
            return
        self._begun = True
        await self._send(message)


def tokens_in(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """The tokens that a request brings."""
    headers = list(headers)
    given = read_header_values(headers, b"x-engramma-token")
    for value in read_header_values(headers, b"authorization"):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == "bearer":
            given.append(token.strip())
    return given


def read_header_values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


async def swallow(receive: Receive) -> None:
    """Take in the body of a request that is refused, if it is not long: who still sends may lose the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SWALLOW_SECONDS):
            seen = 0
            while seen <= SWALLOWED:
                message = await receive()
                seen += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return


async def send_problem(send: Send, status: int, title: str, detail: str, again: int | None = None) -> None:
    """An answer in the shape of all errors: problem+json."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail}).encode()
    headers = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="engramma"'))
    if again is not None:
        headers.append((b"retry-after", str(again).encode()))
    headers.append((b"connection", b"close"))  # a body that nobody read may still be on its way
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
