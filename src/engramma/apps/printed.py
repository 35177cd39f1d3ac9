"""What a command prints, as a value: a daemon makes it for a command that asks it, and the command prints it.

Light, because a command that is answered by a daemon imports little more than this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .styled import STYLES, Styled


class Printed(NamedTuple):
    """Data as JSON or as lines for people, and remarks beside it."""

    data: str | None = None  # as JSON, where that was asked for; then there are no lines
    lines: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()  # without secrets


def packed(printed: Printed) -> dict[str, Any]:
    """As JSON values; a line with styles is the list of its parts."""
    lines = [[list(part) for part in line.parts] if isinstance(line, Styled) else line for line in printed.lines]
    return {"data": printed.data, "lines": lines, "remarks": list(printed.remarks)}


def unpacked(value: Any) -> Printed:
    """The same again; ValueError for anything else."""
    try:
        data, remarks = value["data"], tuple(value["remarks"])
        lines = tuple(line if isinstance(line, str) else styled_line(line) for line in value["lines"])
    except (KeyError, TypeError) as error:
        raise ValueError("this is nothing to print") from error
    if not all(isinstance(one, str) for one in (data or "", *remarks)):
        raise ValueError("this is nothing to print")
    return Printed(data, lines, remarks)


def styled_line(parts: Any) -> Styled:
    made = [(text, style) for text, style in parts]
    if not all(isinstance(text, str) and (style in STYLES or style == "") for text, style in made):
        raise ValueError("this is no line")
    return Styled(*made)
