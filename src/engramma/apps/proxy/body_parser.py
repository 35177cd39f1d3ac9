"""Bodies as they passed: unpacked, and cut into the JSON values they hold."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ...files import foreign_json
from ...files.unpack import CannotUnpack, unpack_bounded

MAX_UNPACKED = 32 * 1024 * 1024  # as much as a copy may have: what is longer is a bomb, or nothing that was said
MOST_VALUES = 2_000_000  # marks between values in one body; 32 MiB of talk or code has fewer


class Unreadable(ValueError):
    """A body that cannot be unpacked or is not what its API speaks."""


def unpack_body(body: bytes, encoding: str) -> bytes:
    """A body without its content codings. What was cut off is unpacked as far as it goes."""
    try:
        return unpack_bounded(body, encoding, MAX_UNPACKED)
    except CannotUnpack as error:
        raise Unreadable(str(error)) from error


def parse_object(body: bytes) -> dict[str, Any]:
    """A body that is one JSON object."""
    if is_crowded(body):
        raise Unreadable("too many values")
    try:
        value = foreign_json.loads(body)
    except ValueError as error:
        raise Unreadable("not JSON") from error
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    return value


def is_crowded(body: bytes) -> bool:
    """Whether a body may hold more values than are worth their memory: each takes some hundred bytes once read."""
    return len(body) > MOST_VALUES and sum(body.count(mark) for mark in (b",", b"{", b"[")) > MOST_VALUES


def is_event_stream(body: bytes, content_type: str) -> bool:
    """Whether a reply is a stream of events: by its type, or by how it begins where the type says nothing."""
    if "event-stream" in content_type:
        return True
    return "json" not in content_type and body.lstrip()[:6] in (b"data: ", b"event:")


def parse_events(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events; `{}` for the `[DONE]` that ends some of them."""
    if is_crowded(body):
        raise Unreadable("too many values")
    data: list[str] = []
    lines = io.TextIOWrapper(
        io.BytesIO(body), "utf-8", "replace"
    )  # one at a time: a body may be nothing but their ends
    for line in chain((one.removesuffix("\n") for one in lines), [""]):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            whole, data = "\n".join(data), []
            if whole.strip() == "[DONE]":
                yield {}
            elif (value := load_object(whole)) is not None:
                yield value


def json_lines(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of lines, or of a body that is one object."""
    if is_crowded(body):
        raise Unreadable("too many values")
    whole = load_object(body)
    if whole is not None:
        yield whole
        return
    for line in io.BytesIO(body):
        if (value := load_object(line)) is not None:
            yield value


def load_object(text: str | bytes) -> dict[str, Any] | None:
    try:
        value = foreign_json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
