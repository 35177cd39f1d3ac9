"""One question to an embedding server and its answer as JSON, with errors that help."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import ModelError, RemoteFailed
from .environment import KEYS
from .http_client import CONNECT_SECONDS, Denied, GaveUp, Passing, Server, Unusable, attempted, is_local_server, retried

if TYPE_CHECKING:
    import httpx2

# Somebody waits for a recall or a note, and both can do without vectors for a while: a hurried question is given this
# long, and so much more for each text in it. Who embeds a whole store anew is in no hurry.
HURRIED_SECONDS, HURRIED_TEXT_SECONDS, HURRIED_CONNECT_SECONDS = 3.0, 2.0, 2.0
LARGEST_ANSWER = 32 << 20  # bytes; 32 rows of 4,096 numbers in JSON are 3 MB


_in_hurry: ContextVar[bool] = ContextVar("in_hurry", default=False)


@contextmanager
def hurried(wanted: bool = True) -> Iterator[None]:
    """Questions asked inside are given up after a few seconds."""
    before = _in_hurry.set(wanted)
    try:
        yield
    finally:
        _in_hurry.reset(before)


class NotThere(RemoteFailed):
    """The server has no such path or model."""


class ServerRefused(RemoteFailed):
    """The server is there, and does not take what it was given."""


def checked_base(base: str, offline: bool) -> str:
    """The address without a slash at its end, if it is one that may be asked."""
    try:
        parts = urlsplit(base)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise ModelError("the embedding server's address must look like http://host:port or https://host/v1")
    if parts.username or parts.password:
        raise ModelError(f"leave the credentials out of {host}'s address; set {KEYS[0]} instead")
    if offline and not is_local_server(host):
        raise RemoteFailed(
            f"{host} is not on this machine and ENGRAMMA_OFFLINE is set; unset it, or use a local embedder"
        )
    return base.rstrip("/")


def ask_server(client: httpx2.Client, server: Server, path: str, body: dict[str, Any] | None = None) -> Any:
    """The answer to a POST of the body, or to a GET where there is none."""
    url, limit = server.base + path, _limit(server, body)
    until = None if limit is None else time.monotonic() + limit
    connect = CONNECT_SECONDS if until is None else HURRIED_CONNECT_SECONDS

    def once() -> Any:
        try:
            return attempted(client, server, url, body, most=LARGEST_ANSWER, until=until, connect=connect)
        except Passing as failure:
            if failure.slow:  # a server this slow will be as slow again
                raise RemoteFailed(f"{url} gave {failure}; try a smaller model") from failure
            raise

    try:
        return retried(server, once, until)
    except GaveUp as error:
        raise RemoteFailed(f"{url} {error}; is the server running?") from error
    except Unusable as error:
        raise RemoteFailed(f"{url} {error}; is it an embedding server?") from error
    except Denied as error:
        raise _refusal(url, error) from error


def _limit(server: Server, body: dict[str, Any] | None) -> float | None:
    """Seconds for a hurried question with all its attempts; None: nobody is in a hurry."""
    if not _in_hurry.get():
        return None
    texts = len((body or {}).get("input", ())) or 1
    return min(server.timeout, HURRIED_SECONDS + HURRIED_TEXT_SECONDS * texts)


def _refusal(url: str, denied: Denied) -> RemoteFailed:
    if denied.status in (404, 405):
        return NotThere(f"{url} answered {denied}; check the model's name and the address")
    if denied.status in (401, 403):
        return RemoteFailed(f"{url} answered {denied}; check the key in {' or '.join(KEYS)}")
    return ServerRefused(f"{url} answered {denied}; check the address and the model's limits")
