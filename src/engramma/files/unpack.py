"""Unpacks what others packed (gzip, deflate, br, zstd, one over the other), never to more than it is allowed.

Every step of every coding is bounded, so a few bytes that stand for gigabytes cost no more than the bound.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

MOST_CODINGS = 3  # one over the other; no program sends more than one
STEP = 1024 * 1024  # unpacked at once
MAX_WINDOW = 8 * 1024 * 1024  # RFC 9659: what a reader of zstd over HTTP has to keep, and no more


class CannotUnpack(ValueError):
    """The bytes are damaged, packed in an unknown way, or unpack to more than is allowed."""


def unpack_bounded(body: bytes, encoding: str, most: int) -> bytes:
    """A body without its content codings, at most `most` bytes. What was cut off is unpacked as far as it goes."""
    names = [part.strip().lower() for part in encoding.split(",") if part.strip()]
    names = [name for name in names if name != "identity"]
    if len(names) > MOST_CODINGS:
        raise CannotUnpack(f"compressed {len(names)} times over")
    for name in reversed(names):
        if name not in CODINGS:
            raise CannotUnpack(f"compressed with {name:.20}")
        found = bytearray()
        for piece in CODINGS[name](body):
            found += piece
            if len(found) > most:
                raise CannotUnpack("too large when decompressed")
        body = bytes(found)
    return body


def inflated(body: bytes, form: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(form)
    try:
        while body and not unpacker.eof:
            yield unpacker.decompress(body, STEP)
            body = unpacker.unconsumed_tail
        yield unpacker.flush(STEP)
    except zlib.error as error:
        raise CannotUnpack(str(error)) from error


def ungzip(body: bytes) -> Iterator[bytes]:
    return inflated(body, 31)


def undeflate(body: bytes) -> Iterator[bytes]:
    """Deflate with its header, as the standard says, or without, as some send it."""
    return inflated(body, 15 if body[:1] and body[0] & 15 == 8 else -15)


def unzstd(body: bytes) -> Iterator[bytes]:
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        raise CannotUnpack("compressed with zstd, and zstandard is not installed (engramma[zst])") from None
    try:
        unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        with unpacker.stream_reader(body, read_across_frames=True) as reader:
            while piece := reader.read(STEP):
                yield piece
    except zstandard.ZstdError as error:
        raise CannotUnpack(str(error)) from error


def unbrotli(body: bytes) -> Iterator[bytes]:
    module = brotli_module()
    unpacker: Any = module.Decompressor()
    try:
        yield unpacker.process(body, output_buffer_limit=STEP)
        while not (unpacker.is_finished() or unpacker.can_accept_more_data()):
            yield unpacker.process(b"", output_buffer_limit=STEP)
    except TypeError:
        # an older one has no bound: a few bytes would become gigabytes before anybody could look
        raise CannotUnpack("compressed with br, and brotli is older than 1.2 (engramma[br])") from None
    except module.error as error:
        raise CannotUnpack(str(error)) from error


def brotli_module() -> Any:
    for name in ("brotli", "brotlicffi"):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise CannotUnpack("compressed with br, and brotli is not installed (engramma[br])")


CODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": ungzip,
    "x-gzip": ungzip,
    "deflate": undeflate,
    "zstd": unzstd,
    "br": unbrotli,
}
