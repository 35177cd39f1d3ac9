"""Takes what is given for options as it stands, where nothing about it has to be converted or complained of.

Typer converts by pydantic, whose import takes as long as a recall that a daemon answers. Everything but plain texts,
whole numbers and paths that can be read still goes that way, so that messages are typer's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

MOST_DIGITS = 15
PATH_CHECKS = {"exists": False, "file_okay": True, "dir_okay": True, "writable": False, "resolve_path": False}


class NotPlain(Exception):
    """This value is typer's to convert."""


def take_plain_values(options: Iterable[Any]) -> None:
    """Let a command's options take plain values without typer's converter."""
    for one in options:
        if "process_value" not in vars(one) and hasattr(one, "type_descriptor"):
            one.process_value = partial(processed, one, one.process_value)


def processed(option: Any, converted: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """What an option's value means."""
    try:
        value = plain_value(option, value)
    except (NotPlain, AttributeError):  # or a typer that describes its options otherwise
        return converted(context, value)
    return value if option.callback is None else option.callback(context, option, value)


def plain_value(option: Any, value: Any) -> Any:
    described, is_list = option.type_descriptor, option.multiple or option.nargs != 1
    info, kind = described.parameter_info, described.annotation
    if value is None and not option.required:
        return () if is_list else None
    if info.parser is not None or info.min is not None or info.max is not None:
        raise NotPlain
    if kind == list[str] and value and all(isinstance(one, str) and has_whole_characters(one) for one in value):
        return list(value)
    if is_list or not isinstance(value, str) or not has_whole_characters(value):
        raise NotPlain
    if kind is str:
        return value
    if kind is int and value.isascii() and value.isdecimal() and len(value) <= MOST_DIGITS:
        return int(value)
    unchecked = all(getattr(info, name) is usual for name, usual in PATH_CHECKS.items()) and not info.allow_dash
    if kind is Path and unchecked and os.access(value, os.R_OK):
        return Path(value)
    raise NotPlain


def has_whole_characters(text: str) -> bool:
    """Whether a text is all characters: bytes of the command line that are none come as halves of pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
