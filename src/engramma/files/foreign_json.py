"""Parses JSON that somebody else wrote: files to import, requests, replies of servers and of models.

Python's own parser goes as deep as the interpreter's recursion limit lets it, which differs between versions and with
how deep the caller stands. Here the limit is ours and the same everywhere, and every failure is a ValueError.
"""

from __future__ import annotations

import json
from typing import Any

# What nests deeper is an attack or a mistake: exports, tool calls and schemas stay below 40. MCP's own parser draws
# the line here too. Code that walks a value level by level needs two frames a level at most, of Python's 1,000.
MAX_DEPTH = 200

_STRICT, _LENIENT = json.JSONDecoder(), json.JSONDecoder(strict=False)


class TooDeep(ValueError):
    """JSON that nests deeper than MAX_DEPTH levels."""

    def __init__(self) -> None:
        super().__init__(f"nested too deeply: more than {MAX_DEPTH} levels")


def loads(text: str | bytes, *, strict: bool = True) -> Any:
    """The value of a JSON text; ValueError for what is no JSON, nests too deeply or has thousands of digits."""
    try:
        value = json.loads(text, strict=strict)
    except RecursionError:
        raise TooDeep from None
    if may_be_deep(text):
        check_depth(value)
    return value


def raw_decode(text: str, start: int = 0, *, strict: bool = True) -> tuple[Any, int]:
    """The JSON value that begins at a place of a text and where it ends; fails as `loads` does."""
    try:
        value, end = (_STRICT if strict else _LENIENT).raw_decode(text, start)
    except RecursionError:
        raise TooDeep from None
    if may_be_deep(text, start, end):
        check_depth(value)
    return value, end


def check_depth(value: object) -> None:
    """TooDeep if lists and objects nest deeper than MAX_DEPTH levels in the value."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return
        level = [
            part
            for parts in level
            for part in (parts.values() if type(parts) is dict else parts)
            if type(part) is dict or type(part) is list
        ]
    if level:
        raise TooDeep


def may_be_deep(text: str | bytes, start: int = 0, end: int | None = None) -> bool:
    """Whether a text has brackets enough to nest too deeply: most have not, and need no second look."""
    if isinstance(text, str):
        return text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH
    return text.count(b"[", start, end) + text.count(b"{", start, end) > MAX_DEPTH


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object of a reply, also where words or a fence stand around it."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = loads(text[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
