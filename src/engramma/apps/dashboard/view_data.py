"""Paths below /api/dashboard: what the views show and the HTTP API does not have, a page at a time."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field

from ...language.text import DOCUMENTS
from ...people import predicate_words
from ..http.conversations import found_session
from ..http.request import Asked, Face, FewItems, Offset, Words, knowing
from ..http.request_models import BIGGEST, Id, Moment, Name, RequestModel
from ..http.response_models import JsonAnswer, paged
from . import edits as kept
from . import lane_view, life, people, review
from .ego_graph import PictureRequest, ego_of
from .vault import vault

MOST_TEXT = 20_000  # characters of a turn that are sent before somebody asks for all of it
MOST_NAMES = 200  # of a list to choose from
MOST_NODES = 10_000

Place = Annotated[float, Field(ge=-1e6, le=1e6)]


class EgoIn(RequestModel):
    """What a picture of the graph should show; `keep` has the nodes it already shows."""

    ids: list[Id] = Field([], max_length=50)
    person: Name | None = None
    name: Name | None = None
    topic: int | None = Field(None, ge=1, le=BIGGEST)
    hops: int = Field(1, ge=1, le=4)
    most: int = Field(60, ge=1, le=MOST_NODES)
    keep: dict[Id, Annotated[list[Place], Field(min_length=2, max_length=2)]] = Field({}, max_length=2 * MOST_NODES)


routes = APIRouter(include_in_schema=False)


def data(face: Face) -> APIRouter:
    """The paths, for one daemon. All but a word in the review queue only read."""
    outer = APIRouter(dependencies=[knowing(face)], include_in_schema=False)
    for inner in (routes, kept.routes, lane_view.routes, life.routes, people.routes, review.routes):
        outer.include_router(inner)
    return outer


@routes.get("/overview")
def overview(where: Asked) -> JsonAnswer:
    """Figures, and how much was said on which day. People are those whom the list of people has."""
    memory = where.memory
    figures = {**memory.admin.figures(), "people": memory.profiles.page(None, 1)[1]}
    return JsonAnswer(where.own(figures))


@routes.get("/facets")
def facets(where: Asked) -> JsonAnswer:
    """What conversations can be chosen by."""
    memory = where.memory
    people = memory.browse.speakers(MOST_NAMES)
    sources, topics = memory.browse.sources(MOST_NAMES), memory.topics.names(MOST_NAMES)
    return JsonAnswer({"people": people, "sources": sources, "topics": topics})


@routes.get("/sessions")
def browse_sessions(
    where: Asked,
    q: Words = None,
    conversation: Annotated[Name | None, Query()] = None,
    person: Annotated[Name | None, Query()] = None,
    source: Annotated[Name | None, Query()] = None,
    topic: Annotated[int | None, Query(ge=1, le=BIGGEST)] = None,
    since: Annotated[Moment, Query()] = None,
    until: Annotated[Moment, Query()] = None,
    offset: Offset = 0,
    limit: FewItems = 30,
) -> JsonAnswer:
    """Sessions within bounds, the latest first, with their first words; and how many of them are documents."""
    browse = where.memory.browse
    found = partial(browse.session_page, words=q, speaker=person, topic=topic, since=since, until=until)
    with browse.snapshot():
        items, total = found(conversation=conversation, source=source, limit=limit, offset=offset)
        documents = total if DOCUMENTS in (source, conversation) else 0
        if source is None and conversation is None:
            documents = found(source=DOCUMENTS, limit=0)[1]
    return JsonAnswer({**paged(items, total, offset, limit), "documents": documents})


@routes.get("/turns")
def turns(
    where: Asked,
    conversation: Annotated[Name, Query()],
    session: Annotated[Name, Query()],
    around: Annotated[Name | None, Query(description="A turn whose page is wanted.")] = None,
    offset: Offset = 0,
    limit: FewItems = 100,
) -> JsonAnswer:
    """A page of a session: what was said, by whom, and in which segment it is."""
    memory, row = found_session(where, conversation, session)
    page = memory.browse.turn_page(row, around=around, most=MOST_TEXT, limit=limit, offset=offset)
    told = {
        "conversation": row.conversation,
        "session": row.id,
        "title": page.title,
        "source": page.source,
        "closed": row.closed,
        "offset": page.offset,
    }
    return JsonAnswer({**told, **paged(list(page.items), page.total, page.offset, limit)})


@routes.get("/turn")
def turn(
    where: Asked,
    conversation: Annotated[Name, Query()],
    session: Annotated[Name, Query()],
    id: Annotated[Name, Query()],
) -> JsonAnswer:
    """All of a long turn."""
    memory, row = found_session(where, conversation, session)
    return JsonAnswer({"text": memory.browse.turn_text(row, id) or ""})


@routes.get("/claims")
def list_session_claims(
    where: Asked, conversation: Annotated[Name, Query()], session: Annotated[Name, Query()]
) -> JsonAnswer:
    """What was understood of a session so far: who is what, by which turn."""
    memory, row = found_session(where, conversation, session)
    found = memory.claims.of_session(row.key)
    names = ("id", "subject", "relation", "value", "speaker", "quote", "negated", "modality", "confidence")
    return JsonAnswer(
        [
            {
                **{name: getattr(one, name) for name in names},
                "text": predicate_words(one.relation, one.value, one.negated),
                "turn": one.turn_ids[0],
            }
            for one in found[:1000]
        ]
    )


@routes.post("/graph")
def show_graph(where: Asked, given: EgoIn) -> JsonAnswer:
    """A part of the graph, laid out."""
    asked = dict(given)
    kept = {id: (at[0], at[1]) for id, at in asked.pop("keep").items()}
    return JsonAnswer(ego_of(where.memory, PictureRequest(**asked, kept=kept)))


@routes.get("/notes")
def notes(
    where: Asked,
    q: Words = None,
    tag: Words = None,
    sort: Annotated[Literal["newest", "oldest", "strength", "recalls", "text"], Query()] = "newest",
    aside: Annotated[bool, Query(description="Include archived and retired notes.")] = False,
    offset: Offset = 0,
    limit: FewItems = 50,
) -> JsonAnswer:
    """Notes with some words in them, in an order, with the tags there are."""
    memory = where.memory
    with memory.browse.snapshot():
        items, total = memory.notes.page(words=q, tag=tag, sort=sort, all_states=aside, limit=limit, offset=offset)
        tags = memory.notes.tags(all_states=aside, limit=MOST_NAMES)
    return JsonAnswer({**paged(items, total, offset, limit), "tags": tags})


@routes.get("/vault.zip")
def export_vault(where: Asked) -> StreamingResponse:
    """Everything as a folder of Markdown for Obsidian, zipped: sessions, people, notes and topics, linked."""
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    headers = {"Content-Disposition": f'attachment; filename="engramma-vault-{day}.zip"'}
    return StreamingResponse(vault(where.memory), media_type="application/zip", headers=headers)
