"""Errors as RFC 9457 problem+json: what is wrong, and what to do next. Nothing that was said goes into a log."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ...errors import (
    AddressNotConfirmed,
    EmbedderMismatch,
    EngrammaError,
    ModelError,
    SessionClosed,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreNotFound,
    StoreNotWritable,
)
from ..daemon.json_depth import Shallow
from ..daemon.logfile import locate_error

MOST_ERRORS = 20  # of a request, listed
LONGEST = 2_000  # characters of a detail
RETRY_SECONDS = "5"

logger = logging.getLogger("engramma.http")

# The first that fits; everything else that is raised on purpose is the caller's mistake.
KINDS: tuple[tuple[type[EngrammaError], int, str], ...] = (
    (StoreNotFound, 404, "Not found"),
    (StoreFull, 507, "The disk is full"),
    (StoreNotWritable, 507, "The memory cannot be written"),
    (StoreBusy, 503, "The memory is busy"),
    (StoreError, 503, "The memory cannot be used"),
    (EmbedderMismatch, 409, "Another model"),
    (AddressNotConfirmed, 409, "An address is not confirmed"),
    (ModelError, 503, "The model cannot be used"),
    (SessionClosed, 409, "The session is closed"),
    (EngrammaError, 400, "Bad request"),
)

TITLES = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Content too large",
    422: "Invalid request",
    429: "Too many requests",
    503: "Service unavailable",
}

SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "What went wrong (RFC 9457); `detail` says what to do next.",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "examples": ["about:blank"]},
        "title": {"type": "string", "examples": ["Not found"]},
        "status": {"type": "integer", "examples": [404]},
        "detail": {"type": "string", "examples": ["There is no note 'note_0'. GET /api/notes lists them."]},
        "errors": {
            "description": "Each value that was not accepted, and why.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["where", "message"],
                "properties": {
                    "where": {"type": "string", "examples": ["body.turns.0.text"]},
                    "message": {"type": "string", "examples": ["String should have at least 1 character"]},
                },
            },
        },
    },
}
PROBLEM = {"description": "A problem", "content": {"application/problem+json": {"schema": SCHEMA}}}


class RequestRefused(Exception):
    """An answer that is an error, made by a handler."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers


def _problem(
    status: int,
    title: str,
    detail: str,
    *,
    errors: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body: dict[str, Any] = {"type": "about:blank", "title": title, "status": status, "detail": detail[:LONGEST]}
    if errors is not None:
        body["errors"] = errors
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(data, status, dict(headers or {}), "application/problem+json")


def of_error(error: EngrammaError) -> Response:
    """An error that Engramma raises on purpose; its message says what to do next."""
    status, title = next((status, title) for kind, status, title in KINDS if isinstance(error, kind))
    headers = {"Retry-After": RETRY_SECONDS} if status == 503 else None
    return _problem(status, title, str(error), headers=headers)


def install(app: FastAPI) -> None:
    """Let an application answer every error with problem+json."""

    @app.exception_handler(RequestRefused)
    async def refused(request: Request, error: RequestRefused) -> Response:
        return _problem(error.status, TITLES.get(error.status, "Refused"), error.detail, headers=error.headers)

    @app.exception_handler(EngrammaError)
    async def on_purpose(request: Request, error: EngrammaError) -> Response:
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        listed = [
            {"where": ".".join(map(str, one["loc"]))[:200], "message": str(one["msg"])[:300]}
            for one in error.errors()[:MOST_ERRORS]
        ]
        first = f"{listed[0]['where']}: {listed[0]['message']}. " if listed else ""
        return _problem(422, TITLES[422], f"{first}/api/openapi.json describes the allowed values.", errors=listed)

    @app.exception_handler(HTTPException)
    async def standard(request: Request, error: HTTPException) -> Response:
        details = {
            400: "The body cannot be read as JSON. Send UTF-8 JSON that is not nested too deep.",
            404: "There is nothing at this path. /api/openapi.json lists all paths.",
            405: "This path does not support the method. /api/openapi.json lists those it supports.",
        }
        detail = details.get(error.status_code, str(error.detail))
        return _problem(error.status_code, TITLES.get(error.status_code, "Refused"), detail, headers=error.headers)

    app.add_middleware(Shallow)
    app.add_middleware(Unexpected)


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Unexpected:
    """Answers what nobody foresaw with a bare 500, and logs where it happened without what it was about."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        begun = False

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            logger.error("%s %s failed: %s", scope["method"], route_of(scope), locate_error(error))
            if begun:
                raise BrokenAnswer from None  # the connection has to break: half an answer must not look whole
            detail = "Internal error. See the daemon's log for details, and please report it."
            await _problem(500, "Internal error", detail)(scope, receive, send)
        return None


class BrokenAnswer(Exception):
    """An answer ended half way; the log says where."""


def route_of(scope: Scope) -> str:
    """The route's pattern: the path itself may name what was talked about."""
    return str(getattr(scope.get("route"), "path", "a path"))
