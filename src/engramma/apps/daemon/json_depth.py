"""Refuses a request whose JSON nests too deeply, before a framework parses it at the interpreter's own limit."""

from __future__ import annotations

import asyncio
from collections import deque

from ...files import foreign_json
from .guard import UPLOAD, App, Message, Receive, Scope, Send, read_header_values, send_problem

DETAIL = f"The body's JSON nests deeper than {foreign_json.MAX_DEPTH} levels. Send a flatter one."
INCOMPLETE = "The body did not arrive completely. Send it again."


class Shallow:
    """An application that sees no JSON deeper than foreign_json.MAX_DEPTH."""

    def __init__(self, app: App, takes_only_json: bool = False) -> None:
        self._app = app
        self._takes_only_json = takes_only_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not (self._takes_only_json or _is_json(scope)):
            return await self._app(scope, receive, send)
        messages = await taken_in(receive)
        if messages[-1]["type"] != "http.request":  # the client left in the middle, or its body has no end
            return await send_problem(send, 400, "Bad request", INCOMPLETE)
        body = b"".join(message.get("body", b"") for message in messages)
        if foreign_json.may_be_deep(body) and await asyncio.to_thread(is_deep, body):
            return await send_problem(send, 400, "Bad request", DETAIL)
        del body
        waiting = deque(messages)

        async def again() -> Message:
            return waiting.popleft() if waiting else await receive()

        return await self._app(scope, again, send)


def _is_json(scope: Scope) -> bool:
    """Whether a request says that its body is JSON: nothing else is parsed as such. Uploads are kept as they are."""
    return scope["path"] != UPLOAD and any(
        "json" in value.lower() for value in read_header_values(scope["headers"], b"content-type")
    )


async def taken_in(receive: Receive) -> list[Message]:
    """The messages that bring a body, which the guard bounds, up to its end."""
    messages: list[Message] = []
    while True:
        messages.append(await receive())
        if messages[-1]["type"] != "http.request" or not messages[-1].get("more_body"):
            return messages


def is_deep(body: bytes) -> bool:
    try:
        foreign_json.loads(body)
    except foreign_json.TooDeep:
        return True
    except ValueError:
        return False  # who parses it for its sense says what is wrong
    return False
