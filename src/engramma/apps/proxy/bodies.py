"""Bodies as they passed: unpacked, and cut into the JSON values they hold."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ... import foreign_json

MAX_UNPACKED = 128 * 1024 * 1024  # a copy that grows beyond this is a bomb, or nothing that was said


class Unreadable(ValueError):
    """A body that cannot be unpacked or is not what its API speaks."""


def unpacked(body: bytes, encoding: str) -> bytes:
    """A body without its content encodings. What was cut off is unpacked as far as it goes."""
    for name in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if name in ("gzip", "x-gzip"):
            body = inflated(body, 31)
        elif name == "deflate":
            body = inflated(body, 15 if body[:1] and body[0] & 15 == 8 else -15)
        elif name == "zstd":
            body = unzstd(body)
        elif name == "br":
            body = unbrotli(body)
        elif name != "identity":
            raise Unreadable(f"packed with {name}")
    return body


def inflated(body: bytes, form: int) -> bytes:
    unpacker = zlib.decompressobj(form)
    try:
        found = unpacker.decompress(body, MAX_UNPACKED)
    except zlib.error as error:
        raise Unreadable(str(error)) from error
    if unpacker.unconsumed_tail:
        raise Unreadable("too large when unpacked")
    return found


def unzstd(body: bytes) -> bytes:
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        raise Unreadable("packed with zstd, and zstandard is not installed") from None
    found = bytearray()
    try:
        with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
            while chunk := reader.read(2**20):
                found += chunk
                if len(found) > MAX_UNPACKED:
                    raise Unreadable("too large when unpacked")
    except zstandard.ZstdError as error:
        raise Unreadable(str(error)) from error
    return bytes(found)


def unbrotli(body: bytes) -> bytes:
    for name in ("brotli", "brotlicffi"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        try:
            return bytes(module.decompress(body))
        except module.error as error:
            raise Unreadable(str(error)) from error
    raise Unreadable("packed with br, and brotli is not installed")


def parsed(body: bytes) -> dict[str, Any]:
    """A body that is one JSON object."""
    try:
        value = foreign_json.loads(body)
    except ValueError as error:
        raise Unreadable("not JSON") from error
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    return value


def is_event_stream(body: bytes, content_type: str) -> bool:
    """Whether a reply is a stream of events: by its type, or by how it begins where the type says nothing."""
    if "event-stream" in content_type:
        return True
    return "json" not in content_type and body.lstrip()[:6] in (b"data: ", b"event:")


def events(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events; `{}` for the `[DONE]` that ends some of them."""
    data: list[str] = []
    for line in [*body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            whole, data = "\n".join(data), []
            if whole.strip() == "[DONE]":
                yield {}
            elif (value := object_in(whole)) is not None:
                yield value


def json_lines(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of lines, or of a body that is one object."""
    whole = object_in(body)
    if whole is not None:
        yield whole
        return
    for line in body.split(b"\n"):
        if (value := object_in(line)) is not None:
            yield value


def object_in(text: str | bytes) -> dict[str, Any] | None:
    try:
        value = foreign_json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
