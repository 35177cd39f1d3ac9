"""Paths that look: recall, feedback, segments, the graph, topics, recipes."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from ...config.settings import load_config
from ...recall.across_namespaces import EVERY, recall_together
from ...recall.recipes import RECIPES, Plan, plan_for
from ...records import Neighbor, Recall, Topic
from ...records import Query as Asking
from ..render import as_value
from .problems import RequestRefused
from .request import Asked, Where, Writing
from .request_models import (
    BIGGEST,
    MOST_NAMESPACES,
    MOST_TOKENS,
    SINCE_FILTER,
    SOURCE_FILTER,
    SPEAKER_FILTER,
    TAG_FILTER,
    UNTIL_FILTER,
    Cap,
    FeedbackIn,
    Hops,
    Id,
    K,
    Moment,
    Name,
    Namespace,
    Question,
    Recipe,
    SpanEnd,
    Tag,
    Text,
    WideQuestion,
)
from .request_models import Topic as TopicParam
from .response_models import Edge, JsonAnswer, Learnt, SegmentOut, TogetherOut, TopicOut

paths = APIRouter(tags=["recall"])

LONGEST_IN_URL = 2_000  # characters; servers and clients end at URLs of some 64 kB


@paths.post("/recall", name="recall", response_model=Recall | TogetherOut, summary="Recall what matters for a question")
def post_recall(where: Asked, question: WideQuestion) -> JsonAnswer:
    """The context block for an assistant, its candidates with their sources, and a trace of the recall.

    The same as `engramma recall --json` prints. With `namespaces`, shared and private ones are searched together:
    each candidate says which it is from, and `namespaces` which were searched; those you may not read are left out.
    """
    if question.namespaces is not None:
        return JsonAnswer(wide_answer(where, question, question.namespaces))
    return JsonAnswer(_answer_to(where, question))


@paths.get("/recall", response_model=Recall | TogetherOut, summary="Recall, with a GET request")
def recall_by_url(
    where: Asked,
    q: Annotated[Text, Query(min_length=1, max_length=LONGEST_IN_URL, description="What to look for.")],
    k: Annotated[K, Query()] = None,
    recipe: Annotated[Recipe, Query()] = "default",
    conversation: Annotated[Name | None, Query(description="Only this conversation.")] = None,
    budget_tokens: Annotated[
        int | None, Query(ge=1, le=MOST_TOKENS, description="Maximum tokens in the context.")
    ] = None,
    asked_at: Annotated[Moment, Query(description='What "last week" is relative to.')] = None,
    as_of: Annotated[Moment, Query(description="Answer with what was known at that time.")] = None,
    archived: Annotated[bool, Query(description="Include archived segments.")] = False,
    topic: Annotated[TopicParam, Query()] = None,
    speaker: Annotated[Name | None, Query(description=SPEAKER_FILTER)] = None,
    since: Annotated[Moment, Query(description=SINCE_FILTER)] = None,
    until: Annotated[SpanEnd, Query(description=UNTIL_FILTER)] = None,
    tag: Annotated[Tag | None, Query(description=TAG_FILTER)] = None,
    source: Annotated[Name | None, Query(description=SOURCE_FILTER)] = None,
    namespaces: Annotated[
        list[Namespace] | None,
        Query(max_length=MOST_NAMESPACES, description='Several at once; may be repeated; "*": all.'),
    ] = None,
) -> JsonAnswer:
    """The same with the most common parameters, for `curl`."""
    question = Question(
        query=q,
        k=k,
        recipe=recipe,
        conversation=conversation,
        exclude_session=None,
        active_context=[],
        budget_tokens=budget_tokens,
        asked_at=asked_at,
        as_of=as_of,
        archived=archived,
        topic=topic,
        speaker=speaker,
        since=since,
        until=until,
        tag=tag,
        source=source,
    )
    if namespaces:
        return JsonAnswer(wide_answer(where, question, namespaces))
    return JsonAnswer(_answer_to(where, question))


@paths.post("/feedback", response_model=Learnt, summary="Say which segments were useful")
def feedback(where: Writing, given: FeedbackIn) -> JsonAnswer:
    """Repeat the question as it was asked and name what helped: links that led there gain weight, others lose some."""
    found = _answer_to(where, given)
    with where.face.writes.alone():
        return JsonAnswer(Learnt(where.memory.links.used(found, given.used)))


@paths.get("/segment", response_model=SegmentOut, summary="Read a segment")
def get_segment(where: Asked, id: Annotated[Id, Query(description="Its id (seg_…, note_…, doc_…).")]) -> JsonAnswer:
    """A segment, verbatim, with its edges."""
    found = where.memory.segment(id)
    if found is None:
        raise RequestRefused(404, f"There is no segment {id!r:.200} in this memory. Recall returns the ids.")
    segment, edges = found
    return JsonAnswer(SegmentOut(segment, [Edge(*edge) for edge in edges]))


@paths.get("/graph/neighborhood", response_model=list[Neighbor], summary="List the neighbours in the graph")
def neighborhood(
    where: Asked,
    id: Annotated[list[Id], Query(min_length=1, max_length=50, description="Where to start; may be repeated.")],
    hops: Annotated[Hops, Query()] = 1,
    cap: Annotated[Cap, Query()] = 20,
) -> JsonAnswer:
    """The nearest segments along edges of every kind in both directions, nearest first."""
    memory = where.memory
    if unknown := [one for one in id if memory.segment(one) is None]:
        raise RequestRefused(404, f"There is no segment {unknown[0]!r:.200} in this memory. Recall returns the ids.")
    return JsonAnswer(memory.links.neighbors(id, hops, cap))


@paths.get("/topics", response_model=list[Topic], summary="List the topics")
def list_topics(
    where: Asked,
    strongest: Annotated[int, Query(ge=0, le=100, description="How many segments to name of each.")] = 3,
) -> JsonAnswer:
    """What the memory is about, as `engramma topics` last found it, the largest first."""
    return JsonAnswer(where.memory.topics.all(strongest))


@paths.get("/topics/{id}", response_model=TopicOut, summary="Read a topic")
def get_topic(where: Asked, id: Annotated[int, Path(ge=1, le=BIGGEST)]) -> JsonAnswer:
    """A topic with its segments, the most linked first."""
    found = where.memory.topics.get(id)
    if found is None:
        raise RequestRefused(404, f"There is no topic {id}. GET /api/topics lists them.")
    return JsonAnswer(TopicOut(*found))


@paths.get("/recipes", response_model=list[dict[str, Any]], summary="How each recipe recalls")
def list_recipes(where: Asked) -> JsonAnswer:
    """Every recipe with its numbers, as this memory sets them."""
    overrides = load_config(where.face.daemon.store).recipes
    plans: list[Plan] = [plan_for(name, overrides) for name in RECIPES]
    return JsonAnswer(plans)


def wide_answer(where: Where, question: Question, names: list[str]) -> TogetherOut:
    """The answer of those namespaces that whoever asks may read; of the others nothing is said."""
    every = [info.name for info in where.memory.namespaces.all() if EVERY in names or info.name in names]
    memories = {name: where.face.daemon.memories.get(name) for name in every if where.who.may("read", name)}
    if not memories:
        raise RequestRefused(404, "You have access to none of these namespaces. GET /api/namespaces lists yours.")
    found = recall_together(memories, _asked(question), recipe=question.recipe)
    placed = [{"namespace": p.namespace, **as_value(p.candidate)} for p in found.candidates]
    return TogetherOut(found.query, found.context, placed, list(found.namespaces), dict(found.traces), found.tokens)


def _answer_to(where: Where, question: Question) -> Recall:
    return where.memory.recall(_asked(question), recipe=question.recipe)


def _asked(question: Question) -> Asking:
    """A question as the memory takes it."""
    names = {field.name for field in fields(Asking)} & set(Question.model_fields)
    return Asking(question.query, **{name: getattr(question, name) for name in sorted(names)})
