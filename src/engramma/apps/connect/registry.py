"""Finds, adds and removes Engramma's entry in a client's settings. Text in, text out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import UnreadableSource
from ...files import toml_text
from . import claude_hooks, json_text
from .clients import REACH, AssistantClient
from .files import decode_settings
from .jsonc import Damaged, parse_jsonc

REPAIR = "It was left as it is: fix or move it, then try again; `--print` shows what would be added."


class Servers:
    """Our server in a client's table of servers."""

    what = "server"

    def __init__(self, client: AssistantClient) -> None:
        self.client = client
        self.edit = toml_text if client.format == "toml" else json_text

    def found(self, path: Path, data: bytes | None) -> dict[str, Any] | None:
        """Our entry as it stands there."""
        table = _value_of(path, data, self.client.format).get(self.client.table, {})
        if not isinstance(table, dict):
            raise UnreadableSource(f"{path}: {self.client.table!r} is not a table of servers. {REPAIR}")
        entry = table.get(self.client.path[1])
        if entry is not None and not isinstance(entry, dict):
            raise UnreadableSource(f"{path}: the entry {self.client.path[1]!r} is not a table. {REPAIR}")
        return entry

    def merged(self, old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
        """Our keys as they are now, and whatever the user added to the entry."""
        return {**new, **{key: value for key, value in (old or {}).items() if key not in REACH}}

    def put(self, path: Path, data: bytes | None, entry: Mapping[str, Any]) -> bytes:
        mark, text = decode_settings(path, data or b"")
        before = _value_of(path, data, self.client.format)
        after = (mark + self.edit.put(text, self.client.path, dict(entry))).encode("utf-8")
        table, name = self.client.path
        wanted = {**before, table: {**before.get(table, {}), name: dict(entry)}}
        return self._checked(path, after, wanted)

    def drop(self, path: Path, data: bytes, *, with_table: bool = False) -> bytes:
        """Without our entry; without its table, too, if that was made for it and is empty now."""
        mark, text = decode_settings(path, data)
        table, name = self.client.path
        wanted = _value_of(path, data, self.client.format)
        text = self.edit.drop(text, self.client.path)
        wanted = {**wanted, table: {key: one for key, one in wanted.get(table, {}).items() if key != name}}
        if not wanted[table] and (with_table or self.client.format == "toml"):
            text = self.edit.drop(text, (table,)) if with_table else text
            if table not in _value_of(path, (mark + text).encode("utf-8"), self.client.format):
                del wanted[table]
        return self._checked(path, (mark + text).encode("utf-8"), wanted)

    def has_table(self, path: Path, data: bytes | None) -> bool:
        return self.client.table in _value_of(path, data, self.client.format)

    def _checked(self, path: Path, after: bytes, wanted: dict[str, Any]) -> bytes:
        return _checked(path, after, wanted, self.client.format)


class Hooks:
    """Our hooks in Claude Code's settings."""

    what = "hooks"

    def found(self, path: Path, data: bytes | None) -> dict[str, Any] | None:
        value = _value_of(path, data, "json")
        problem = claude_hooks.problem(value)
        if problem:
            raise UnreadableSource(f"{path}: {problem}. {REPAIR}")
        return claude_hooks.found(value) or None

    def merged(self, old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
        return new

    def put(self, path: Path, data: bytes | None, entry: Mapping[str, Any]) -> bytes:
        mark, text = decode_settings(path, data or b"")
        after = (mark + claude_hooks.put_hooks(text, entry)).encode("utf-8")
        return _checked(path, after, claude_hooks.with_hooks(_value_of(path, data, "json"), entry), "json")

    def drop(self, path: Path, data: bytes, *, with_table: bool = False) -> bytes:
        mark, text = decode_settings(path, data)
        after = (mark + claude_hooks.drop_hooks(text, with_table=with_table)).encode("utf-8")
        wanted = claude_hooks.without_hooks(_value_of(path, data, "json"), with_table=with_table)
        return _checked(path, after, wanted, "json")

    def has_table(self, path: Path, data: bytes | None) -> bool:
        return "hooks" in _value_of(path, data, "json")


def _value_of(path: Path, data: bytes | None, format: str) -> dict[str, Any]:
    """What a settings file says; refused, with file and line, if it is damaged."""
    _, text = decode_settings(path, data or b"")
    if format == "toml":
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise UnreadableSource(f"{path} is damaged: {error}. {REPAIR}") from error
    try:
        node = parse_jsonc(text, "")
    except Damaged as error:
        raise UnreadableSource(f"{path} is damaged: {error}. {REPAIR}") from error
    if node is None:
        return {}
    if node.opening != "{":
        raise UnreadableSource(f"{path} is not a JSON object. {REPAIR}")
    value: dict[str, Any] = node.value
    return value


def _checked(path: Path, after: bytes, wanted: dict[str, Any], format: str) -> bytes:
    """The bytes, if they say exactly what they should and nothing else changed."""
    try:
        says = _value_of(path, after, format)
    except UnreadableSource:
        says = None
    if says != wanted:
        raise UnreadableSource(
            f"{path} is written in a way that cannot be edited safely. {REPAIR.partition(':')[0]}; "
            "`--print` shows the entry, so that you can add or delete it by hand."
        )
    return after
