"""Keeps browser sessions: one-time codes that a browser exchanges for a session, held only in memory."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any

CODE_SECONDS = 300.0  # from `engramma open` to the browser
IDLE_SECONDS = 12 * 3600.0  # a session that nobody used for so long is over
MOST_CODES = 32
MOST_VISITORS = 64
CSRF = b"x-engramma-csrf"
READING = ("GET", "HEAD")
OURS = ("/", "/logout")  # paths that a session opens beside those below
BELOW = ("/api/", "/assets/")

Scope = MutableMapping[str, Any]


@dataclass(slots=True)
class Visitor:
    """A browser that came in: what its writing calls have to carry, and when it was last seen."""

    csrf: str
    seen: float
    token: str | None = None  # id of the user's token it came in with; None: the owner's


@dataclass(slots=True)
class Invitation:
    """A code that waits for its browser: until when, whose, and the file that leads there."""

    until: float
    token: str | None
    page: Path | None = None


class Visitors:
    """Codes and sessions of one daemon; they end with it. Of both only hashes are kept."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._codes: dict[bytes, Invitation] = {}
        self._visitors: dict[bytes, Visitor] = {}

    def invite(self, token: str | None = None) -> str:
        """A code that lets one browser in, once, within five minutes: as the owner, or as the user of a token."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._tidy()
            while len(self._codes) >= MOST_CODES:
                self._drop(next(iter(self._codes)))
            self._codes[_hashed(code)] = Invitation(self._now() + CODE_SECONDS, token)
        return code

    def lay(self, code: str, page: Path) -> None:
        """Note the file that leads to a code: it goes when the code does."""
        with self._lock:
            if (found := self._codes.get(_hashed(code))) is not None:
                found.page = page
                return
        page.unlink(missing_ok=True)

    def enter(self, code: str) -> tuple[str, Visitor] | None:
        """Exchange a code for a session: its key, for the cookie. None if it was used, is too old or never was."""
        with self._lock:
            self._tidy()
            if (found := self._drop(_hashed(code))) is None:
                return None
            while len(self._visitors) >= MOST_VISITORS:
                del self._visitors[min(self._visitors, key=lambda one: self._visitors[one].seen)]
            key, visitor = secrets.token_urlsafe(32), Visitor(secrets.token_urlsafe(24), self._now(), found.token)
            self._visitors[_hashed(key)] = visitor
            return key, visitor

    def leave(self, key: str) -> None:
        with self._lock:
            self._visitors.pop(_hashed(key), None)

    def turn_out(self) -> int:
        """End every session and every code; returns how many sessions there were."""
        with self._lock:
            self._tidy()
            count = len(self._visitors)
            self._visitors.clear()
            for code in list(self._codes):
                self._drop(code)
            return count

    def tidy(self) -> None:
        """Let go of what is too old."""
        with self._lock:
            self._tidy()

    def known(self, key: str | None) -> Visitor | None:
        """The visitor of a session, who is thereby seen."""
        if not key:
            return None
        with self._lock:
            self._tidy()
            visitor = self._visitors.get(_hashed(key))
            if visitor is not None:
                visitor.seen = self._now()
            return visitor

    def admits(self, scope: Scope) -> Visitor | None:
        """Who passes by their cookie: only a request of our own page, and one that writes has to carry its token."""
        path = scope["path"]
        if path not in OURS and not path.startswith(BELOW):
            return None
        headers = scope["headers"]
        visitor = self.known(find_session_key(headers))
        if visitor is None or not is_own_request(headers):
            return None
        if scope["method"] in READING:
            return visitor
        given = _one(headers, CSRF)
        is_right = given is not None and hmac.compare_digest(given.encode(), visitor.csrf.encode())
        return visitor if is_right else None

    def _drop(self, code: bytes) -> Invitation | None:
        """Forget a code, and remove the file that leads to it."""
        found = self._codes.pop(code, None)
        if found is not None and found.page is not None:
            with suppress(OSError):
                found.page.unlink()
        return found

    def _tidy(self) -> None:
        now = self._now()
        for code in [code for code, one in self._codes.items() if one.until < now]:
            self._drop(code)
        for key in [key for key, one in self._visitors.items() if one.seen + IDLE_SECONDS < now]:
            del self._visitors[key]


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def cookie_name(host: str) -> str:
    """A name of the port's own: browsers share the cookies of a host between its ports."""
    port = host.rpartition(":")[2]
    return f"engramma_{port if port.isdigit() else 80}"


def find_session_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The session's key in a request's cookies."""
    headers = list(headers)
    name = cookie_name(_one(headers, b"host") or "")
    for value in _texts(headers, b"cookie"):
        try:
            found = SimpleCookie(value).get(name)
        except CookieError:
            continue
        if found is not None:
            return found.value
    return None


def is_own_request(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Does a request come from our own page, or from somebody who typed its address?

    A page on another port of this machine is of the same site, so its requests carry our cookie: they are told by
    what the browser says of their origin.
    """
    headers = list(headers)
    site, origin, host = _one(headers, b"sec-fetch-site"), _one(headers, b"origin"), _one(headers, b"host")
    if site is not None and site not in ("same-origin", "none"):
        return False
    return origin is None or origin.partition("://")[2] == host


def _texts(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _one(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The only value of a header; an empty one that fits nothing if there are several."""
    found = _texts(headers, name)
    return found[0] if len(found) == 1 else "" if found else None
