"""What can be read of a result.json that is damaged: the messages that are whole, chat by chat."""

from __future__ import annotations

import json
import re

_DECODER = json.JSONDecoder(strict=False)
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_FIELD = re.compile(r'"(name|type|id)"\s*:\s*("(?:[^"\\]|\\.){0,300}"|-?[0-9]{1,20}|null)')
_NEXT = re.compile(r'\}\s*,\s*(?=\{\s*"id"\s*:)')
_BETWEEN = re.compile(r"[\s,]*")
# A chat's own fields stand right before its messages.
_BEFORE = 2000
# Each try may read to the end of the file: after this many, the rest is given up.
MAX_TRIES = 100


def rescued(text: str) -> list[dict[str, object]]:
    """The chats of a damaged export, each with the messages that could be read."""
    chats: list[dict[str, object]] = []
    at = tries = 0
    while tries < MAX_TRIES and (found := _MESSAGES.search(text, at)):
        fields = _FIELD.findall(text[max(at, found.start() - _BEFORE) : found.start()])
        messages: list[object] = []
        at = found.end()
        while True:
            at = _passed(text, at)
            if at >= len(text) or text[at] == "]":
                break
            try:
                value, at = _DECODER.raw_decode(text, at)
                messages.append(value)
            except (ValueError, RecursionError):
                tries += 1
                again = _NEXT.search(text, at + 1) if tries < MAX_TRIES else None
                at = again.end() if again else len(text)
        chats.append({**{key: _value(written) for key, written in fields}, "messages": messages})
    return chats


def _passed(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _value(written: str) -> object:
    try:
        value: object = json.loads(written)
    except ValueError:
        return None
    return value
