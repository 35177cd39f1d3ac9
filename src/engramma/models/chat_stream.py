"""A chat reply while it is written: server-sent events as pieces of text, bounded in time and size like any reply."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..files import foreign_json
from .http_client import (
    CONNECT_SECONDS,
    Cancellation,
    Clock,
    Passing,
    Server,
    Unusable,
    deadline,
    failure_of,
    open_client,
    read_bounded,
    reason_in,
    retried,
)

if TYPE_CHECKING:
    import httpx2

LARGEST_STREAM = 4 << 20  # bytes of all events together
LARGEST_ERROR = 64 << 10
LONGEST_LINE = 256 << 10  # bytes of one event
PATIENCE = 10.0  # seconds within which a failed start may be tried again: somebody waits for the answer
MOST_WAITS = 2  # of the settings' pauses between attempts
_LINE_END = re.compile(rb"\r\n|\r|\n")


class RequestCancelled(Exception):
    """Whoever asked has gone."""


@dataclass(slots=True)
class StreamedReply:
    """What is known of a reply that is being written."""

    whole: Any = None  # the answer of a server that does not stream
    finish: str | None = None
    is_ended: bool = False
    usage: Mapping[str, Any] = field(default_factory=dict)


@contextmanager
def open_events(
    server: Server, tls: Any, url: str, body: Mapping[str, Any], until: float, cancel: Cancellation
) -> Iterator[tuple[httpx2.Response, Clock]]:
    """The answer to a POST, its status checked and its body still to be read; all of it before `until`."""
    left = max(0.1, until - time.monotonic())
    patient = replace(server, sleep=cancel.sleep, waits=server.waits[:MOST_WAITS])
    with open_client(server, tls) as client, deadline(left) as clock, cancel.ending(clock.end):
        answer = retried(
            patient,
            lambda: _begun(client, server, url, body, clock, cancel),
            until=min(until, time.monotonic() + PATIENCE),
        )
        try:
            yield answer, clock
        finally:
            answer.close()


def _begun(
    client: httpx2.Client, server: Server, url: str, body: Mapping[str, Any], clock: Clock, cancel: Cancellation
) -> httpx2.Response:
    with failures_told(server, clock, cancel):
        request = client.build_request(
            "POST",
            url,
            json=body,
            headers={"Accept-Encoding": "identity"},  # packed events arrive late
            timeout=_patience(server),
            extensions={"trace": clock.trace},
        )
        answer = client.send(request, stream=True)
        if answer.status_code == 200:
            return answer
        try:
            content = read_bounded(answer, LARGEST_ERROR, clock)
        finally:
            answer.close()
    raise failure_of(answer.status_code, content, answer.headers.get("retry-after", ""), server)


def _patience(server: Server) -> httpx2.Timeout:
    import httpx2

    return httpx2.Timeout(server.timeout, connect=min(CONNECT_SECONDS, server.timeout))


@contextmanager
def failures_told(server: Server, clock: Clock, cancel: Cancellation) -> Iterator[None]:
    """What goes wrong on a connection, by its meaning: nobody waits any more, too slow, or it may pass."""
    import httpx2

    if cancel.is_set:
        raise RequestCancelled
    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, TimeoutError) as error:
        if cancel.is_set:
            raise RequestCancelled from error
        if clock.is_over or isinstance(error, httpx2.ReadTimeout | TimeoutError):
            raise Passing("no whole reply in time", slow=True) from error
        reached = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        raise Passing(server.clean(f"{type(error).__name__} {error}"), reached=reached) from error


def text_of_events(
    answer: httpx2.Response, server: Server, clock: Clock, cancel: Cancellation, known: StreamedReply
) -> Generator[str, None, None]:
    """The pieces of text in an answer, as they arrive; what else it tells is noted in `known`."""
    other, is_events = list[bytes](), False
    for line in event_lines(_blocks(answer, server, clock, cancel)):
        data = line.removeprefix(b"data:").strip()
        if not line.startswith(b"data:"):
            other += [] if is_events else [line]
        elif data == b"[DONE]":
            known.is_ended = True
            return
        elif data:
            is_events = True
            if piece := _piece(_loaded(data), known, server):
                yield piece
    if not is_events:
        known.whole = _loaded(b"\n".join(other))  # of a server that does not stream


def event_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream, wherever its blocks were cut: also within a character."""
    rest = b""
    for block in blocks:
        *lines, rest = _LINE_END.split(rest + block)
        if len(rest) > LONGEST_LINE:
            raise Unusable(f"sent an event of more than {LONGEST_LINE >> 10} kB")
        yield from lines
    if rest:
        yield rest


def _blocks(answer: httpx2.Response, server: Server, clock: Clock, cancel: Cancellation) -> Iterator[bytes]:
    if answer.headers.get("content-encoding", "identity") not in ("", "identity"):
        raise Unusable("answered with packed events")
    size, blocks = 0, answer.iter_raw()
    while True:
        with failures_told(server, clock, cancel):
            block = next(blocks, None)
            if clock.is_over:
                raise TimeoutError
        if block is None:
            return
        size += len(block)
        if size > LARGEST_STREAM:
            raise Unusable(f"answered with more than {LARGEST_STREAM >> 20} MB")
        yield block


def _loaded(data: bytes) -> Any:
    try:
        return foreign_json.loads(data)
    except ValueError as error:
        raise Unusable("answered with neither events nor JSON") from error


def _piece(event: Any, known: StreamedReply, server: Server) -> str:
    """The text in one event, "" if it has none."""
    if not isinstance(event, dict):
        raise Unusable("sent an event that is no object")
    if event.get("error"):
        raise Unusable(f"broke off: {reason_in(json.dumps(event).encode(), server)}")
    if isinstance(event.get("usage"), dict):
        known.usage = event["usage"]
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if isinstance(choice.get("finish_reason"), str):
        known.finish, known.is_ended = choice["finish_reason"], True
    said = choice.get("delta") or choice.get("message") or {}
    text = said.get("content") if isinstance(said, dict) else None
    if isinstance(text, list):  # parts, as some servers send them
        text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
    return text if isinstance(text, str) else ""
