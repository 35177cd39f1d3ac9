"""Edits of TOML that somebody else wrote: a table comes and goes; everything else keeps its bytes.

tomlkit reads, deletes and writes. For it a table includes the comments below, so two things are done line by line:
those comments stay, and the empty line above the table goes with it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from io import StringIO
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from ..errors import BadInput


def set_table(text: str, name: str, value: Mapping[str, Any] | None) -> str:
    """The text with the top-level table `name` as given, or without it; BadInput if anything else would change."""
    wanted = tomllib.loads(text)
    wanted.pop(name, None)
    dropped = drop(text, (name,))
    after = dropped if value is None else put(dropped, (name,), value)
    if value is not None:
        wanted[name] = dict(value)
    try:
        found = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        found = {}
    if found != wanted:
        raise BadInput(f"The table [{name}] cannot be changed without touching others; change it by hand.")
    return after


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with a table at a path of keys: in the place of the one before, or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    written = _written(path, value).replace("\n", newline)
    runs = _runs(text, path)
    lines = _lines(text)
    if runs and lines[runs[0][0]].lstrip().startswith("["):
        (start, end), *others = runs
        ending = newline if lines[end - 1].endswith("\n") else ""
        return "".join(lines[:start]) + written.rstrip("\r\n") + ending + _without(lines, others, end)
    text = _without(lines, runs)
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + written


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the table at a path, however it is written; the same text if there is none."""
    return _without(_lines(text), _runs(text, path))


def _runs(text: str, path: Sequence[str]) -> list[tuple[int, int]]:
    """The runs of lines that only the table at a path needs, without the comments below each."""
    try:
        deleted = _deleted(tomlkit.parse(text), path)
    except TOMLKitError:  # what it cannot edit is left alone, and the caller sees that nothing changed
        return []
    if deleted is None:
        return []
    lines, left = _lines(text), _lines(deleted)
    gone, at = [], 0
    for number, line in enumerate(lines):
        if at < len(left) and line == left[at]:
            at += 1
        else:
            gone.append(number)
    if at < len(left):  # tomlkit has moved lines, as it does with an array of tables that another table interrupts
        return []
    starts = [number for number in gone if number - 1 not in gone]
    ends = [number + 1 for number in gone if number + 1 not in gone]
    runs = [(_after_holders(lines, start, end, path), end) for start, end in zip(starts, ends, strict=True)]
    return [(start, _before_comments(lines, start, end)) for start, end in runs]


def _deleted(document: tomlkit.TOMLDocument, path: Sequence[str]) -> str | None:
    """The document without the table at a path; None if it has none."""
    holder: Any = document
    for key in path[:-1]:
        holder = holder.get(key) if isinstance(holder, Mapping) else None
    if not isinstance(holder, MutableMapping) or isinstance(holder, InlineTable) or path[-1] not in holder:
        return None
    holder.pop(path[-1])
    return tomlkit.dumps(document)


def _lines(text: str) -> list[str]:
    return list(StringIO(text, newline=""))


def _after_holders(lines: Sequence[str], start: int, end: int, path: Sequence[str]) -> int:
    """Where the table itself begins: tomlkit also deletes an empty table around it that stands just above."""
    at = start
    while at < end and (_is_holder(lines[at], path) or (at > start and lines[at].strip()[:1] in ("", "#"))):
        at += 1
    return at if at < end else start


def _is_holder(line: str, path: Sequence[str]) -> bool:
    """Whether a line is the header of a table that the one at a path lies in."""
    if not line.lstrip().startswith("["):
        return False
    try:
        table: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    for key in path[:-1]:
        if not isinstance(table, dict) or list(table) != [key]:
            return False
        table = table[key]
        if table == {}:
            return True
    return False


def _before_comments(lines: Sequence[str], start: int, end: int) -> int:
    while end > start + 1 and lines[end - 1].strip()[:1] in ("", "#"):
        end -= 1
    return end


def _without(lines: Sequence[str], runs: Sequence[tuple[int, int]], at: int = 0) -> str:
    kept = ""
    for start, end in runs:
        is_table = lines[start].lstrip().startswith("[")
        gap = is_table and start > at and lines[start - 1] in ("\n", "\r\n")
        kept += "".join(lines[at : start - gap])
        at = end
    return kept + "".join(lines[at:])


def _written(path: Sequence[str], value: Mapping[str, Any]) -> str:
    """A table as text, tables in it on one line each."""
    inline, table = tomlkit.inline_table(), tomlkit.table()
    inline.update(value)
    for key, one in inline.items():
        table.add(key, one)
    whole: Any = table
    for key in reversed(path):
        whole = {key: whole}
    return tomlkit.dumps(whole)
