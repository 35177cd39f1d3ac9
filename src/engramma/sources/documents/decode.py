"""Bytes to text. Line ends become \\n: which kind a file has belongs to the file, not to what it says."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from ...errors import UnreadableSource

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
# Control characters that no text in an old 8-bit encoding holds: data without a NUL by chance.
_CONTROL = re.compile(rb"[\x01-\x06\x0e-\x1a\x7f]")
_LOOKED_AT = 64 * 1024
_MOST_CONTROL = 0.01


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are those of no text."""
    return b"\0" in head and not head.startswith((*_UTF16, *_UTF32))


def decode_document(data: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and a note when its encoding had to be guessed."""
    notes: tuple[str, ...] = ()
    if data.startswith(_UTF32):
        text = _wide(data, "utf-32", path)
    elif data.startswith(_UTF16):
        text = _wide(data, "utf-16", path)
    else:
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            text, notes = _guessed(data, error, path)
    if "\0" in text:
        raise UnreadableSource(f"{path} is not a text document: it contains NUL bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _wide(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableSource(
            f"{path} starts as {encoding.upper()} but is damaged at byte {error.start}; save it as UTF-8"
        ) from None


def _guessed(data: bytes, error: UnicodeDecodeError, path: Path) -> tuple[str, tuple[str, ...]]:
    head = data[:_LOOKED_AT]
    if b"\0" in data or len(_CONTROL.findall(head)) > _MOST_CONTROL * len(head):
        raise UnreadableSource(f"{path} is not a text document: it contains binary data")
    at = len(data) - len(error.object) + error.start
    try:
        text, name = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = data.decode("latin-1"), "Latin-1"
    line = data.count(b"\n", 0, at) + 1
    return text, (f"not UTF-8: byte 0x{data[at]:02x} at position {at} (line {line}); read as {name}",)
