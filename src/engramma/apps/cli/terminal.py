"""Writes to a terminal safely: stored text must not control it.

A turn may hold escape sequences that set a clipboard, a title, or clear the screen, and marks that show letters in
another order than they stand. In all that commands write for people such characters become visible (`\\x1b`), also
where it goes to a pipe: who reads that may be a terminal, too (`less`, `tail`). `--json` escapes them as JSON does, and
`export` gives what was stored, byte for byte. Colours are for a terminal only, and not where NO_COLOR is set.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

# Control characters of both sets but for line end and tab; marks of direction; separators; tags nobody can see.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """A text that does nothing to a terminal but appear on it."""
    return UNSAFE.sub(lambda found: _escaped(ord(found[0])), text)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x7F else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class Terminal(io.TextIOWrapper):
    """A terminal that is written to in plain characters. `unfiltered` is for bars and colours of our own making."""

    unfiltered: TextIO

    def write(self, text: str) -> int:
        super().write(visible(text))
        return len(text)


def in_colours(stream: TextIO) -> bool:
    """Whether a stream is a terminal that may be shown colours (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def screen() -> tuple[int, int]:
    """Columns and rows of the terminal; of a usual one where there is none."""
    size = shutil.get_terminal_size((80, 24)) if sys.stdout.isatty() else os.terminal_size((80, 24))
    return max(40, size.columns), max(10, size.lines)


def escaped_json(text: str) -> str:
    """JSON in which nothing speaks to a terminal; it is the same value."""
    return UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1] if found[0] != "\n" else found[0], text)


def guard() -> None:
    """Let everything that this process prints to a terminal be plain from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, Terminal) and stream.isatty():
            stream.flush()
            guarded = Terminal(stream.buffer, stream.encoding, "backslashreplace", line_buffering=True)
            guarded.unfiltered = stream
            setattr(sys, name, guarded)


def unfiltered(stream: TextIO) -> TextIO:
    """The terminal itself, for what draws on it; whoever does makes the texts in it visible."""
    return stream.unfiltered if isinstance(stream, Terminal) else stream


def visible_within(value: Any) -> Any:
    """The same for every text in a record of figures."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible_within(name): visible_within(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [visible_within(one) for one in value]
    return value
