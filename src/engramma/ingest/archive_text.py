"""A session as the text that the archive holds of it, and back.

    namespace: default
    conversation: trip
    session: trip-1
    turns: 2

    [2026-02-03T18:00:00Z] Ana <t1>
    We booked the night train.

    [2026-02-03T18:01:00Z] assistant (assistant) <t2>
    Noted.

What is said stands there verbatim, so it may look like one of these lines, and so may a name with a line break in it.
Where reading the text back would then give another session, a last line says exactly what is where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from ..errors import UnreadableSource
from ..files import foreign_json
from ..language.times import format_time, parse_time
from ..records import Role, Turn

ROLES = get_args(Role)
EXACT = "exact: "
_HEAD = re.compile(r"namespace: (.*)\nconversation: (.*)\nsession: (.*)\nturns: ([0-9]{1,9})\n\n")
_TURN = re.compile(rf"\[([0-9T:.-]+Z)\] (.*?)(?: \(({'|'.join(ROLES)})\))? <(.*)>\n")


@dataclass(frozen=True, slots=True)
class ArchivedSession:
    """What a file of the archive says: a session with its turns, and where it belongs."""

    namespace: str
    conversation: str
    session: str
    turns: tuple[Turn, ...]
    missing: int = 0  # turns that the file says it has and that cannot be found in it


def render_session(namespace: str, conversation: str, session: str, turns: Sequence[Turn]) -> str:
    """A session as text: verbatim turns, each under a line with its time, speaker and id."""
    head = f"namespace: {namespace}\nconversation: {conversation}\nsession: {session}\nturns: {len(turns)}\n\n"
    text = head + "\n".join(_headed(turn) + f"{turn.text}\n" for turn in turns)
    told = ArchivedSession(namespace, conversation, session, tuple(map(_shown, turns)))
    try:
        is_plain = parse_session(text) == told
    except UnreadableSource:
        is_plain = False
    return text if is_plain else f"{text}{EXACT}{exactly(told)}\n"


def _headed(turn: Turn) -> str:
    assert turn.said_at is not None
    role = f" ({turn.role})" if turn.role else ""
    return f"[{format_time(turn.said_at)}] {turn.speaker}{role} <{turn.id}>\n"


def _shown(turn: Turn) -> Turn:
    """A turn without what the archive does not tell of it."""
    return Turn(turn.speaker, turn.text, turn.said_at, turn.id, turn.role)


def parse_session(text: str) -> ArchivedSession:
    """The session that a file of the archive holds; what was cut off its end is counted as missing."""
    body, _, last = text.removesuffix("\n").rpartition("\n")
    if last.startswith(EXACT) and text.endswith("\n"):
        found = parse_exact(f"{body}\n", last.removeprefix(EXACT))
        if found is not None:
            return found
    head = _HEAD.match(text)
    if head is None:
        raise UnreadableSource("it does not start like an archive file")
    namespace, conversation, session, count = head.groups()
    turns = parse_turns(text, head.end(), int(count))
    return ArchivedSession(namespace, conversation, session, turns, int(count) - len(turns))


def parse_turns(text: str, at: int, count: int) -> tuple[Turn, ...]:
    """Turns one after the other. Of more lines that look like the head of a turn than there are turns, the first."""
    matches = _TURN.finditer(text, at)
    heads = [match for match in matches if match.start() == at or text.endswith("\n\n", 0, match.start())]
    heads = [match for match in heads if _time_of(match[1]) is not None][:count]
    ends = [match.start() - 1 for match in heads[1:]] + [len(text)] * bool(heads)
    found = []
    for match, end in zip(heads, ends, strict=True):
        said = text[match.end() : end].removesuffix("\n")
        found.append(Turn(match[2], said, _time_of(match[1]), match[4], role_of(match[3])))
    return tuple(found)


def exactly(told: ArchivedSession) -> str:
    turns = [[format_time(t.said_at), t.speaker, t.role, t.id, len(t.text)] for t in told.turns if t.said_at]
    return json.dumps([told.namespace, told.conversation, told.session, turns], ensure_ascii=True)


def parse_exact(body: str, line: str) -> ArchivedSession | None:
    """What the last line says, if the rest of the file is just that; else it is a part of what was said."""
    try:
        namespace, conversation, session, listed = foreign_json.loads(line)
        head = f"namespace: {namespace}\nconversation: {conversation}\nsession: {session}\nturns: {len(listed)}\n\n"
        at, turns = len(head), []
        for n, (moment, speaker, role, id, length) in enumerate(listed):
            turn = Turn(speaker, "", parse_time(moment), id, role_of(role))
            at += len(_headed(turn)) + (1 if n else 0)
            turns.append(Turn(speaker, body[at : at + length], turn.said_at, id, turn.role))
            at += length + 1
        written = head + "\n".join(_headed(turn) + f"{turn.text}\n" for turn in turns)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return ArchivedSession(namespace, conversation, session, tuple(turns)) if written == body else None


def _time_of(text: str) -> Any:
    try:
        return parse_time(text)
    except ValueError:
        return None


def role_of(name: str | None) -> Role | None:
    return next((role for role in ROLES if role == name), None)
