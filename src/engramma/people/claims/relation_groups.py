"""Groups of relations: what a person has one of at a time, such as a job, and what there may be several of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...language.lexical import stems, terms
from ...records.people import Claim
from .values import is_kind


@dataclass(frozen=True, slots=True)
class RelationGroup:
    """Relations that are about one side of a person's life.

    `slots` names, for a relation that holds one value at a time, what it fills: moved_to and lives_in fill one slot.
    `ends` names the slots that an event closes. Things of a group with `many` are told apart by their names (two
    partners are two relationships), all others are one line that goes on (two employers are one career).
    """

    name: str
    about: str  # in words: "employment"
    slots: Mapping[str, str]
    also: tuple[str, ...] = ()  # relations that belong to it and fill no slot
    ends: Mapping[str, tuple[str, ...]] | None = None
    called: tuple[str, ...] = ()  # what else it is called when it is asked for
    cues: str = ""  # words by which a plan, a need or a beginning belongs to it
    many: bool = False
    is_exclusive: bool = True  # only one thing of it at a time
    by_name: frozenset[str] = frozenset()  # slots whose values are names: what is not named says nothing there

    @property
    def relations(self) -> frozenset[str]:
        return frozenset((*self.slots, *self.also, *(self.ends or ())))


_ALL = (
    RelationGroup(
        "job",
        "employment",
        {"works_as": "role", "founded": "role", "works_at": "employer", "hired_by": "employer"},
        also=("works_in", "aspires_to", "applied_for", "teaches"),
        ends={"left_job": ("role", "employer")},
        called=("career", "work", "profession", "occupation", "employment", "role", "company"),
        cues="job career work profession counseling counselling startup company business promotion position internship"
        " interview certification employer freelance salary colleague founder consulting",
        by_name=frozenset({"employer"}),
    ),
    RelationGroup(
        "home",
        "where they live",
        {"lives_in": "place", "moved_to": "place"},
        also=("lives_with",),
        ends={"moved_from": ("place",)},
        called=("location", "residence", "address", "city", "house", "place"),
        cues="move apartment flat house home mortgage rent neighbourhood neighborhood",
        by_name=frozenset({"place"}),
    ),
    RelationGroup(
        "relationship",
        "a relationship",
        {"dating": "partner", "engaged_to": "partner", "married_to": "partner", "has_partner": "partner"},
        also=("relationship_status",),
        ends={"broke_up_with": ("partner",)},
        called=("partner", "marriage", "spouse", "love life", "wife", "husband", "girlfriend", "boyfriend"),
        cues="wedding marry propose engagement honeymoon",
        many=True,
        by_name=frozenset({"partner"}),
    ),
    RelationGroup(
        "education",
        "education",
        {"studies_at": "school"},
        also=("studies", "learns"),
        called=("studies", "school", "degree", "university"),
        cues="study course class degree diploma university college school exam thesis master",
        by_name=frozenset({"school"}),
    ),
    RelationGroup(
        "pet",
        "a pet",
        {"has_pet": "pet"},
        called=("pets", "animal", "dog", "cat"),
        many=True,
        is_exclusive=False,
        by_name=frozenset({"pet"}),
    ),
    RelationGroup(
        "family",
        "family",
        {kind: kind for kind in ("has_child", "has_sibling", "has_parent", "has_relative")},
        called=("children", "siblings", "parents", "relatives", "kids"),
        many=True,
        is_exclusive=False,
        by_name=frozenset({"has_child", "has_sibling", "has_parent", "has_relative"}),
    ),
    RelationGroup("project", "a project", {"works_on": "project"}, called=("projects",), many=True, is_exclusive=False),
)
GROUPS: dict[str, RelationGroup] = {group.name: group for group in _ALL}
_BY_RELATION: dict[str, RelationGroup] = {relation: group for group in _ALL for relation in group.relations}
_BY_NAME: dict[str, RelationGroup] = {name: group for group in _ALL for name in (group.name, *group.called)}
_CUES: dict[str, RelationGroup] = {
    stem: group for group in reversed(_ALL) for word in group.cues.split() for stem in stems(word)
}

# Relations of which the value tells the group: "plans to work with trans people" is about the job.
OPEN = frozenset(("plans", "wants", "needs", "started", "stopped", "finished", "got"))
OWN_BUSINESS = re.compile(
    r"\b(?:startup|start-up|business|company|firm|shop|studio|agency|practice|bakery|restaurant)\b", re.I
)
_PASTIME = re.compile(r"\b(?:club|band|choir|group|society|league|team|family)\b", re.I)  # founding one is no job
_OF_A_JOB = re.compile(
    r"\b(?:job|work) (?:was|has been|had been|can be|gets?|got|is (?:so|really|pretty|very))\b", re.I
)


def group_of(claim: Claim) -> RelationGroup | None:
    """The group that a claim belongs to; None for what is no matter of identity, such as likes and visits."""
    group = _BY_RELATION.get(claim.relation)
    return _cued(claim.value) if group is None and claim.relation in OPEN else group


@lru_cache(maxsize=65_536)
def _cued(value: str) -> RelationGroup | None:
    """The group that most of a value's words speak for."""
    votes = [_CUES[stem] for word in terms(value) for stem in stems(word) if stem in _CUES]
    return max(votes, key=votes.count) if votes else None


def relations_of(group: RelationGroup) -> frozenset[str]:
    """All relations whose claims may belong to a group."""
    return group.relations | OPEN if group.cues else group.relations


def groups_of_relation(relation: str) -> tuple[str, ...]:
    """The groups that a claim of this relation may belong to."""
    if relation in OPEN and relation not in _BY_RELATION:
        return tuple(group.name for group in _ALL if group.cues)
    return (_BY_RELATION[relation].name,) if relation in _BY_RELATION else ()


def group_called(name: str) -> RelationGroup | None:
    """A group by its name or by another word for it: "career" is the job, "location" the home."""
    return _BY_NAME.get(name.strip().lower())


def slot_of(claim: Claim, group: RelationGroup) -> str | None:
    """What a claim settles so that nothing else can hold at the same time; None if it settles nothing.

    Who starts a business has a new role, whichever words it was put in.
    """
    if claim.relation == "started" and group.name == "job" and OWN_BUSINESS.search(claim.value):
        return "role"
    if claim.relation == "founded" and _PASTIME.search(claim.value) and not OWN_BUSINESS.search(claim.value):
        return None
    slot = group.slots.get(claim.relation)
    if slot == "role" and (is_kind(role_text(claim)) or _OF_A_JOB.search(claim.quote)):
        return None  # "on a team" is no role, nor is "hard" because a job was
    return slot


def role_text(claim: Claim) -> str:
    """A claim's value as what somebody is: who founded a startup is its founder."""
    return f"founder of {claim.value}" if claim.relation in ("founded", "started") else claim.value
