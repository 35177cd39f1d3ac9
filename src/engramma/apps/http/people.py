"""Paths about people and what is known of them: questions, claims, the knowledge graph, decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from ...people import LONGEST_REASON, GraphAnswer, PersonInfo, PersonMemory
from ...recall.query import MAX_QUERY
from ...records.people import Answer as Answered
from ...records.people import Claim, Decision, OneOrTwo
from .answers import Answer
from .problems import Refused
from .recall import LONGEST_IN_URL
from .request import Asked, Limit, Writing
from .shapes import BIGGEST, Name, Shape, Text

paths = APIRouter(tags=["people"])

Word = Annotated[Text, Query(min_length=1, max_length=100)]


class AskIn(Shape):
    """A question, and where to look for its answer."""

    question: Text = Field(min_length=1, max_length=MAX_QUERY, examples=["Where does Ann work?"])
    conversation: Name | None = Field(None, description="Only this one; by default those of whom it names.")


class OverruleIn(Shape):
    """What a user decides about a decision."""

    decision: int = Field(ge=1, le=BIGGEST, description="Its id in GET /api/decisions.")
    verdict: OneOrTwo = Field(description="MERGE: they are one. SEPARATE: they are two.")
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


@paths.post("/ask", response_model=Answered, summary="Answer a question, or say why not")
def ask(where: Asked, given: AskIn) -> Answer:
    """An answer with its sources, or why there is none: whose it was, or that nobody said so (`engramma ask --json`).

    `confidence` says how likely the question can be answered as it is asked; where it is too low, `abstained` is true.
    """
    return Answer(where.memory.ask(given.question, given.conversation))


@paths.get("/ask", response_model=Answered, summary="Answer a question, by a URL")
def ask_by_url(
    where: Asked,
    question: Annotated[Text, Query(min_length=1, max_length=LONGEST_IN_URL, description="What to answer.")],
    conversation: Annotated[Name | None, Query(description="Only this conversation.")] = None,
) -> Answer:
    """The same, for `curl`."""
    return Answer(where.memory.ask(question, conversation))


@paths.get("/claims", response_model=list[Claim], summary="What was said of whom")
def list_claims(
    where: Asked,
    person: Annotated[Name | None, Query(description="Only of this person or thing.")] = None,
    relation: Annotated[Word | None, Query(description="Only of this relation, such as works_at.")] = None,
    conversation: Annotated[Name | None, Query(description="Only in this conversation.")] = None,
    turn: Annotated[Name | None, Query(description="Only in the turn with this id.")] = None,
    limit: Limit = 100,
) -> Answer:
    """Claims with speaker, source and the very words, the latest first."""
    return Answer(where.memory.claims.all(person, relation, conversation, turn, limit))


@paths.get("/graph-query", response_model=GraphAnswer, summary="Ask the knowledge graph")
def graph_query(
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
) -> Answer:
    """A structured question: how it was understood, answers, and facts with sources. One that is not understood is
    answered without a `pattern`, and `understood` says what can be asked."""
    return Answer(where.memory.claims.graph_query(q, limit))


@paths.get("/graph-export", response_model=GraphOut, summary="Export the knowledge graph")
def export_graph(where: Asked) -> Answer:
    """All entities and facts with their sources, as `engramma export-graph` writes them as JSON."""
    memory = where.memory
    memory.entities.all(limit=1)  # every such call first extracts what came since
    return Answer(GraphOut(*memory.claims.graph_parts()))


@paths.get("/people", response_model=list[PersonInfo], summary="List the people")
def list_people(where: Asked, limit: Limit = 100) -> Answer:
    """Everybody of whom something was said, those of most conversations first."""
    return Answer(where.memory.people.all(limit))


@paths.get("/person", response_model=PersonMemory, summary="All of one person")
def get_person(where: Asked, name: Annotated[Name, Query(description="Somebody's name.")]) -> Answer:
    """By conversation and across them: facts, timelines, what contradicts, what was decided, all with sources."""
    found = where.memory.people.get(name)
    if found is None:
        raise Refused(404, f"Nothing was said of anybody called {name!r:.200}. GET /api/people lists who is known.")
    return Answer(found)


@paths.get("/decisions", response_model=list[Decision], summary="What was decided about whose things")
def list_decisions(
    where: Asked, person: Annotated[Name | None, Query(description="Only about this person.")] = None
) -> Answer:
    """Whether things of one person from several conversations are the same, why, on what evidence, and by whom."""
    return Answer(where.memory.people.decisions(person))


@paths.post("/decisions/overrule", response_model=Overruled, summary="Decide otherwise")
def overrule(where: Writing, given: OverruleIn) -> Answer:
    """Decide otherwise, or confirm a decision: it stays whatever is said later. POST /api/undo takes it back."""
    with where.writing() as memory:
        made = memory.people.overrule(given.decision, given.verdict, given.reason)
        act = next(act.id for act in memory.acts.all() if act.detail.get("decision") == made.id)
    return Answer(Overruled(made, act))
