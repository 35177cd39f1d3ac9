"""Notes, their links and topics, and what is done to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

MAX_TAGS, MAX_TAG = 50, 100  # of a note, and characters of one
# Metadata of a note: entries, characters of a name, and characters of all names and values together.
MAX_META_ENTRIES, MAX_META_NAME, MAX_META_SIZE = 50, 100, 8_000

State = Literal["live", "archived", "retired", "forgotten"]
LinkKind = Literal["related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something kept on purpose: its words, who wrote it when, and what is known of its use."""

    id: str
    text: str
    speaker: str
    created: datetime
    tags: tuple[str, ...]
    strength: float
    quality: float
    source: str | None
    session: str | None
    recalls: int
    last_recalled: datetime | None
    expires_at: datetime | None
    repeats: int
    state: State
    meta: Mapping[str, str] = field(default_factory=dict, hash=False)  # names and values that came with it


@dataclass(frozen=True, slots=True)
class Repeat:
    """What was said again and counted at the note it repeats: verbatim, with its source."""

    id: str
    note: str
    speaker: str
    text: str
    said_at: datetime
    source: str | None
    session: str | None
    similarity: float


@dataclass(frozen=True, slots=True)
class Link:
    """A typed edge between two segments. `first_weight` is its weight before anything was learnt."""

    source: str
    kind: str
    target: str
    weight: float
    first_weight: float
    label: str | None
    author: str
    provenance: str | None
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a note: stored, or counted as a repeat of one that says the same."""

    note: Note
    is_new: bool
    similarity: float | None = None
    links: tuple[Link, ...] = ()
    is_waiting: bool = False  # for its vector: the embedder was away, so nobody knows yet what it repeats


@dataclass(frozen=True, slots=True)
class Act:
    """Something done to the memory, with its reason; `undone_at` says that it was undone."""

    id: int
    at: datetime
    kind: str
    reason: str
    detail: Mapping[str, Any]
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StewardAct:
    """What the steward would do or did: the segments it retires, why, and the note that replaces them."""

    kind: Literal["expire", "prune", "merge", "consolidate", "archive"]
    reason: str
    ids: tuple[str, ...]
    into: str | None = None
    act: int | None = None  # its number in the log, once done


@dataclass(frozen=True, slots=True)
class StewardReport:
    """A run of the steward: its acts, or a plan of them; what its limits left out, what had changed meanwhile."""

    at: datetime
    is_applied: bool
    acts: tuple[StewardAct, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    skipped: int
    notes: int  # live ones before
    notes_left: int  # live ones after, or as the plan would have it


@dataclass(frozen=True, slots=True)
class Topic:
    """A community of segments, named by its most characteristic terms; `strongest` are ids of the most linked ones."""

    id: int
    name: str
    terms: tuple[str, ...]
    size: int
    first_said_at: datetime
    last_said_at: datetime
    made_at: datetime
    strongest: tuple[str, ...] = ()
