"""Reads JSON as settings files have it, with comments and trailing commas, and remembers where everything stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from ...files import foreign_json

MAX_DEPTH = 200  # no settings file is deeper; a damaged one must not exhaust the stack

_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_SPACE = " \t\r\n"


class Damaged(ValueError):
    """Text that is no JSON, with the line where that shows."""

    def __init__(self, text: str, at: int, what: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        self.what = what
        super().__init__(f"line {self.line}, column {self.column}: {what}")


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A member of an object (with its key) or an item of an array: where it begins and ends, and its value."""

    key: str | None
    start: int
    node: JsonNode

    @property
    def end(self) -> int:
        return self.node.end


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and its place in the text; `opening` is the bracket of an object or array, else empty."""

    start: int
    end: int
    value: Any
    opening: str = ""
    parts: tuple[JsonPart, ...] = ()

    def member(self, key: str) -> JsonPart | None:
        """The member that counts: the last, where a key stands twice."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


def parse_jsonc(text: str, only: str | None = None) -> JsonNode | None:
    """The value of a whole text; None if it holds nothing but space and comments.

    With `only`, the parts are known of what stands under that key of an object, and of the rest just the values: some
    programs keep years of history in their settings.
    """
    at = skip(text, 0)
    if at == len(text):
        return None
    node = _value(text, at, 0, only)
    rest = skip(text, node.end)
    if rest != len(text):
        raise Damaged(text, rest, "there is something after the end of the value")
    return node


def skip(text: str, at: int) -> int:
    """Past white space and comments."""
    while at < len(text):
        if text[at] in _SPACE:
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise Damaged(text, at, "a comment is not closed")
            at = end + 2
        else:
            break
    return at


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and its like, which Python reads


_PLAIN = json.JSONDecoder(parse_constant=_no_number)


def _at_once(text: str, at: int) -> JsonNode | None:
    """A value by Python's own parser, which is faster by far; None where comments or damage need ours."""
    try:
        value, end = _PLAIN.raw_decode(text, at)
        foreign_json.check_depth(value)
    except (ValueError, RecursionError):
        return None
    return JsonNode(at, end, value, text[at] if text[at] in "{[" else "")


def _value(text: str, at: int, depth: int, only: str | None = None) -> JsonNode:
    if depth > MAX_DEPTH:
        raise Damaged(text, at, f"nested deeper than {MAX_DEPTH} levels")
    first = text[at : at + 1]
    if first in ("{", "["):
        return _container(text, at, depth, only)
    if first == '"':
        return _string(text, at)
    if found := _NUMBER.match(text, at):
        try:
            return JsonNode(at, found.end(), json.loads(found[0]))
        except ValueError:
            raise Damaged(text, at, "a number has too many digits") from None
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return JsonNode(at, at + len(word), value)
    raise Damaged(text, at, "the file ends too early" if not first else f"{first!r} is not the start of a value")


def _container(text: str, start: int, depth: int, only: str | None) -> JsonNode:
    opening = text[start]
    closing = "}" if opening == "{" else "]"
    parts: list[JsonPart] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != closing:
        begin, key = at, None
        if opening == "{":
            key, at = _key(text, at)
        known = _at_once(text, at) if only is not None and key != only else None
        node = known or _value(text, at, depth + 1)
        parts.append(JsonPart(key, begin, node))
        at = skip(text, node.end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
        elif text[at : at + 1] != closing:
            wanted = f"',' or {closing!r}"
            raise Damaged(text, at, f"{wanted} is missing" if at < len(text) else f"the file ends before {closing!r}")
    value: Any = {part.key: part.node.value for part in parts} if opening == "{" else [p.node.value for p in parts]
    return JsonNode(start, at + 1, value, opening, tuple(parts))


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        raise Damaged(text, at, "a key in double quotes is missing" if at < len(text) else "the file ends too early")
    key = _string(text, at)
    at = skip(text, key.end)
    if text[at : at + 1] != ":":
        raise Damaged(text, at, "':' is missing after a key")
    return key.value, skip(text, at + 1)


def _string(text: str, at: int) -> JsonNode:
    found = _STRING.match(text, at)
    if not found:
        raise Damaged(text, at, "a string does not end on its line, or contains a character that must be escaped")
    return JsonNode(at, found.end(), json.loads(found[0]))
