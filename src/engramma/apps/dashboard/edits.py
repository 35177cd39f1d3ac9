"""Paths below /api/dashboard for editing: a page of entities, the ids of many notes, link targets."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query

from ...errors import StoreError
from ...language.graphemes import first_characters
from ...people import Sort
from ..http.request import Asked, FewItems, Offset, Words
from ..http.request_models import Id, Text
from ..http.response_models import JsonAnswer, paged

BLOCKS = 40  # of 200 turns, read for names before a page is shown; the rest the daemon's worker reads
MOST_CHOSEN = 10_000  # notes of one choice
MOST_TARGETS = 12
SHOWN = 160  # characters of what a link leads to

routes = APIRouter(include_in_schema=False)


@routes.get("/entities")
def entities(
    where: Asked,
    q: Words = None,
    type: Words = None,
    sort: Annotated[Sort, Query()] = "mentions",
    offset: Offset = 0,
    limit: FewItems = 50,
) -> JsonAnswer:
    """Who and what was named, a page of it, with the types there are, and how much talk waits to be read for names."""
    memory = where.memory
    with suppress(StoreError):  # a store that cannot be written is shown as it is
        memory.claims.extract(BLOCKS)
    found = memory.entities.listing(type, q, limit, offset, sort)
    page = paged(found.items, found.total, offset, limit)
    return JsonAnswer({**page, "types": found.types, "waiting": found.waiting})


@routes.get("/note-ids")
def list_note_ids(
    where: Asked, q: Words = None, tag: Words = None, aside: Annotated[bool, Query()] = False
) -> JsonAnswer:
    """The ids of all notes within bounds, to act on more than one page of them."""
    return JsonAnswer(where.memory.notes.ids(words=q, tag=tag, all_states=aside, limit=MOST_CHOSEN))


@routes.get("/links")
def links(where: Asked, id: Annotated[Id, Query()]) -> JsonAnswer:
    """The typed links at a segment, each with the words at its other end."""
    memory = where.memory
    found = memory.links.all(id)
    ends = {end for link in found for end in (link.source, link.target)}
    return JsonAnswer({"items": found, "words": memory.surroundings.words(sorted(ends), SHOWN)})


@routes.get("/targets")
def targets(
    where: Asked, q: Annotated[Text, Query(min_length=1, max_length=500)], id: Annotated[Id, Query()]
) -> JsonAnswer:
    """What a link may lead to: the segment of this very id, or those that are nearest to some words."""
    memory = where.memory
    if (named := memory.segment(q)) is not None:
        found = [(named[0].id, named[0].speakers, named[0].text)]
    else:
        found = [(hit.segment_id, hit.speakers, hit.text) for hit in memory.recall(q, MOST_TARGETS).candidates]
    others = [one for one in found if one[0] != id][:MOST_TARGETS]
    return JsonAnswer(
        [{"id": other, "speakers": who, "text": first_characters(text, SHOWN)} for other, who, text in others]
    )
