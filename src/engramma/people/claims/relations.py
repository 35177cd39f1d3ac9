"""Relations: what can be said of somebody or something, in one table.

A relation that is `exclusive` holds one value at a time, so a later value supersedes an earlier one; of the
others a subject has many. `fills` names the exclusive relation that an event also settles (who moved to Austin
lives there), `ends` those that it closes (who left a job works there no more). In `asks` stand the questions that
a claim's value answers; {s} is the subject, {v} the value, {vp} the verb in its plain form with all that follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RelationKind = Literal["role", "state", "relation", "event", "preference", "possession", "plan"]


@dataclass(frozen=True, slots=True)
class RelationRule:
    """A kind of claim: what it says, whether it can hold twice, and which questions it answers."""

    name: str
    kind: RelationKind
    value_type: str  # of the entity that a value names, or "text"
    exclusive: bool = False
    asks: tuple[str, ...] = ()
    fills: str = ""
    ends: tuple[str, ...] = ()
    whole: bool = False  # the value is all that follows, not just its first noun phrase


def _role(name: str, *asks: str, exclusive: bool = True) -> RelationRule:
    return RelationRule(name, "role", "role", exclusive, asks)


def _state(
    name: str, value_type: str, *asks: str, exclusive: bool = False, ends: tuple[str, ...] = (), whole: bool = False
) -> RelationRule:
    return RelationRule(name, "state", value_type, exclusive, asks, ends=ends, whole=whole)


def _tie(name: str, *asks: str, value_type: str = "person", exclusive: bool = False) -> RelationRule:
    return RelationRule(name, "relation", value_type, exclusive, asks)


def _event(
    name: str, value_type: str, *asks: str, fills: str = "", ends: tuple[str, ...] = (), whole: bool = False
) -> RelationRule:
    return RelationRule(name, "event", value_type, False, asks, fills, ends, whole)


def _taste(name: str, *asks: str) -> RelationRule:
    return RelationRule(name, "preference", "thing", False, asks)


def _thing(name: str, *asks: str) -> RelationRule:
    return RelationRule(name, "possession", "thing", False, asks)


def _plan(name: str, *asks: str, whole: bool = True) -> RelationRule:
    return RelationRule(name, "plan", "text", False, asks, whole=whole)


_ALL = (
    # who somebody is
    _state("is_called", "text", "What is {s} called?", "What is {s}'s name?"),
    _role("is_a", "What is {s}?", exclusive=False),
    _state("age", "text", "How old is {s}?", exclusive=True),
    _state("birthday", "text", "When is {s}'s birthday?", exclusive=True),
    _state("born_in", "place", "Where was {s} born?", exclusive=True),
    _state("described_as", "text", "How is {s} described?", whole=True),
    _state("is", "text", "What state is {s} in?"),
    # work and study
    _role("works_as", "What does {s} do for a living?", "What is {s}'s job?", "What is {s}'s role?"),
    _state("works_at", "organisation", "Where does {s} work?", "Which company does {s} work for?", exclusive=True),
    _state("works_in", "text", "What field does {s} work in?"),
    _state("works_on", "project", "What is {s} working on?"),
    _state("studies", "text", "What does {s} study?"),
    _state("studies_at", "organisation", "Where does {s} study?", exclusive=True),
    _plan("aspires_to", "What career path is {s} considering?", "What does {s} want to become?"),
    _event("founded", "organisation", "What did {s} found?", "What business did {s} start?"),
    _event("left_job", "organisation", "Which job did {s} leave?", ends=("works_as", "works_at")),
    _event("applied_for", "thing", "What did {s} apply for?"),
    _event("was_offered", "text", "What was {s} offered?", whole=True),
    _event("hired_by", "organisation", "Who hired {s}?", fills="works_at"),
    _state("volunteers_at", "organisation", "Where does {s} volunteer?"),
    _state("teaches", "text", "What does {s} teach?"),
    # home
    _state("lives_in", "place", "Where does {s} live?", exclusive=True),
    _state("lives_with", "person", "Who does {s} live with?"),
    _event("moved_to", "place", "Where did {s} move to?", "Where does {s} live now?", fills="lives_in"),
    _event("moved_from", "place", "Where did {s} move from?", ends=("lives_in",)),
    _state("from", "place", "Where is {s} from?", exclusive=True),
    # people
    _tie("has_child", "Who are {s}'s children?", "Does {s} have children?"),
    _tie("has_partner", "Who is {s}'s partner?", exclusive=True),
    _tie("has_sibling", "Who are {s}'s siblings?"),
    _tie("has_parent", "Who are {s}'s parents?"),
    _tie("has_relative", "Who is in {s}'s family?"),
    _tie("has_friend", "Who are {s}'s friends?"),
    _tie("knows", "Who does {s} know?"),
    _tie("dating", "Who is {s} dating?", "What is {s}'s relationship status?", exclusive=True),
    _tie("engaged_to", "Who is {s} engaged to?", exclusive=True),
    _tie("married_to", "Who is {s} married to?", "What is {s}'s relationship status?", exclusive=True),
    _state("relationship_status", "text", "What is {s}'s relationship status?", exclusive=True),
    _event("broke_up_with", "person", "Who did {s} break up with?", ends=("dating", "engaged_to", "married_to")),
    _event("met", "person", "Who did {s} meet?"),
    # pets
    _tie("has_pet", "What pets does {s} have?", "What are the names of {s}'s pets?", value_type="pet"),
    # health and food
    _state("has_condition", "condition", "What health problems does {s} have?"),
    _state("allergic_to", "thing", "What is {s} allergic to?"),
    _event("injured", "text", "What did {s} hurt?"),
    _state("eats", "thing", "What does {s} eat?"),
    # tastes
    _taste("likes", "What does {s} like?"),
    _taste("dislikes", "What does {s} dislike?"),
    _taste("prefers", "What does {s} prefer?"),
    RelationRule("favourite", "preference", "thing", True),
    # plans
    _plan("plans", "What is {s} planning to do?"),
    _plan("wants", "What does {s} want?"),
    _plan("needs", "What does {s} need?", whole=False),
    # possessions
    _thing("has", "What does {s} have?"),
    RelationRule("bought", "event", "thing", False, ("What did {s} buy?",)),
    RelationRule("got", "event", "thing", False, ("What did {s} get?",)),
    _event("sold", "thing", "What did {s} sell?"),
    _event("lost", "thing", "What did {s} lose?"),
    _event("gave", "thing", "What did {s} give?", whole=True),
    # events
    _event("did", "text", "What did {s} do?", whole=True),
    _state("does", "text", "What does {s} do?", whole=True),
    _event("went_to", "place", "Where did {s} go?"),
    _event("attended", "event", "What did {s} attend?"),
    _event("visited", "place", "What did {s} visit?", "Where has {s} been?"),
    _event("ran", "event", "What did {s} run?"),
    _event("painted", "thing", "What did {s} paint?"),
    _event("made", "thing", "What did {s} make?"),
    _event("wrote", "thing", "What did {s} write?"),
    _event("read", "work", "What did {s} read?", "Which books has {s} read?"),
    _event("watched", "work", "What did {s} watch?"),
    _event("listens_to", "work", "What does {s} listen to?"),
    _state("plays", "thing", "What does {s} play?", "Which instruments or games does {s} play?"),
    _event("joined", "organisation", "What did {s} join?"),
    _event("started", "text", "What did {s} start?"),
    _event("stopped", "text", "What did {s} stop?"),
    _event("finished", "thing", "What did {s} finish?"),
    _event("won", "thing", "What did {s} win?"),
    _event("saw", "thing", "What did {s} see?"),
    _event("organised", "event", "What did {s} organise?"),
    _event("celebrated", "event", "What did {s} celebrate?"),
    _event("took_part_in", "event", "What did {s} take part in?"),
    _event("travelled_to", "place", "Where did {s} travel?"),
    _event("helped", "text", "Who did {s} help?", whole=True),
    _event("recommended", "thing", "What did {s} recommend?"),
    # projects and tools
    _state("uses", "tool", "What does {s} use?"),
    _state("depends_on", "thing", "What does {s} depend on?"),
    _state("runs_on", "tool", "What does {s} run on?"),
    _state("blocks", "thing", "What does {s} block?"),
    _state("related_to", "thing", "What is {s} related to?"),
    # skills
    _state("can", "text", "What can {s} do?", whole=True),
    _state("speaks", "text", "Which languages does {s} speak?"),
    _state("learns", "text", "What is {s} learning?"),
    _state("good_at", "text", "What is {s} good at?"),
    # mind
    _state("feels", "text", "How does {s} feel?", whole=True),
    _event("realised", "text", "What did {s} realise?", whole=True),
    _state("believes", "text", "What does {s} think?", whole=True),
)
RELATIONS: dict[str, RelationRule] = {relation.name: relation for relation in _ALL}
EXCLUSIVE: frozenset[str] = frozenset(relation.name for relation in _ALL if relation.exclusive)


def relation(name: str) -> RelationRule:
    """The relation of this name; one that the table does not know is a state with a text."""
    return RELATIONS.get(name) or RelationRule(name, "state", "text")
