"""Edits JSON as text: what is not touched keeps its bytes, and removing is the inverse of adding."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .jsonc import JsonNode, JsonPart, parse_jsonc, skip


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at a path of keys; objects on the way are made where they are missing.

    ValueError if something on the way is not an object.
    """
    root = parse_jsonc(text, path[0])
    if root is None:
        return _document(text, nested(path, value))
    node, rest = root, list(path)
    while rest:
        if node.opening != "{":
            raise ValueError(".".join(path[: len(path) - len(rest)]) or "the file")
        part = node.member(rest[0])
        if part is None:
            return append(text, node, nested(rest[1:], value), rest[0])
        node, rest = part.node, rest[1:]
    return text if node.value == value else replace(text, root, node, value)


def drop(text: str, path: Sequence[str]) -> str:
    """The text without what stands at a path of keys; the same text if nothing stands there."""
    while (container := at_path(parse_jsonc(text, path[0]), path[:-1])) is not None and container.opening == "{":
        part = container.member(path[-1])
        if part is None:
            break
        text = remove_part(text, container, part)
    return text


def at_path(node: JsonNode | None, path: Sequence[str]) -> JsonNode | None:
    for key in path:
        part = node.member(key) if node is not None else None
        node = part.node if part is not None else None
    return node


def nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


# --- single steps ---------------------------------------------------------------------------------


def append(text: str, container: JsonNode, value: Any, key: str | None = None) -> str:
    """A last member or item more, laid out like those before it."""
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    closing = container.end - 1
    if not container.parts:
        return _append_first(text, container, label, value)
    last = container.parts[-1]
    inside_end = _before_space(text, closing)  # behind the last comment, if there is one
    if _is_flat(text, container):
        tight = key is not None and _is_tight(text, last)
        written = (label.rstrip() if tight else label) + _flat(value, tight)
        lead = "" if tight else " "
    else:
        indent = _indent(text, container.parts[-1].start)
        lead = newline(text) + indent
        written = label + _tall(text, value, indent)
    comma = skip(text, last.end)
    if text[comma] == ",":  # a trailing comma: it is how this file is written
        return text[:inside_end] + lead + written + "," + text[inside_end:]
    return text[: last.end] + "," + text[last.end : inside_end] + lead + written + text[inside_end:]


def remove_part(text: str, container: JsonNode, part: JsonPart) -> str:
    """A member or item less, with its comma."""
    start = _before_space(text, part.start)
    comma = skip(text, part.end)
    if text[comma] == ",":
        cut = text[:start] + text[part.end : comma] + text[comma + 1 :]
    elif (index := container.parts.index(part)) > 0:
        before = container.parts[index - 1]
        comma = skip(text, before.end)
        cut = text[: before.end] + text[before.end : comma] + text[comma + 1 : start] + text[part.end :]
    else:
        cut = text[:start] + text[part.end :]
    if len(container.parts) == 1:
        closing = container.end - 1 - (len(text) - len(cut))
        if not cut[container.start + 1 : closing].strip():
            cut = cut[: container.start + 1] + cut[closing:]
    return cut


def replace(text: str, root: JsonNode, node: JsonNode, value: Any) -> str:
    """Another value in the same place."""
    holder = _holder(root, node)
    if holder is not None and _is_flat(text, holder[0]):
        part = holder[1]
        written = _flat(value, part.key is not None and _is_tight(text, part))
    else:
        written = _tall(text, value, _indent(text, node.start))
    return text[: node.start] + written + text[node.end :]


def newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# --- layout ---------------------------------------------------------------------------------------


def _document(text: str, value: Any) -> str:
    """A whole new text, after comments that may stand alone in the file."""
    end = newline(text)
    written = _tall(text, value, "") + end
    return text.rstrip() + end + written if text.strip() else written


def _append_first(text: str, container: JsonNode, label: str, value: Any) -> str:
    outer = _indent(text, container.start)
    indent = outer + _unit(text)
    written = newline(text) + indent + label + _tall(text, value, indent)
    inside_end = max(_before_space(text, container.end - 1), container.start + 1)
    rest = text[inside_end:]
    if "\n" not in text[inside_end : container.end - 1]:
        rest = newline(text) + outer + text[container.end - 1 :]
    return text[:inside_end] + written + rest


def _tall(text: str, value: Any, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (newline(text) + indent).join(lines)


def _flat(value: Any, tight: bool) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else (", ", ": "))


def _is_flat(text: str, container: JsonNode) -> bool:
    """Whether everything stands on one line, from bracket to bracket."""
    return "\n" not in text[container.start : container.end]


def _is_tight(text: str, part: JsonPart) -> bool:
    """Whether a member is written as `"key":value`."""
    return text[part.node.start - 1] == ":"


def _indent(text: str, at: int) -> str:
    """The white space that begins the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation: what the first indented line has."""
    for line in text.split("\n"):
        if (stripped := line.lstrip(" \t")) and stripped[0] in '"{[' and len(stripped) < len(line):
            return line[: len(line) - len(stripped)]
    return "  "


def _before_space(text: str, at: int) -> int:
    while at > 0 and text[at - 1] in " \t\r\n":
        at -= 1
    return at


def _holder(root: JsonNode, node: JsonNode) -> tuple[JsonNode, JsonPart] | None:
    """The container and the part that a value stands in."""
    for part in root.parts:
        if part.node is node:
            return root, part
        if part.node.start <= node.start and node.end <= part.node.end:
            return _holder(part.node, node)
    return None
