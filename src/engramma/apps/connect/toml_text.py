"""Edits of TOML as text: a table of ours is added at the end and taken out again; everything else keeps its bytes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True, slots=True)
class Statement:
    """A table's header or a key with its value: the full path, and where it stands, to the end of its line."""

    path: tuple[str, ...]
    start: int
    end: int
    is_header: bool


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with a table at a path of keys: in the place of the one before, or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    written = newline.join(_table(path, value)) + newline
    old = [one for one in statements(text) if one.path[: len(path)] == tuple(path)]
    if old and old[0].is_header and old[0].path == tuple(path):
        start, end = old[0].start, _last_own(text, old[0], old)
        rest = drop(text[end:], path, within=_open_table(text[:end]))
        return text[:start] + written.rstrip("\r\n") + _line_end(text[:end], newline) + rest
    text = drop(text, path)
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + written


def drop(text: str, path: Sequence[str], within: tuple[str, ...] = ()) -> str:
    """The text without the table at a path, however it is written; the same text if there is none."""
    for one in reversed(statements(text, within)):
        if one.path[: len(path)] == tuple(path):
            start = one.start
            if one.is_header and _is_blank_line(text, start):  # the gap that stood before it
                start = text.rfind("\n", 0, start - 1) + 1
            text = text[:start] + text[one.end :]
    return text


def statements(text: str, within: tuple[str, ...] = ()) -> list[Statement]:
    """Every header and every key of a valid text, in order."""
    found: list[Statement] = []
    at, table = 0, within
    while at < len(text):
        at = _past(text, at, " \t\r\n")
        if at >= len(text):
            break
        if text[at] == "#":
            at = _line_after(text, at)
            continue
        start = text.rfind("\n", 0, at) + 1
        if text[at] == "[":
            table, at = _key_path(text, _past(text, at, "[ \t"))
            at = _line_after(text, at)
            found.append(Statement(table, start, at, True))
        else:
            keys, at = _key_path(text, at)
            at = _line_after(text, _past_value(text, _past(text, at, " \t=")))
            found.append(Statement((*table, *keys), start, at, False))
    return found


def _last_own(text: str, header: Statement, own: Sequence[Statement]) -> int:
    """Where the keys right under a header end."""
    end = header.end
    for one in statements(text):
        if one.start < header.end:
            continue
        if one not in own:
            break
        end = one.end
    return end


def _open_table(text: str) -> tuple[str, ...]:
    return next((one.path for one in reversed(statements(text)) if one.is_header), ())


def _line_end(text: str, newline: str) -> str:
    return newline if text.endswith("\n") else ""


def _is_blank_line(text: str, start: int) -> bool:
    """Whether the line before a place is empty."""
    before = text[:start]
    return before.endswith(("\n\n", "\n\r\n")) or before in ("\n", "\r\n")


# --- reading --------------------------------------------------------------------------------------


def _past(text: str, at: int, letters: str) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at


def _line_after(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _key_path(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """A dotted key, and the place behind it."""
    keys: list[str] = []
    while True:
        at = _past(text, at, " \t")
        end = _past_string(text, at) if text[at] in "\"'" else _past_bare(text, at)
        written = text[at:end]
        keys.append(next(iter(tomllib.loads(f"{written} = 0"))))
        at = _past(text, end, " \t")
        if text[at : at + 1] != ".":
            return tuple(keys), at
        at += 1


def _past_bare(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BARE:
        at += 1
    return at


def _past_string(text: str, at: int) -> int:
    quote = text[at]
    mark = quote * 3 if text.startswith(quote * 3, at) else quote
    at += len(mark)
    while not text.startswith(mark, at):
        at += 2 if quote == '"' and text[at] == "\\" else 1
    at += len(mark)
    while len(mark) == 3 and text[at : at + 1] == quote:  # quotes that belong to the text
        at += 1
    return at


def _past_value(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        letter = text[at]
        if letter in "\"'":
            at = _past_string(text, at)
            continue
        if letter == "#":
            if not depth:
                return at
            at = _line_after(text, at) - 1
        elif letter == "\n" and not depth:
            return at
        depth += (letter in "[{") - (letter in "]}")
        at += 1
    return at


# --- writing --------------------------------------------------------------------------------------


def _table(path: Sequence[str], value: Mapping[str, Any]) -> list[str]:
    return [f"[{'.'.join(map(_key, path))}]", *(f"{_key(key)} = {_value(one)}" for key, one in value.items())]


def _key(key: str) -> str:
    return key if key and set(key) <= _BARE else _string(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return repr(value)


def _string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for the one letter that JSON leaves alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
