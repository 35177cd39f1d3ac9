"""Serves the dashboard page and its assets, and handles login and logout."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, MutableMapping
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from ...config.version import __version__
from ...records.team import Who
from ..daemon.guard import WHO
from ..daemon.state import Daemon
from ..http.problems import RequestRefused
from ..http.response_models import JsonAnswer
from .handover import lay_page
from .visitors import IDLE_SECONDS, cookie_name, find_session_key, is_own_request

KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "md": "text/plain; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
# What answers before anybody has come in: the login page, and what it is made of.
OPEN = frozenset({"/", "/login", "/assets/login.js", "/assets/style.css", "/assets/icon.svg", "/favicon.ico"})


class Code(BaseModel):
    """A one-time code."""

    code: str = Field(min_length=1, max_length=200)


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """Every file of the page by its path, with its tag."""
    found: dict[str, tuple[bytes, str]] = {}
    folders = [("", resources.files("engramma.apps.dashboard").joinpath("assets"))]
    while folders:
        prefix, folder = folders.pop()
        for entry in folder.iterdir():
            if entry.is_dir():
                folders.append((f"{prefix}{entry.name}/", entry))
            elif entry.name.rpartition(".")[2] in KINDS:
                data = entry.read_bytes()
                found[prefix + entry.name] = data, f'"{hashlib.sha256(data).hexdigest()[:20]}"'
    return found


def file(request: Request, path: str) -> Response:
    """A file of the page. Browsers ask each time whether it changed: a new version must not meet an old page."""
    found = assets().get(path)
    if found is None:
        raise RequestRefused(404, "There is no such file.")
    data, tag = found
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers)
    return Response(data, 200, headers, KINDS[path.rpartition(".")[2]])


def pages(daemon: Daemon) -> APIRouter:
    """Paths of the page, at the root."""
    routes = APIRouter(include_in_schema=False)
    visitors = daemon.visitors

    @routes.get("/")
    def index(request: Request) -> Response:
        """The page, or the way to the login for those who have not come in."""
        if in_session(daemon)(request.scope) is None:
            return RedirectResponse("/login", 303, {"Cache-Control": "no-store"})
        return file(request, "index.html")

    @routes.get("/login")
    def login(request: Request) -> Response:
        return file(request, "login.html")

    @routes.get("/favicon.ico")
    def favicon(request: Request) -> Response:
        return file(request, "icon.svg")

    @routes.get("/assets/{path:path}")
    def asset(request: Request, path: str) -> Response:
        return file(request, path)

    @routes.post("/login")
    def enter(request: Request, given: Code) -> Response:
        """Exchange a one-time code for a cookie."""
        headers = request.scope["headers"]
        entered = visitors.enter(given.code) if is_own_request(headers) else None
        if entered is None:
            raise RequestRefused(403, "This link was already used or has expired. `engramma open` makes a new one.")
        key, _ = entered
        answer = JsonAnswer({"ok": True})
        answer.set_cookie(
            cookie_name(request.headers.get("host", "")),
            key,
            max_age=int(IDLE_SECONDS),
            httponly=True,
            secure=request.scope.get("scheme") == "https",
            samesite="strict",
            path="/",
        )
        return answer

    @routes.post("/logout")
    def leave(request: Request) -> Response:
        """End this browser's session."""
        if key := find_session_key(request.scope["headers"]):
            visitors.leave(key)
        answer = JsonAnswer({"ok": True})
        answer.delete_cookie(cookie_name(request.headers.get("host", "")), path="/", httponly=True, samesite="strict")
        return answer

    return routes


def door(daemon: Daemon) -> APIRouter:
    """Paths below /api/dashboard about coming in: for whoever has the token, and for whoever is in."""
    routes = APIRouter(include_in_schema=False)
    visitors = daemon.visitors

    @routes.post("/invite")
    def invite(request: Request, page: bool = False, namespace: str | None = None) -> JsonAnswer:
        """A one-time link, or a private file that leads there; only the token, never a session, gets one."""
        if visitors.known(find_session_key(request.scope["headers"])) is not None:
            raise RequestRefused(403, "A browser session cannot create login links. Use `engramma open`.")
        who: Who = request.scope[WHO]
        code = visitors.invite(who.token)
        link = link_with(daemon, code) + ("" if namespace is None else f"/{quote(namespace, safe='')}")
        if not page:
            return JsonAnswer({"url": link})
        if not who.is_owner:
            raise RequestRefused(403, "Only the store's owner can read its files.")
        path = lay_page(daemon.place.folder, link)
        visitors.lay(code, path)
        return JsonAnswer({"page": str(path)})

    @routes.delete("/visitors")
    def turn_out(request: Request) -> JsonAnswer:
        """End every session of every browser."""
        if not request.scope[WHO].is_owner:
            raise RequestRefused(403, "Only the store's owner can log others out.")
        return JsonAnswer({"ended": visitors.turn_out()})

    @routes.get("/session")
    def session(request: Request) -> JsonAnswer:
        """Who serves this page, and what its writing calls have to carry."""
        visitor = visitors.known(find_session_key(request.scope["headers"]))
        who: Who = request.scope[WHO]
        told: dict[str, Any] = {
            "csrf": None if visitor is None else visitor.csrf,
            "version": __version__,
            "namespace": daemon.namespace if who.is_owner else who.home,
            "read_only": daemon.read_only,
            "store": str(daemon.store) if who.is_owner else "",
            "user": who.name,
            "rights": None if who.rights is None else dict(who.rights),
        }
        return JsonAnswer(told)

    return routes


def in_session(daemon: Daemon) -> Callable[[MutableMapping[str, Any]], Who | None]:
    """Who a browser's request is from: of a user, only while the token they came in with is good."""

    def found(scope: MutableMapping[str, Any]) -> Who | None:
        visitor = daemon.visitors.admits(scope)
        return None if visitor is None else daemon.keys.of_session(visitor.token)

    return found


def link_to(daemon: Daemon) -> str:
    """A link that lets one browser in."""
    return link_with(daemon, daemon.visitors.invite())


def link_with(daemon: Daemon, code: str) -> str:
    """The code stands behind the #: browsers send that to nobody."""
    return f"{daemon.url}/login#{code}"
