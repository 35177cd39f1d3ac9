"""Values under names, over sessions of one conversation: each version is a session, and the last visible one counts.

Writing stores a new version and then forgets those before it, so that recall knows only what holds now and nothing
is lost: `undo` brings an earlier version back. Writers take turns, in this process and in others, so that a writer who
read something else than what stands there is told before anything of it is stored.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from ...files.locks import hold_lock
from ...language.text import shorten
from ...memory import Memory
from ...records import Turn
from .packing import make_storable

LOCK = "adapters.lock"  # in the store: held while a version is written
MARK = "#"  # between a name and its version in a session's id
PIECE = 2_000  # characters of a turn: a longer text becomes several, each of which recall finds
SPEAKER = 200  # characters of what the turns are labelled with
LAST_WINS: Literal["last wins"] = "last wins"


@dataclass(frozen=True, slots=True)
class Version:
    """What was stored under a name at one time."""

    name: str
    session: str
    turns: tuple[Turn, ...]

    @property
    def text(self) -> str:
        return "".join(turn.text for turn in self.turns)

    @property
    def meta(self) -> Mapping[str, str]:
        return self.turns[0].meta

    @property
    def at(self) -> datetime:
        stored = self.turns[0].said_at
        assert stored is not None
        return stored


def mask_slot_name(memory: Memory, name: str) -> str:
    """The name under which something is kept: without its secrets."""
    return memory.redactor.mask_name(name)


def versions(memory: Memory, conversation: str, prefix: str = "") -> list[Version]:
    """Every visible version under names that begin with a prefix, in the order in which they were stored."""
    turns: dict[str, list[Turn]] = {}
    for session, turn in memory.turns_under(conversation, prefix):
        turns.setdefault(session, []).append(turn)
    return [Version(session.rpartition(MARK)[0], session, tuple(own)) for session, own in turns.items()]


def current(memory: Memory, conversation: str, prefix: str = "") -> dict[str, Version]:
    """What holds now under each name that begins with a prefix."""
    return {version.name: version for version in versions(memory, conversation, prefix)}


def versions_of(memory: Memory, conversation: str, name: str) -> list[Version]:
    """Every visible version under one name."""
    stored = mask_slot_name(memory, name)
    return [v for v in versions(memory, conversation, f"{stored}{MARK}") if v.name == stored]


def get(memory: Memory, conversation: str, name: str) -> Version | None:
    """What holds now under a name."""
    found = versions_of(memory, conversation, name)
    return found[-1] if found else None


def store_version(
    memory: Memory,
    conversation: str,
    name: str,
    text: str,
    *,
    speaker: str,
    meta: Mapping[str, str] | None = None,
    after: Version | Literal["last wins"] | None = LAST_WINS,
) -> bool:
    """Store a version and forget those before it; False, and nothing is stored, if another than `after` stands there.

    `after` None means that there must be nothing under the name yet.
    """
    number = uuid.uuid4().hex[:16]
    session = f"{mask_slot_name(memory, name)}{MARK}{number}"
    label = shorten(" ".join(make_storable(speaker).split()), SPEAKER) or "memory"
    pieces = cut_value_text(memory.redactor.mask(text).text)
    with hold_lock(memory.path / LOCK, wait=True):
        before = versions_of(memory, conversation, name)
        last = before[-1].session if before else None
        if after != LAST_WINS and last != (None if after is None else after.session):
            return False
        moment = datetime.now(UTC)
        turns = [
            Turn(label, part, moment, f"{number}.{position}", meta=(meta or {}) if not position else {})
            for position, part in enumerate(pieces)
        ]
        memory.remember_session(conversation, session, turns)
        forget_versions(memory, conversation, before)
    return True


def forget_versions(memory: Memory, conversation: str, gone: Iterable[Version]) -> None:
    """Forget versions: nobody finds them any more, and each can be brought back with `undo`."""
    for version in gone:
        memory.forget(conversation=conversation, session=version.session)


def cut_value_text(text: str) -> list[str]:
    """A text in pieces that together are the text: between lines where there are any, and none of them blank."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        for part in (line[at : at + PIECE] for at in range(0, len(line), PIECE)):
            fits = found and len(found[-1]) + len(part) <= PIECE
            if found and (fits or not part.strip() or not found[-1].strip()):
                found[-1] += part
            else:
                found.append(part)
    return found
