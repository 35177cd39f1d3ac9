"""The items of one long JSON list, an item at a time: a file of any length takes the memory of its longest item.

A damaged item is given up and the search goes on for the next place where a whole record stands, so
that one bad conversation costs only itself; a parser of events would end at the first wrong byte.
Positions are bytes from the beginning of the file.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..errors import UnreadableSource

CHUNK_BYTES = 512 * 1024
# A longer item is a mistake, such as a quote that was never closed.
MAX_ITEM_CHARS = 128 * 1024 * 1024
# What a search for the next whole record may read over again before the rest is given up.
MAX_EFFORT = 1024 * 1024 * 1024
# An error this near the end of what was read may be the end's doing: no literal or escape is longer.
_NEAR_END = 16
# How far an item may have been read that fails in a way that does not tell.
_DEEP = 1024 * 1024

# Tabs and line ends inside strings are let pass: they are plain mistakes of exporters.
_DECODER = json.JSONDecoder(strict=False)
_BETWEEN = re.compile(r"[\s,\[\]]*")
_WRAPPER = re.compile(r'\s*\{(?:(?!"mapping"|"chat_messages").)*?"conversations"\s*:\s*(?=\[)', re.DOTALL)
# Where an object may begin that is an item of a list, not the value of a key.
_NEXT = re.compile(r'[^:\s]\s*(?=\{\s*")')
# What follows a mistake, and no literal or escape that the end cut short.
_CLOSING = re.compile(r"[}\],]")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Item:
    """A value of the list: its number from 1, the byte at which it begins, and what was mended in it."""

    number: int
    at: int
    value: object
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Damage:
    """A place that could not be read, with the number of the item it would have been."""

    number: int
    at: int
    reason: str


def items(file: io.BufferedReader, is_record: Callable[[object], bool]) -> Iterator[Item | Damage]:
    """The items of the list in a file; also of `{"conversations": [...]}` and of objects a line.

    `is_record` tells a whole record from a part of a damaged one, where reading is taken up again.
    """
    text = _Text(file)
    text.more()
    text.skip(1 if text.text.startswith("\ufeff") else 0)
    wrapper = _WRAPPER.match(text.text, text.pos)
    if wrapper:
        text.skip(wrapper.end() - text.pos)
    number = depth = 0
    is_cut = False
    while True:
        opens, closes = text.skip_between()
        depth += opens - closes
        if text.at_end or (wrapper and depth <= 0):
            break
        number += 1
        begin = text.at
        try:
            value, end = text.decoded()
        except _Broken as broken:
            is_followed = text.seek_record(is_record)
            if is_followed or not broken.is_cut:
                yield Damage(number, begin, f"{broken}; skipped")
            if not is_followed:
                # Brackets count no more: what was passed over may have closed them.
                is_cut, depth = broken.is_cut, 0
                break
            continue
        note, mended = text.taken(end)
        yield Item(number, begin, value if mended is None else mended, note)
    if text.failure or depth > 0 or is_cut:
        reason = text.failure or f"the file ends too early, at byte {text.at}"
        yield Damage(max(1, number), text.at, f"{reason}; what is whole before it was taken, the rest is skipped")


class _Broken(Exception):
    """An item that is no JSON: what is wrong at which byte, how far it was read, whether the file ends in it."""

    def __init__(self, words: str, scanned: int, is_cut: bool = False) -> None:
        super().__init__(words)
        self.scanned, self.is_cut = scanned, is_cut


@dataclass(slots=True)
class _Text:
    """The part of a file that is in memory as text, and the place in it up to which it was used."""

    file: io.BufferedReader
    text: str = ""
    pos: int = 0
    at: int = 0  # the byte of the file at `pos`
    done: bool = False
    failure: str | None = None
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("surrogateescape")
    )

    @property
    def at_end(self) -> bool:
        return self.done and self.pos >= len(self.text)

    def more(self) -> None:
        """Forget what was used, and read as much again as is waiting: a long item is tried few times."""
        self.text, self.pos = self.text[self.pos :], 0
        wanted, parts = max(CHUNK_BYTES, len(self.text)), []
        try:
            while wanted > 0 and (data := self.file.read1(min(wanted, CHUNK_BYTES))):
                parts.append(data)
                wanted -= len(data)
            self.done = wanted > 0
        except UnreadableSource as error:
            self.done, self.failure = True, str(error)
        except OSError as error:
            self.done, self.failure = True, f"cannot be read further: {error.strerror or error}"
        self.text += self.decoder.decode(b"".join(parts), self.done)

    def skip(self, length: int) -> None:
        self.at += _bytes(self.text[self.pos : self.pos + length])
        self.pos += length

    def skip_between(self) -> tuple[int, int]:
        """Pass over what stands between items; how many brackets it opened and closed."""
        opens = closes = 0
        while True:
            match = _BETWEEN.match(self.text, self.pos)
            passed = match[0] if match else ""
            opens, closes = opens + passed.count("["), closes + passed.count("]")
            self.skip(len(passed))
            if self.pos < len(self.text) or self.done:
                return opens, closes
            self.more()

    def decoded(self) -> tuple[object, int]:
        """The value that begins here and where it ends; reads on as long as the value does."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.pos)
                if end < len(self.text) or self.done:
                    return value, end
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or (
                    error.pos >= len(self.text) - _NEAR_END and not _CLOSING.search(self.text, error.pos)
                )
                if self.done or not is_cut:
                    scanned = (len(self.text) if is_cut else error.pos) - self.pos
                    place = self.at + _bytes(self.text[self.pos : error.pos])
                    raise _Broken(f"not JSON: {error.msg} at byte {place}", scanned, is_cut) from None
            except RecursionError:
                raise _Broken("not usable JSON: nested too deeply", _DEEP) from None
            except ValueError:
                raise _Broken("not usable JSON: a number with thousands of digits", _DEEP) from None
            waiting = len(self.text) - self.pos
            if waiting > MAX_ITEM_CHARS:
                raise _Broken(f"longer than {MAX_ITEM_CHARS >> 20} MiB", waiting)
            self.more()

    def taken(self, end: int) -> tuple[str | None, object]:
        """Pass over the value that ends there; where its bytes were not UTF-8, a note and the value mended."""
        raw = self.text[self.pos : end]
        try:
            self.at += len(raw.encode("utf-8"))
            self.pos = end
            return None, None
        except UnicodeEncodeError as error:
            place = self.at + _bytes(raw[: error.start])
            bad = ord(raw[error.start]) - 0xDC00
            note = f"not UTF-8: byte 0x{bad:02x} at byte {place}; kept with U+FFFD in its place"
        self.skip(len(raw))
        return note, json.loads(_NOT_UTF8.sub("\ufffd", raw), strict=False)

    def seek_record(self, is_record: Callable[[object], bool]) -> bool:
        """Go on to the next place where a whole record stands; False where there is none."""
        effort = 0
        while effort < MAX_EFFORT:
            match = _NEXT.search(self.text, self.pos + 1)
            if match is None:
                if self.done:
                    break
                # What could be the beginning of a place between objects is kept.
                self.skip(max(0, len(self.text) - self.pos - CHUNK_BYTES))
                self.more()
                continue
            self.skip(match.end() - self.pos)
            try:
                value, end = self.decoded()
                if is_record(value):
                    return True
                effort += end - self.pos
            except _Broken as broken:
                effort += broken.scanned
        else:
            self.done, self.failure = True, f"the search for the next whole item was given up at byte {self.at}"
        self.skip(len(self.text) - self.pos)
        return False


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
