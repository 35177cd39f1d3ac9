"""Forwards one request and returns its reply, chunk by chunk, keeping a copy."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass

import httpcore2 as http

from ...records.team import OWNER
from .body import ClientLeft, Receive, ReplayableBody, Scope, Send
from .exchange import KEPT_OF_REPLY, KEPT_OF_REQUEST, Api, Copy, Exchange, kept_headers
from .inject import Injector
from .network import connections
from .rules import ERROR, Headers, dialect_of, error_body, incoming, outgoing
from .upstream import Upstream

HIGHEST_STATUS = 599  # HTTP knows none above, and our server has no words for one


@dataclass(frozen=True, slots=True)
class Call:
    """Where a request goes, and which API it uses if a copy should be kept."""

    upstream: Upstream
    provider: str
    namespace: str
    path: bytes
    api: Api | None
    unsaid: bool = False
    who: str = OWNER


async def relay(
    call: Call,
    scope: Scope,
    receive: Receive,
    send: Send,
    offer: Callable[[Exchange], None],
    counts: Counter[str],
    injector: Injector | None = None,
) -> None:
    """One exchange, from the first byte of the request to the last of the reply."""
    began = time.time()
    body = ReplayableBody(receive, copied=call.api is not None)
    headers = outgoing(scope["headers"], call.upstream.authority)
    query: bytes = scope.get("query_string", b"")
    target = (call.upstream.path + call.path or b"/") + (b"?" + query if query else b"")
    has_body = any(name in (b"content-length", b"transfer-encoding") for name, _ in headers)
    task = asyncio.current_task()
    assert task is not None
    if not has_body:
        body.ended.set()
    reply = Copy()
    response: http.Response | None = None
    started = complete = left = over = False
    # from now on: a provider may think for minutes, or for ever, about a reply that nobody waits for
    watch = asyncio.ensure_future(body.client_gone())
    watch.add_done_callback(lambda done: None if done.cancelled() or complete or over else task.cancel())
    try:
        sent: AsyncIterator[bytes] = body.chunks()
        if injector is not None and call.api is not None:
            sent, headers = await injector.injected(call.api, call.namespace, body, headers, scope["headers"])
        response = await _asked(
            call.upstream, scope["method"].encode(), target, headers, sent if has_body else None, body
        )
        if response.status > HIGHEST_STATUS:
            raise http.RemoteProtocolError(f"it answered with the status {response.status}")
        start = {"type": "http.response.start", "status": response.status, "headers": incoming(response.headers)}
        await send(start)
        started = True
        keep = reply.add if call.api is not None and 200 <= response.status < 300 else None
        assert isinstance(response.stream, AsyncIterable)
        async for chunk in response.stream:
            if keep is not None:
                keep(chunk)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        complete = True
        await send({"type": "http.response.body", "body": b""})
    except ClientLeft:
        left = True
    except asyncio.CancelledError:
        if not watch.done() or watch.cancelled():
            raise
        task.uncancel()
        left = True
    except (http.NetworkError, http.TimeoutException, http.ProtocolError, http.ProxyError, OSError) as error:
        if not started:
            await _unreachable(call, send, error)
        # else: the reply breaks off for the client as it did for us; the server closes what was left unfinished
    finally:
        over = True
        watch.cancel()
        if response is not None:
            await response.aclose()
    counts["left"] += left
    counts["broke_off"] += started and not complete and not left
    if call.api is None or response is None or not 200 <= response.status < 300:
        return
    if body.copy.overflown or reply.overflown:
        counts["too_large"] += 1
        return
    offer(
        Exchange(
            call.api,
            call.provider,
            call.namespace,
            response.status,
            began,
            time.time(),
            complete,
            kept_headers(scope["headers"], KEPT_OF_REQUEST),
            kept_headers(response.headers, KEPT_OF_REPLY),
            body.copy.whole(),
            reply.whole(),
            call.unsaid,
            call.who,
        )
    )


async def _asked(
    upstream: Upstream,
    method: bytes,
    target: bytes,
    headers: Headers,
    sent: AsyncIterator[bytes] | None,
    body: ReplayableBody,
) -> http.Response:
    """The provider's reply up to its headers.

    A connection that rested may have been closed from the other side just when the request went out. Then, and only
    then, it is sent once more: whoever connects for each request would not have met this.
    """
    made: list[str] = []
    connections.set(made)
    try:
        return await upstream.pool.handle_async_request(upstream.request(method, target, headers, sent))
    except (http.ReadError, http.WriteError, http.RemoteProtocolError):
        if made or not (sent is None or body.repeatable):
            raise
    again = None if sent is None else body.chunks()
    return await upstream.pool.handle_async_request(upstream.request(method, target, headers, again))


async def _unreachable(call: Call, send: Send, error: Exception) -> None:
    """Says that there was no reply to pass on, in the shape that the client's SDK expects."""
    never = isinstance(error, http.ConnectError | http.ConnectTimeout | http.ProxyError | OSError)
    what = "cannot be reached" if never else "closed the connection without an answer"
    address = f"{call.upstream.scheme.decode()}://{call.upstream.authority.decode()}"
    message = f"Engramma's proxy: {call.provider} at {address} {what} ({error or type(error).__name__})."
    code = "upstream_unreachable" if never else "upstream_broke_off"
    body = error_body(dialect_of(call.provider, call.path), message, code)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (ERROR, code.encode()),
    ]
    await send({"type": "http.response.start", "status": 502, "headers": headers})
    await send({"type": "http.response.body", "body": body})
