"""Paths about people and what is known of them: claims, the knowledge graph, decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from ...people import LONGEST_REASON, GraphAnswer, Me, PersonInfo, PersonMemory
from ...records.people import Claim, Decision, OneOrTwo
from ..person_page import missing_person
from .problems import RequestRefused
from .recall import LONGEST_IN_URL
from .request import Asked, Limit, Writing
from .request_models import BIGGEST, Name, RequestModel, Text
from .response_models import JsonAnswer

paths = APIRouter(tags=["people"])

Word = Annotated[Text, Query(min_length=1, max_length=100)]


class MeIn(RequestModel):
    """Who the user is."""

    name: Name = Field(description="Your name.", examples=["Nora Lindqvist"])


class OverruleIn(RequestModel):
    """What a user decides about a decision."""

    decision: int = Field(ge=1, le=BIGGEST, description="Its id in GET /api/decisions.")
    verdict: OneOrTwo = Field(description="MERGE: they are the same. SEPARATE: they are different.")
    reason: Text = Field("", max_length=LONGEST_REASON, description="Why.")


@dataclass(frozen=True, slots=True)
class Overruled:
    """What holds from now on, and the act that undoes it."""

    decision: Decision
    act: int


@dataclass(frozen=True, slots=True)
class GraphOut:
    """The knowledge graph: entities, relations between two of them, and statements, whose value is a text."""

    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    statements: list[dict[str, Any]]


@paths.get("/claims", response_model=list[Claim], summary="List the claims")
def list_claims(
    where: Asked,
    person: Annotated[Name | None, Query(description="Only about this person or thing.")] = None,
    relation: Annotated[Word | None, Query(description="Only this relation, such as works_at.")] = None,
    conversation: Annotated[Name | None, Query(description="Only in this conversation.")] = None,
    turn: Annotated[Name | None, Query(description="Only from the turn with this id.")] = None,
    limit: Limit = 100,
) -> JsonAnswer:
    """Claims with speaker, source and exact words, latest first."""
    return JsonAnswer(where.memory.claims.all(person, relation, conversation, turn, limit))


@paths.get("/graph-query", name="graph_query", response_model=GraphAnswer, summary="Ask the knowledge graph")
def query_graph(
    where: Asked,
    q: Annotated[
        Text,
        Query(
            min_length=1,
            max_length=LONGEST_IN_URL,
            description="Such as: Who works at TechCorp? Or: subject=Ann relation=likes",
        ),
    ],
    limit: Limit = 50,
) -> JsonAnswer:
    """A structured question: how it was understood, answers, and facts with sources. If it is not understood,
    `pattern` is missing and `understood` says what can be asked."""
    return JsonAnswer(where.memory.claims.graph_query(q, limit))


@paths.get("/graph-export", response_model=GraphOut, summary="Export the knowledge graph")
def export_graph(where: Asked) -> JsonAnswer:
    """All entities and facts with their sources, as `engramma export-graph` writes them as JSON."""
    memory = where.memory
    memory.entities.all(limit=1)  # every such call first extracts what came since
    return JsonAnswer(GraphOut(*memory.claims.graph_parts()))


@paths.get("/people", response_model=list[PersonInfo], summary="List the people")
def list_people(where: Asked, limit: Limit = 100) -> JsonAnswer:
    """Everybody something was said about, those in most conversations first."""
    return JsonAnswer(where.memory.people.all(limit))


@paths.get("/me", response_model=Me | None, summary="Get who the user is")
def get_me(where: Asked) -> JsonAnswer:
    """Who "user", "You" and "me" are in the conversations: by the user's word (`said`), else as the talk tells.

    null if nobody has said so and nothing tells.
    """
    return JsonAnswer(where.memory.people.me())


@paths.post("/me", response_model=Me, summary="Say who the user is")
def put_me_name(where: Writing, given: MeIn) -> JsonAnswer:
    """What "user", "You" and "me" said and what is known of this name becomes one person's (`engramma me NAME`).
    POST /api/undo with the returned act undoes it."""
    with where.writing() as memory:
        return JsonAnswer(memory.people.me(given.name))


@paths.get("/person", response_model=PersonMemory, summary="Get one person")
def get_person(
    where: Asked, name: Annotated[Name, Query(description="The person's name, or a first name that nobody else has.")]
) -> JsonAnswer:
    """Per conversation and across them: facts, timelines, contradictions, decisions, all with sources."""
    found = where.memory.people.get(name)
    if found is None:
        raise RequestRefused(404, missing_person(where.memory, name, "GET /api/people lists who is known."))
    return JsonAnswer(found)


@paths.get("/decisions", response_model=list[Decision], summary="List the decisions about people's things")
def list_decisions(
    where: Asked, person: Annotated[Name | None, Query(description="Only about this person.")] = None
) -> JsonAnswer:
    """Whether things of one person from several conversations are the same, why, on what evidence, and by whom."""
    return JsonAnswer(where.memory.people.decisions(person))


@paths.post("/decisions/overrule", name="overrule", response_model=Overruled, summary="Overrule a decision")
def overrule_decision(where: Writing, given: OverruleIn) -> JsonAnswer:
    """Overrule or confirm a decision: your verdict stands whatever is said later. POST /api/undo undoes it."""
    with where.writing() as memory:
        made = memory.people.overrule(given.decision, given.verdict, given.reason)
        act = next(act.id for act in memory.acts.all() if act.detail.get("decision") == made.id)
    return JsonAnswer(Overruled(made, act))
