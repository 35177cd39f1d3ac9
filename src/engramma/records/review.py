"""Nouns of the review queue: what waits for somebody's word, with what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from .people import OneOrTwo

# In the order in which they are shown: what is wrong first, then what is said twice, then what may go.
ProposalKind = Literal[
    "conflict", "differ", "merge", "consolidate", "decision", "entity", "namesakes", "expire", "prune", "archive"
]


@dataclass(frozen=True, slots=True)
class Side:
    """Something that a proposal is about: a note, a turn, or what was claimed there; `stays` if accepting keeps it."""

    conversation: str
    session: str
    turn: str
    speaker: str
    said_at: datetime
    text: str
    segment: str | None = None
    label: str = ""  # what it claims
    stays: bool = True


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that may be accepted or refused, with its reason; both are acts that can be undone."""

    id: str
    kind: ProposalKind
    reason: str
    sides: tuple[Side, ...]
    sure: float | None = None  # a decision's confidence, or a similarity
    person: str | None = None
    about: str | None = None  # job, home, …
    verdict: OneOrTwo | None = None
    text: str | None = None  # of the note that would stand for the others


@dataclass(frozen=True, slots=True)
class Review:
    """A part of the review queue; `counts` is how many of each kind wait."""

    items: tuple[Proposal, ...]
    total: int
    counts: Mapping[str, int]
