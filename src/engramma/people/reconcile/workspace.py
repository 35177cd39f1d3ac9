"""Workspaces: what is known of a person, session by session, conversation by conversation, and as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Literal

from ...language.times import local_day
from ...records.people import Claim, Decision, Entity, Period
from ..claims.hydrate import Fact
from ..claims.labels import Label, label_among
from ..claims.relation_groups import GROUPS

ConflictKind = Literal["evolution", "contradiction", "disagreement"]
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Aspect:
    """One side of a person's life, such as the job: what was said of it in one conversation or in several."""

    name: str  # job, relationship_2, pet Max
    group: str  # of relations (people/reconcile/policy.py): job, relationship, pet
    person: str
    conversations: tuple[str, ...]
    facts: tuple[Fact, ...]

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(sorted((claim for fact in self.facts for claim in fact.claims), key=order))

    @cached_property
    def label(self) -> Label:
        """What tells it from others of its group."""
        return label_among(self.claims, GROUPS[self.group])

    @cached_property
    def evidence(self) -> tuple[str, ...]:
        """The turns that it rests on, as conversation/turn."""
        return tuple(dict.fromkeys(name_turn(claim, turn) for claim in self.claims for turn in claim.turn_ids))

    @cached_property
    def since(self) -> datetime:
        return min(find_start(claim) for fact in self.facts for claim in fact.claims)

    @cached_property
    def last(self) -> datetime:
        return max(find_start(claim) for fact in self.facts for claim in fact.claims)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values of which only one can be true at a time: a change, a contradiction or a disagreement."""

    kind: ConflictKind
    person: str
    entity: str  # the group: home
    earlier: Claim
    later: Claim
    note: str  # "moved between May and September 2023"


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """What is known of one person from one conversation, its sessions reconciled."""

    conversation: str
    person: str
    partners: tuple[str, ...]  # the others who speak there
    facts: tuple[Fact, ...]
    aspects: tuple[Aspect, ...]

    @property
    def partner(self) -> str:
        return ", ".join(self.partners)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(sorted((claim for fact in self.facts for claim in fact.claims), key=order))

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The named things that are said to be this person's."""
        found = {
            (fact.value, fact.value_type): None for fact in self.facts if fact.value_type != "text" and not fact.negated
        }
        return tuple(Entity(name, type, owner=self.person) for name, type in found)


@dataclass(frozen=True, slots=True)
class PersonMemory:
    """What is known of one person: by conversation, and reconciled across all of them."""

    name: str
    conversations: tuple[ConversationMemory, ...]  # the one that began first comes first
    aspects: tuple[Aspect, ...] = ()  # across conversations, as decided
    facts: tuple[Fact, ...] = ()  # across conversations
    timelines: Mapping[str, tuple[Period, ...]] = field(default_factory=dict)  # by aspect's group
    conflicts: tuple[Conflict, ...] = ()
    decisions: tuple[Decision, ...] = ()

    @property
    def contradictions(self) -> tuple[Conflict, ...]:
        return tuple(conflict for conflict in self.conflicts if conflict.kind != "evolution")

    def conversation(self, id: str) -> ConversationMemory | None:
        return next((one for one in self.conversations if one.conversation == id), None)


def find_start(claim: Claim) -> datetime:
    """From when on it holds: what was said of the time, else when it was said."""
    return claim.valid_from or claim.said_at


def start_day(claim: Claim) -> str:
    """The same as a day of the reader's calendar: times that somebody speaks of are counted by that clock already."""
    return local_day(claim.said_at) if claim.valid_from is None else f"{claim.valid_from:%Y-%m-%d}"


def name_turn(claim: Claim, turn: str | None = None) -> str:
    """A turn as evidence names it: conversation/turn."""
    return f"{claim.conversation}/{claim.turn_ids[0] if turn is None else turn}"


def order(claim: Claim) -> tuple[datetime, str, str, str, int, str, str]:
    """Claims as they were said, D1:9 before D1:11; the same order wherever they come from."""
    turn = _counted(claim.turn_ids[0])
    return (claim.said_at, claim.conversation, claim.session, turn, claim.start, claim.relation, claim.value)


@lru_cache(maxsize=16_384)
def _counted(id: str) -> str:
    """An id whose numbers are in order as texts."""
    return _NUMBER.sub(lambda found: found[0].zfill(9), id)
