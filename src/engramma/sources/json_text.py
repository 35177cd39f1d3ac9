"""JSON in a file of any length: the part that is looked at is in memory as text, and no more of it.

Positions are bytes from the beginning of the file.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ..errors import UnreadableSource
from ..files import foreign_json

CHUNK_BYTES = 512 * 1024
# A longer item is a mistake, such as a quote that was never closed.
MAX_ITEM_CHARS = 128 * 1024 * 1024
# What a search for the next whole record may read over again before the rest is given up.
MAX_EFFORT = 1024 * 1024 * 1024
# An error this near the end of what was read may be the end's doing: no literal or escape is longer.
_NEAR_END = 16
# How far an item may have been read that fails in a way that does not tell.
_DEEP = 1024 * 1024

_BETWEEN = re.compile(r"[\s,\[\]]*")
# Where an object may begin that is an item of a list, not the value of a key.
_NEXT = re.compile(r'[^:\s]\s*(?=\{\s*")')
# What follows a mistake, and no literal or escape that the end cut short.
_CLOSING = re.compile(r"[}\],]")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_SPACE = re.compile(r"\s*")
# Control characters as C spells them: \x0B is no JSON.
_C_ESCAPE = re.compile(r"\\x(?=[0-9A-Fa-f]{2})")


class Broken(Exception):
    """An item that is no JSON: what is wrong at which byte, how far it was read, whether the file ends in it."""

    def __init__(self, words: str, scanned: int, is_cut: bool = False) -> None:
        super().__init__(words)
        self.scanned, self.is_cut = scanned, is_cut


@dataclass(slots=True)
class JsonText:
    """The part of a file that is in memory as text, and the place in it up to which it was used."""

    file: io.BufferedReader
    text: str = ""
    pos: int = 0
    at: int = 0  # the byte of the file at `pos`
    done: bool = False
    failure: str | None = None
    c_escapes: bool = False  # Telegram spells control characters as C does
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
                # Tabs and line ends inside strings are let pass: they are plain mistakes of exporters.
                value, end = foreign_json.raw_decode(self.text, self.pos, strict=False)
                if end < len(self.text) or self.done:
                    return value, end
            except json.JSONDecodeError as error:
                if self.c_escapes and self._respelt(error.pos):
                    continue
                is_cut = error.msg.startswith("Unterminated") or (
                    error.pos >= len(self.text) - _NEAR_END and not _CLOSING.search(self.text, error.pos)
                )
                if self.done or not is_cut:
                    scanned = (len(self.text) if is_cut else error.pos) - self.pos
                    place = self.at + _bytes(self.text[self.pos : error.pos])
                    raise Broken(
                        f"not JSON: {error.msg.removesuffix(' at')} at byte {place}", scanned, is_cut
                    ) from None
            except foreign_json.TooDeep as error:
                raise Broken(f"not usable JSON: {error}", _DEEP) from None
            except ValueError:
                raise Broken("not usable JSON: a number with thousands of digits", _DEEP) from None
            waiting = len(self.text) - self.pos
            if waiting > MAX_ITEM_CHARS:
                raise Broken(f"longer than {MAX_ITEM_CHARS >> 20} MiB", waiting)
            self.more()

    def _respelt(self, place: int) -> bool:
        """Spell the escape at which reading failed as JSON does; False where it is none."""
        found = _C_ESCAPE.match(self.text, place) or _C_ESCAPE.match(self.text, max(self.pos, place - 1))
        if found is None:
            return False
        self.text = f"{self.text[: found.start()]}\\u00{self.text[found.end() :]}"
        self.at -= 2  # those are four bytes of the file, and six of the text
        return True

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
            note = f"not UTF-8: byte 0x{bad:02x} at byte {place}; replaced with U+FFFD"
        self.skip(len(raw))
        return note, foreign_json.loads(_NOT_UTF8.sub("\ufffd", raw), strict=False)

    def peek(self, passing: re.Pattern[str] = _SPACE) -> str:
        """The next character behind blank space, or behind what else is passed over; "" at the end."""
        while True:
            match = passing.match(self.text, self.pos)
            self.skip(match.end() - self.pos if match else 0)
            if self.pos < len(self.text) or self.done:
                return self.text[self.pos : self.pos + 1]
            self.more()

    def expect(self, allowed: str) -> str:
        """Pass over the next character, which must be one of those."""
        char = self.peek()
        if not char or char not in allowed:
            wanted = " or ".join(allowed)
            raise Broken(f"not JSON: {wanted} expected at byte {self.at}", 1, is_cut=not char)
        self.skip(1)
        return char

    def value(self) -> object:
        """The value that begins here, passed over."""
        self.peek()
        value, end = self.decoded()
        _, mended = self.taken(end)
        return value if mended is None else mended

    def seek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go on to the next place where the pattern stands; None, and the end, where there is none."""
        while True:
            match = pattern.search(self.text, self.pos)
            if match is not None:
                self.skip(match.start() - self.pos)
                return match
            if self.done:
                self.skip(len(self.text) - self.pos)
                return None
            # What could be the beginning of such a place is kept, and what stands before it.
            self.skip(max(0, len(self.text) - self.pos - CHUNK_BYTES))
            self.more()

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
            except Broken as broken:
                effort += broken.scanned
        else:
            self.done, self.failure = True, f"gave up looking for the next complete item at byte {self.at}"
        self.skip(len(self.text) - self.pos)
        return False


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
