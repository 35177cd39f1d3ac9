"""What was said, and what an import met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from .redaction import Redaction

Role = Literal["user", "assistant", "system", "tool"]
SegmentKind = Literal["exchange", "utterance", "note", "chunk"]
Origin = Literal["import", "capture", "note", "document", "api"]  # how something came into the memory


@dataclass(frozen=True, slots=True)
class Turn:
    """One message by one speaker: the atom of evidence. `id` is the caller's and comes back unchanged.

    `meta` is what its source says beside the words: model, branch, ids of its own.
    """

    speaker: str
    text: str
    said_at: datetime | None = None
    id: str | None = None
    role: Role | None = None
    meta: Mapping[str, str] = field(default_factory=dict, hash=False)
    redactions: tuple[Redaction, ...] = field(default=(), compare=False)  # what was masked in it just now


@dataclass(frozen=True, slots=True)
class Session:
    """An unbroken sitting in a conversation, closed explicitly or after an idle gap."""

    id: str
    turns: tuple[Turn, ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread with its sessions, as an importer hands it over.

    One that is too long to be held comes in pieces: `continues` means more of the one right before it.
    """

    id: str
    sessions: tuple[Session, ...]
    title: str | None = None
    source: str | None = None
    continues: bool = False


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session in a list: its times, state and size, with its conversation's title and source."""

    conversation: str
    id: str
    started_at: datetime
    last_at: datetime
    closed: bool
    turns: int
    segments: int
    title: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """Who said which part of a segment's text, and when: `text[start:end]` are the very words."""

    speaker: str
    said_at: datetime
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """What is embedded, searched, ranked and cited: an exchange, or one utterance of a talk.

    `spoken` has a part for each turn: labels within a text of several turns can be imitated, these cannot.
    """

    id: str
    session_id: str
    conversation_id: str
    index: int
    kind: SegmentKind
    turn_ids: tuple[str, ...]
    speakers: tuple[str, ...]
    said_at: datetime
    text: str
    spoken: tuple[Spoken, ...] = ()
    origin: Origin = "api"


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that could not be imported: where it is and why.

    `damage` is what makes a source incomplete: a part of it is broken or cut off, and could not be read.
    """

    path: str
    where: str
    reason: str
    damage: bool = False


@dataclass(frozen=True, slots=True)
class RememberReport:
    """What one write added; zeros mean that everything was already known."""

    conversations: int = 0
    sessions: int = 0
    turns: int = 0
    segments: int = 0
    edges: int = 0
    known_turns: int = 0
    purged_turns: int = 0  # were purged before and not added again
    problems: tuple[Problem, ...] = ()
    redactions: Mapping[str, int] = field(default_factory=dict, hash=False)  # what was masked in it, by rule
    waiting: int = 0  # segments that get their vectors later: the embedder was away


@dataclass(frozen=True, slots=True)
class Extra:
    """A line of an export other than conversation: about a note, a repeat, a link, a user's word, or the user."""

    kind: Literal["note", "repeat", "link", "decision", "me", "entity"]
    fields: Mapping[str, Any]
    where: str
