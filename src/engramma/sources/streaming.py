"""The items of one long JSON list, an item at a time: a file of any length takes the memory of its longest item.

A damaged item is given up and the search goes on for the next place where a whole record stands, so
that one bad conversation costs only itself; a parser of events would end at the first wrong byte.
Positions are bytes from the beginning of the file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .json_text import Broken, JsonText

_WRAPPER = re.compile(r'\s*\{(?:(?!"mapping"|"chat_messages").)*?"conversations"\s*:\s*(?=\[)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class StreamedItem:
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


def items(file: io.BufferedReader, is_record: Callable[[object], bool]) -> Iterator[StreamedItem | Damage]:
    """The items of the list in a file; also of `{"conversations": [...]}` and of objects a line.

    `is_record` tells a whole record from a part of a damaged one, where reading is taken up again.
    """
    text = JsonText(file)
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
        except Broken as broken:
            is_followed = text.seek_record(is_record)
            if is_followed or not broken.is_cut:
                yield Damage(number, begin, f"{broken}; skipped")
            if not is_followed:
                # Brackets count no more: what was passed over may have closed them.
                is_cut, depth = broken.is_cut, 0
                break
            continue
        note, mended = text.taken(end)
        yield StreamedItem(number, begin, value if mended is None else mended, note)
    if text.failure or depth > 0 or is_cut:
        reason = text.failure or f"the file ends too early, at byte {text.at}"
        yield Damage(
            max(1, number), text.at, f"{reason}; everything complete before it was imported, the rest is skipped"
        )
