"""JSON out of files: one value over the whole file, or a value a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ..errors import UnreadableSource
from ..files import foreign_json
from ..records import Problem
from .files import HEAD_BYTES, describe_file, document, read_lines, read_text_head

Located = tuple[str, object]


def parse_json(text: str) -> object:
    """The JSON value of a text; every way to fail is a ValueError that says where."""
    try:
        value: object = foreign_json.loads(text)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if "\n" not in text else f"line {error.lineno}, column {error.colno}"
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        raise ValueError(
            f"not JSON: {error.msg.removesuffix(' at')} at {place}{'; it ends too early' if cut else ''}"
        ) from None
    except foreign_json.TooDeep as error:
        raise ValueError(f"not usable JSON: {error}") from None
    except ValueError:
        raise ValueError("not usable JSON: a number with thousands of digits") from None
    return value


def first_value(text: str) -> object:
    """The JSON value at the beginning of a text, None where none is whole: for looking only."""
    try:
        value: object = foreign_json.raw_decode(text.lstrip())[0]
    except ValueError:
        return None
    return value


def document_value(path: Path) -> object:
    """The one JSON value that a file holds."""
    text = document(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise UnreadableSource(f"{path} is {error}. Seen: {describe_file(path, text[:HEAD_BYTES])}.") from None


def read_json_values(path: Path) -> Iterator[Located | Problem]:
    """The top values of a file with their places: the lines, or the items of the one value."""
    if _is_one_value(read_text_head(path).lstrip()):
        value = document_value(path)
        items = value if isinstance(value, list) else [value]
        yield from ((f"item {n}", item) for n, item in enumerate(items, start=1))
        return
    for line in read_lines(path):
        if isinstance(line, Problem):
            yield line
            continue
        number, text = line
        try:
            yield f"line {number}", parse_json(text)
        except ValueError as error:
            yield Problem(str(path), f"line {number}", f"{error}; skipped", damage=True)


def _is_one_value(start: str) -> bool:
    """Whether the text is one JSON value over several lines, and not a value a line."""
    if start.startswith("["):
        return True
    first, newline, rest = start.partition("\n")
    try:
        parse_json(first)
        return False
    except ValueError:
        # A line that cannot stand alone: the opening of a longer value, or a damaged line among
        # whole ones, which begin with a brace each.
        opening = first.rstrip().endswith(("{", "[", ",", ":"))
        return bool(newline) and (opening or not rest.startswith("{"))
