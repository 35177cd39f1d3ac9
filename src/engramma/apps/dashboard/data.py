"""Paths below /api/dashboard: what the views show and the HTTP API does not tell, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from ...people.reading import read_claims
from ...store.store import ARCHIVED, FORGOTTEN, as_json
from ...text import segment_id
from ...times import from_micros, to_micros
from ..daemon.state import Daemon
from ..http.answers import Answer
from ..http.face import Asked, Face
from ..http.jobs import Jobs
from ..http.shapes import BIGGEST, Id, Moment, Name, Shape, Text
from ..http.talk import found_session
from . import kept, people, review
from .ego import Wanted, ego_of
from .figures import figures, speakers
from .vault import vault

MOST_TEXT = 20_000  # characters of a turn that are sent before somebody asks for all of it
MOST_NAMES = 200  # of a list to choose from
MOST_NODES = 10_000

Words = Annotated[Text | None, Query(max_length=200)]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=200)]
Place = Annotated[float, Field(ge=-1e6, le=1e6)]


class EgoIn(Shape):
    """What a picture of the graph is to show; `keep` has the nodes it shows already."""

    ids: list[Id] = Field([], max_length=50)
    person: Name | None = None
    name: Name | None = None
    topic: int | None = Field(None, ge=1, le=BIGGEST)
    hops: int = Field(1, ge=1, le=4)
    most: int = Field(60, ge=1, le=MOST_NODES)
    keep: dict[Id, Annotated[list[Place], Field(min_length=2, max_length=2)]] = Field({}, max_length=2 * MOST_NODES)


routes = APIRouter(include_in_schema=False)


def data(daemon: Daemon) -> APIRouter:
    """The paths, for one daemon. All but a word in the review queue only read."""
    face = Face(daemon, Jobs(daemon.memories.get))

    async def know_face(request: Request) -> None:
        request.state.face = face

    outer = APIRouter(dependencies=[Depends(know_face)], include_in_schema=False)
    outer.include_router(routes)
    outer.include_router(kept.routes)
    outer.include_router(people.routes)
    outer.include_router(review.routes)
    return outer


@routes.get("/overview")
def overview(where: Asked) -> Answer:
    """Figures, and how much was said on which day."""
    return Answer(where.own(figures(where.memory)))


@routes.get("/facets")
def facets(where: Asked) -> Answer:
    """What conversations can be chosen by."""
    memory = where.memory
    sources = [dict(row) for row in memory.store.all("browse_sources")[:MOST_NAMES]]
    topics = [dict(row) for row in memory.store.all("topics_by_size", limit=MOST_NAMES)]
    return Answer({"people": speakers(memory, MOST_NAMES), "sources": sources, "topics": topics})


@routes.get("/sessions")
def sessions(
    where: Asked,
    q: Words = None,
    conversation: Annotated[Name | None, Query()] = None,
    person: Annotated[Name | None, Query()] = None,
    source: Annotated[Name | None, Query()] = None,
    topic: Annotated[int | None, Query(ge=1, le=BIGGEST)] = None,
    since: Annotated[Moment, Query()] = None,
    until: Annotated[Moment, Query()] = None,
    offset: Offset = 0,
    limit: Limit = 30,
) -> Answer:
    """Sessions within bounds, the latest first, with their first words."""
    store = where.memory.store
    bounds = {
        "words": q or None,
        "conversation": conversation,
        "speaker": person,
        "source": source,
        "topic": topic,
        "since": None if since is None else to_micros(since),
        "until": None if until is None else to_micros(until),
    }
    with store.snapshot():
        total = store.one("browse_sessions_count", **bounds)
        rows = store.all("browse_sessions", **bounds, limit=limit, offset=offset)
        speakers: dict[int, list[str]] = {}
        for row in store.all("speakers_of_sessions", sessions=as_json([row["key"] for row in rows])):
            speakers.setdefault(row["session"], []).append(row["speaker"])
    items = [
        {
            "conversation": row["conversation"],
            "session": row["id"],
            "title": row["title"],
            "source": row["source"],
            "started_at": from_micros(row["started_at"]),
            "last_at": from_micros(row["last_at"]),
            "closed": bool(row["closed"]),
            "turns": row["turns"],
            "opening": row["opening"],
            "speakers": speakers.get(row["key"], [])[:12],
        }
        for row in rows
    ]
    return Answer(paged(items, 0 if total is None else total[0], offset, limit))


@routes.get("/turns")
def turns(
    where: Asked,
    conversation: Annotated[Name, Query()],
    session: Annotated[Name, Query()],
    around: Annotated[Name | None, Query(description="A turn whose page is wanted.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Answer:
    """A page of a session: what was said, by whom, and in which segment it is."""
    memory, row = found_session(where, conversation, session)
    store = memory.store
    with store.snapshot():
        if around is not None and (before := store.one("turn_offset", session=row.key, id=around)) is not None:
            offset = before[0] // limit * limit
        total = store.one("turns_visible", session=row.key)
        said = store.all("turns_page", session=row.key, most=MOST_TEXT, limit=limit, offset=offset)
        segments = store.segments(row.key)
        named = store.one("conversation_get", id=row.conversation)
    at = {n: one.idx for one in segments for n in range(one.first, one.last + 1)}
    items = [
        {
            "id": turn["id"],
            "speaker": turn["speaker"],
            "role": turn["role"],
            "said_at": from_micros(turn["said_at"]),
            "text": turn["text"],
            "size": turn["size"],
            "segment": segment_id(row.conversation, row.id, at[turn["position"]]) if turn["position"] in at else None,
        }
        for turn in said
    ]
    told = {
        "conversation": row.conversation,
        "session": row.id,
        "title": None if named is None else named["title"],
        "source": None if named is None else named["source"],
        "closed": row.closed,
        "offset": offset,
    }
    return Answer({**told, **paged(items, 0 if total is None else total[0], offset, limit)})


@routes.get("/turn")
def turn(
    where: Asked,
    conversation: Annotated[Name, Query()],
    session: Annotated[Name, Query()],
    id: Annotated[Name, Query()],
) -> Answer:
    """All of a long turn."""
    memory, row = found_session(where, conversation, session)
    found = memory.store.one("turn_whole", session=row.key, id=id)
    return Answer({"text": "" if found is None else found["text"]})


@routes.get("/claims")
def claims(where: Asked, conversation: Annotated[Name, Query()], session: Annotated[Name, Query()]) -> Answer:
    """What was understood of a session so far: who is what, by which turn."""
    memory, row = found_session(where, conversation, session)
    people.read_session(memory, row.key)
    with memory.store.snapshot():
        found = read_claims(memory.store, memory.store.keys("claim_keys_of_session", session=row.key).tolist())
    names = ("id", "subject", "relation", "value", "speaker", "quote", "negated", "modality", "confidence")
    return Answer([{**{name: getattr(one, name) for name in names}, "turn": one.turn_ids[0]} for one in found[:1000]])


@routes.post("/graph")
def graph(where: Asked, given: EgoIn) -> Answer:
    """A part of the graph, laid out."""
    asked = {name: getattr(given, name) for name in ("ids", "person", "name", "topic", "hops", "most")}
    kept = {id: (at[0], at[1]) for id, at in given.keep.items()}
    return Answer(ego_of(where.memory, Wanted(**asked, kept=kept)))


@routes.get("/notes")
def notes(
    where: Asked,
    q: Words = None,
    tag: Words = None,
    sort: Annotated[Literal["newest", "oldest", "strength", "recalls", "text"], Query()] = "newest",
    aside: Annotated[bool, Query(description="Also what was archived or retired.")] = False,
    offset: Offset = 0,
    limit: Limit = 50,
) -> Answer:
    """Notes with some words in them, in an order, with the tags there are."""
    memory = where.memory
    bounds = {"words": q or None, "tag": tag or None, "below": FORGOTTEN if aside else ARCHIVED}
    with memory.store.snapshot():
        page = {"limit": limit, "offset": offset}
        if q or tag or sort != "newest":
            total = memory.store.one("notes_found_count", **bounds)
            keys = memory.store.keys("notes_found", **bounds, sort=sort, **page).tolist()
        else:  # as the view begins: nothing has to be looked through
            total = memory.store.one("notes_counted", below=bounds["below"])
            keys = memory.store.keys("notes_latest", below=bounds["below"], **page).tolist()
        found = {memory._segment_key(note.id): note for note in memory._notes(keys)}
        tags = [dict(row) for row in memory.store.all("note_tags", below=bounds["below"], limit=MOST_NAMES)]
    items = [found[key] for key in keys if key in found]
    return Answer({**paged(items, 0 if total is None else total[0], offset, limit), "tags": tags})


@routes.get("/vault.zip")
def export_vault(where: Asked) -> StreamingResponse:
    """Everything as a folder of Markdown for Obsidian, zipped: sessions, people, notes and topics, linked."""
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    headers = {"Content-Disposition": f'attachment; filename="engramma-vault-{day}.zip"'}
    pieces: Iterator[bytes] = vault(where.memory)
    return StreamingResponse(pieces, media_type="application/zip", headers=headers)


def paged(items: list[Any], total: int, offset: int, limit: int) -> dict[str, Any]:
    end = offset + limit
    return {"items": items, "total": total, "next": end if end < total else None}
