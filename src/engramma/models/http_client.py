"""The one HTTP client for the servers of models: bounded in time and size, and tried again where a failure may pass."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..files import foreign_json
from ..files.unpack import CannotUnpack, unpack_bounded

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 5.0
READ_SECONDS = 120.0  # a local server may have to load its model first
LONGEST_WAIT = 60.0  # seconds, of what a server may ask for
LONGEST_REASON = 300  # characters of what a server said


class Passing(Exception):
    """A failure that may be over on the next attempt."""

    def __init__(self, reason: str, wait: float | None = None, *, reached: bool = True, slow: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait  # seconds that the server asked for
        self.reached, self.slow = reached, slow  # whether there was a server at all, and whether it took too long


class Denied(Exception):
    """A status that will be the same next time."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


class Unusable(Exception):
    """An answer that is too large, or not what was asked for."""


class GaveUp(Exception):
    """The last of several failures that might have passed."""

    def __init__(self, tries: int, last: Passing) -> None:
        super().__init__(f"failed {'once' if tries == 1 else f'{tries} times'}, last: {last}")
        self.last = last


@dataclass(frozen=True, slots=True)
class Server:
    """Where the questions go, and how patiently. The key never shows in a repr or a message."""

    base: str
    key: str | None = field(default=None, repr=False)
    timeout: float = READ_SECONDS
    sleep: Callable[[float], None] = time.sleep
    waits: tuple[float, ...] = (0.25, 0.5, 1.0)  # seconds before each further attempt, unless it asks for another time

    def clean(self, text: str) -> str:
        """What a server or a library said, short and without the key."""
        line = " ".join(text.split())
        return (line.replace(self.key, "***") if self.key else line)[:LONGEST_REASON]


def is_local_server(host: str) -> bool:
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

    return httpx2.Client(
        headers={"Authorization": f"Bearer {server.key}"} if server.key else {},
        verify=tls,
        timeout=httpx2.Timeout(server.timeout, connect=min(CONNECT_SECONDS, server.timeout)),
        follow_redirects=False,  # neither talk nor key go where nobody sent them
        # A proxy is for other machines, and offline means that nothing leaves this one.
        trust_env=not is_local_server(urlsplit(server.base).hostname or ""),
    )


def retried(server: Server, attempt: Callable[[], Any], until: float | None = None) -> Any:
    """What an attempt returns, after as many as the server is given; none that could not end before `until`."""
    for tries, wait in enumerate((*server.waits, None), 1):
        try:
            return attempt()
        except Passing as failure:
            pause = None if wait is None else min(wait if failure.wait is None else failure.wait, LONGEST_WAIT)
            if pause is None or (until is not None and (not failure.reached or time.monotonic() + pause >= until)):
                raise GaveUp(tries, failure) from failure
            server.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def attempted(
    client: httpx2.Client,
    server: Server,
    url: str,
    body: Mapping[str, Any] | None = None,
    *,
    most: int,
    until: float | None = None,
    connect: float = CONNECT_SECONDS,
) -> Any:
    """The JSON of one answer, to a POST of the body or to a GET where there is none; the whole of it before `until`."""
    import httpx2

    left = server.timeout if until is None else max(0.1, until - time.monotonic())
    patience = httpx2.Timeout(left, connect=min(connect, left))
    method = "GET" if body is None else "POST"
    slow = Passing(f"no whole reply within {left:.3g} s", slow=True)
    try:
        with (
            deadline(None if until is None else left) as clock,
            client.stream(method, url, json=body, timeout=patience, extensions={"trace": clock.trace}) as answer,
        ):
            content = read_bounded(answer, most, clock)
            status, after = answer.status_code, answer.headers.get("retry-after", "")
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
        if clock.is_over or isinstance(error, httpx2.ReadTimeout):
            raise slow from error
        reached = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        raise Passing(server.clean(f"{type(error).__name__} {error}"), reached=reached) from error
    if status != 200:
        raise failure_of(status, content, after, server)
    try:
        return foreign_json.loads(content)
    except ValueError as error:
        raise (slow if clock.is_over else Unusable("did not answer in JSON")) from error


def failure_of(status: int, content: bytes, after: str, server: Server) -> Passing | Denied:
    """What a status other than 200 means; `after` is the header Retry-After."""
    told = f"{status} {reason_in(content, server)}"
    is_passing = status in (408, 429) or status >= 500
    return Passing(told, seconds_in(after)) if is_passing else Denied(status, told)


def read_bounded(answer: httpx2.Response, most: int, clock: Clock) -> bytes:
    """The body, unpacked here in bounded steps: the library would unpack any bomb."""
    content = bytearray()
    for block in answer.iter_raw():
        content += block
        if clock.is_over:  # on a connection that was there before, it had no socket to end
            raise TimeoutError
        if len(content) > most:
            raise Unusable(f"answered with more than {most >> 20} MB")
    try:
        return unpack_bounded(bytes(content), answer.headers.get("content-encoding", ""), most)
    except CannotUnpack as error:
        raise Unusable(f"answered with data that cannot be decompressed: {error}") from error


def reason_in(content: bytes, server: Server) -> str:
    """The reason in an error's body, in the forms that servers use, short and without the key."""
    text = content[:10_000].decode("utf-8", "replace")
    with suppress(ValueError, KeyError, TypeError):
        reason = foreign_json.loads(text)["error"]
        text = str(reason["message"] if isinstance(reason, dict) else reason)
    return f"({server.clean(text)})" if text.strip() else "without a reason"


def seconds_in(after: str) -> float | None:
    """What a Retry-After header asks for: seconds, or a date."""
    if after.strip().replace(".", "", 1).isdecimal():
        return float(after)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(after)
    except (TypeError, ValueError):
        return None
    return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())


class Clock:
    """Ends a connection when its time is over, even if the server sends a byte now and then."""

    def __init__(self) -> None:
        self.is_over = False
        self._socket: socket.socket | None = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "proxy.connect_tcp.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.is_over:
                self.end()

    def end(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with suppress(OSError):  # closed already; a shutdown wakes whoever waits, a close would not
                self._socket.shutdown(socket.SHUT_RDWR)


class Cancellation:
    """Ends requests under way, from any thread."""

    def __init__(self) -> None:
        self._set, self._lock = threading.Event(), threading.Lock()
        self._ends = list[Callable[[], None]]()

    @property
    def is_set(self) -> bool:
        return self._set.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._set.set()
            ends = list(self._ends)
        for end in ends:
            end()

    def sleep(self, seconds: float) -> None:
        """Sleeps so long, or until it is cancelled."""
        self._set.wait(seconds)

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """While it lasts, a cancellation calls `end`; at once if it was cancelled already."""
        with self._lock:
            self._ends.append(end)
            is_late = self._set.is_set()
        if is_late:
            end()
        try:
            yield
        finally:
            with self._lock:
                self._ends.remove(end)


@contextmanager
def deadline(seconds: float | None) -> Iterator[Clock]:
    """A clock that ends after some seconds; None: it never does."""
    clock = Clock()
    timer = None if seconds is None else threading.Timer(seconds, clock.end)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield clock
    finally:
        if timer is not None:
            timer.cancel()
