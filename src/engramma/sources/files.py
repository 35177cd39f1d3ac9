"""Bytes to text, with every way a file can be bad turned into words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import UnreadableSource
from ..records import Problem
from .containers import open_source

# Enough to hold the questions that stand before the first turn in a LoCoMo file (about 50 kB).
HEAD_BYTES = 256 * 1024
# A longer line is not a message but a mistake, and would be held in memory several times over.
MAX_LINE_BYTES = 64 * 1024 * 1024
# Formats that are one JSON value must be parsed whole; beyond this, JSONL is the way.
MAX_DOCUMENT_BYTES = 1024 * 1024 * 1024

BOM = b"\xef\xbb\xbf"

_MAGIC = (
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "gzip data (unpack it first)"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "an SQLite database"),
)


def read_text_head(path: Path) -> str:
    """The beginning of a file as text; bytes that are not UTF-8 become U+FFFD, for looking only."""
    data = bytearray()
    with open_source(path) as file:
        try:
            while len(data) < HEAD_BYTES and (more := file.read1(HEAD_BYTES - len(data))):
                data += more
        except OSError as error:
            raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from None
        except UnreadableSource:
            # The end of a damaged archive; what came before it may be enough to know the format.
            if not data:
                raise
    return data.removeprefix(BOM).decode("utf-8", "replace")


def document(path: Path) -> str:
    """The whole text of a file."""
    with open_source(path) as file:
        data = _read(path, file, MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise UnreadableSource(f"{path} is larger than {MAX_DOCUMENT_BYTES >> 20} MiB: split it, or use JSONL")
    try:
        return data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        at = len(data) - len(error.object) + error.start
        line = data.count(b"\n", 0, at) + 1
        raise UnreadableSource(
            f"{path} is not UTF-8: byte 0x{data[at]:02x} at position {at} (line {line}); save it as UTF-8"
        ) from None


def read_lines(path: Path) -> Iterator[tuple[int, str] | Problem]:
    """Numbered lines that hold something, read one at a time; an unreadable line is a Problem.

    Lines end at \\n only: str.splitlines would also break at U+2028, which JSON allows in a string.
    """
    with open_source(path) as file:
        number = 0
        while data := _read_line(path, file):
            number += 1
            if len(data) > MAX_LINE_BYTES:
                while not data.endswith(b"\n") and (data := _read_line(path, file)):
                    pass
                yield Problem(
                    str(path), f"line {number}", f"longer than {MAX_LINE_BYTES >> 20} MiB; skipped", damage=True
                )
                continue
            if number == 1:
                data = data.removeprefix(BOM)
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                reason = f"not UTF-8: byte 0x{data[error.start]:02x} at position {error.start} of the line; skipped"
                yield Problem(str(path), f"line {number}", reason, damage=True)
                continue
            if text.strip():
                yield number, text.removesuffix("\n")


def describe_file(path: Path, text: str) -> str:
    """What a file appears to be, for the message that refuses it."""
    with open_source(path) as file:
        start = _read(path, file, 16)
    for magic, words in _MAGIC:
        if start.startswith(magic):
            return words
    stripped = text.lstrip()
    if not stripped:
        return "nothing (the file is empty)" if not start.removeprefix(BOM) else "only whitespace"
    if "\0" in text:
        return "binary data"
    if re.match(r"<(!doctype|html|\?xml)", stripped, re.IGNORECASE):
        return "an HTML or XML page, perhaps a login or error page that was saved instead of the file"
    if re.fullmatch(r"\[\s*\]|\{\s*\}", stripped.rstrip()):
        return "an empty list or object: an export without content"
    if stripped[0] in "{[":
        keys = list(dict.fromkeys(re.findall(r'"([^"\\]{1,30})"\s*:', stripped)))[:6]
        return f"JSON with the keys {', '.join(keys)}" if keys else "JSON or brackets without any keys"
    if "\ufffd" in text:
        return "text that is not UTF-8, or binary data"
    return 'text without "Name: text" lines'


def _read(path: Path, file: BinaryIO, size: int) -> bytes:
    try:
        return file.read(size)
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from None


def _read_line(path: Path, file: BinaryIO) -> bytes:
    try:
        return file.readline(MAX_LINE_BYTES + 1)
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from None
