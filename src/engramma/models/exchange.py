"""One question to an embedding server and its answer as JSON, with retries, bounds and errors that help."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import ModelError, RemoteFailed
from ..files import foreign_json
from ..files.unpack import CannotUnpack, unpacked
from .environment import KEYS

if TYPE_CHECKING:
    import httpx2

WAITS = (0.25, 0.5, 1.0)  # seconds before each further attempt, unless the server asks for another time
LONGEST_WAIT = 30.0  # of what a server may ask for
CONNECT_SECONDS = 5.0
READ_SECONDS = 120.0  # a local server may have to load its model first
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


class Refused(RemoteFailed):
    """The server is there, and does not take what it was given."""


class _Passing(Exception):
    """A failure that may be over on the next attempt."""

    def __init__(self, reason: str, wait: float | None = None, reached: bool = True) -> None:
        super().__init__(reason)
        self.wait = wait
        self.reached = reached  # whether there was a server at all


@dataclass(frozen=True, slots=True)
class Server:
    """Where the questions go, and how patiently. The key never shows in a repr or a message."""

    base: str
    key: str | None = field(default=None, repr=False)
    timeout: float = READ_SECONDS
    sleep: Callable[[float], None] = time.sleep

    def clean(self, text: str) -> str:
        """What a server or a library said, short and without the key."""
        line = " ".join(text.split())
        return (line.replace(self.key, "***") if self.key else line)[:300]


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
    if offline and not is_loopback(host):
        raise RemoteFailed(
            f"{host} is not on this machine and ENGRAMMA_OFFLINE is set; unset it, or use a local embedder"
        )
    return base.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether the name or number is this machine's own; other names would have to be asked for elsewhere."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_client(server: Server, tls: Any) -> httpx2.Client:
    """A client for some questions in a row; `tls` is made once, since that takes longer than a question."""
    import httpx2

    headers = {"Authorization": f"Bearer {server.key}"} if server.key else {}
    local = is_loopback(urlsplit(server.base).hostname or "")
    return httpx2.Client(
        headers=headers,
        verify=tls,
        timeout=httpx2.Timeout(server.timeout, connect=min(CONNECT_SECONDS, server.timeout)),
        trust_env=not local,  # a proxy is for other machines, and offline means that nothing leaves this one
    )


def ask(client: httpx2.Client, server: Server, path: str, body: dict[str, Any] | None = None) -> Any:
    """The answer to a POST of the body, or to a GET where there is none."""
    limit = _limit(server, body)
    until = None if limit is None else time.monotonic() + limit
    for tries, wait in enumerate((*WAITS, None), 1):
        try:
            return _attempt(client, server, server.base + path, body, until)
        except _Passing as failure:
            pause = None if wait is None else wait if failure.wait is None else min(failure.wait, LONGEST_WAIT)
            if pause is None or (until is not None and (not failure.reached or time.monotonic() + pause >= until)):
                times = f"{server.base}{path} failed {'once' if tries == 1 else f'{tries} times'}"
                raise RemoteFailed(f"{times}, last: {failure}; is the server running?") from failure
            server.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def _limit(server: Server, body: dict[str, Any] | None) -> float | None:
    """Seconds for a hurried question with all its attempts; None: nobody is in a hurry."""
    if not _in_hurry.get():
        return None
    texts = len((body or {}).get("input", ())) or 1
    return min(server.timeout, HURRIED_SECONDS + HURRIED_TEXT_SECONDS * texts)


def _attempt(
    client: httpx2.Client, server: Server, url: str, body: dict[str, Any] | None, until: float | None = None
) -> Any:
    import httpx2

    left = server.timeout if until is None else max(0.1, until - time.monotonic())
    connect = min(CONNECT_SECONDS if until is None else HURRIED_CONNECT_SECONDS, left)
    patience = httpx2.Timeout(left, connect=connect)
    try:
        with client.stream("GET" if body is None else "POST", url, json=body, timeout=patience) as answer:
            content = _read(answer, url, left, until)
            status, after = answer.status_code, answer.headers.get("retry-after", "")
    except httpx2.ReadTimeout as error:  # a server this slow will be as slow again
        raise RemoteFailed(f"{url} gave no answer within {left:.3g} s; try a smaller model") from error
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise _Passing(server.clean(f"{type(error).__name__} {error}"), reached=False) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise _Passing(server.clean(f"{type(error).__name__} {error}")) from error
    if status != 200:
        raise _refusal(url, status, f"{status} {_said(server, content)}", after)
    try:
        return foreign_json.loads(content)
    except ValueError as error:
        raise RemoteFailed(f"{url} did not answer in JSON; is it an embedding server?") from error


def _refusal(url: str, status: int, said: str, after: str) -> Exception:
    if status == 429 or status >= 500:
        return _Passing(said, float(after) if after.isdecimal() else None)
    if status in (404, 405):
        return NotThere(f"{url} answered {said}; check the model's name and the address")
    if status in (401, 403):
        return RemoteFailed(f"{url} answered {said}; check the key in {' or '.join(KEYS)}")
    return Refused(f"{url} answered {said}; check the address and the model's limits")


def _read(answer: httpx2.Response, url: str, left: float, until: float | None) -> bytes:
    content = bytearray()
    for block in answer.iter_raw():  # unpacked here, in bounded steps: the library would unpack any bomb
        content += block
        if until is not None and time.monotonic() > until:  # one that drips would never run into a read's limit
            raise RemoteFailed(f"{url} gave no whole answer within {left:.3g} s; try a smaller model")
        if len(content) > LARGEST_ANSWER:
            most = f"{LARGEST_ANSWER >> 20} MB"
            raise RemoteFailed(f"{url} answered with more than {most}; is it an embedding server?")
    try:
        return unpacked(bytes(content), answer.headers.get("content-encoding", ""), LARGEST_ANSWER)
    except CannotUnpack as error:
        raise RemoteFailed(f"{url} answered with what cannot be unpacked: {error}") from error


def _said(server: Server, content: bytes) -> str:
    """The reason in an error's body, in the forms that servers use."""
    text = content.decode("utf-8", "replace")
    try:
        reason = foreign_json.loads(text)["error"]
        text = str(reason["message"] if isinstance(reason, dict) else reason)
    except (ValueError, KeyError, TypeError):
        pass
    return f"({server.clean(text)})" if text.strip() else "without a reason"
