"""Paths below /api/dashboard for what is edited: a page of entities, the ids of many notes, what to link with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...entity_calls import Sort
from ...errors import StoreError
from ...people.claims import waiting
from ...people.entities import entity_page, given_names
from ...store.store import ARCHIVED, FORGOTTEN, Store, as_json
from ...text import segment_id
from ...times import from_micros
from ..http.answers import Answer
from ..http.face import Asked
from ..http.shapes import Id, Text

BLOCKS = 40  # of 200 turns, read for names before a page is shown; the rest the daemon's worker reads
MOST_CHOSEN = 10_000  # notes of one choice
MOST_TARGETS = 12
SHOWN = 160  # characters of what a link leads to

routes = APIRouter(include_in_schema=False)

Words = Annotated[Text | None, Query(max_length=200)]


@routes.get("/entities")
def entities(
    where: Asked,
    q: Words = None,
    type: Words = None,
    sort: Annotated[Sort, Query()] = "mentions",
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Answer:
    """Who and what was named, a page of it, with the types there are, and how much talk waits to be read for names."""
    memory, store = where.memory, where.memory.store
    with suppress(StoreError):  # a store that cannot be written is shown as it is
        memory.extract_claims(BLOCKS)
    with store.snapshot():
        keys, total = entity_page(store, type or None, q or None, sort, limit, offset)
        rows = shown(store, keys)
        types = [dict(row) for row in store.all("entity_types")]
        left = waiting(store)
    end = offset + limit
    page = {"items": rows, "total": total, "next": end if end < total else None}
    return Answer({**page, "types": types, "waiting": left})


def shown(store: Store, keys: Sequence[int]) -> list[dict[str, Any]]:
    """Entities in the order of their keys; those of which nothing can be seen are not there."""
    listed, called = as_json(keys), dict[int, list[str]]()
    for row in store.all("names_shown", keys=listed):
        called.setdefault(row["entity"], []).append(row["name"])
    given = given_names(store, keys)
    seen = {row["key"]: row for row in store.all("entities_counted", keys=listed) if row["last_at"] is not None}
    return [
        {
            **dict(seen[key]),
            "last_at": from_micros(seen[key]["last_at"]),
            "aliases": [
                one for one in dict.fromkeys([*given.get(key, ()), *called.get(key, ())]) if one != seen[key]["name"]
            ],
        }
        for key in keys
        if key in seen
    ]


@routes.get("/note-ids")
def note_ids(where: Asked, q: Words = None, tag: Words = None, aside: Annotated[bool, Query()] = False) -> Answer:
    """The ids of all notes within bounds, to act on more than one page of them."""
    store = where.memory.store
    bounds = {"words": q or None, "tag": tag or None, "below": FORGOTTEN if aside else ARCHIVED}
    with store.snapshot():
        keys = store.keys("notes_found", **bounds, sort="newest", limit=MOST_CHOSEN, offset=0).tolist()
        rows = store.all("segments_by_keys", keys=as_json(keys))
    ids = {row["key"]: segment_id(row["conversation"], row["session_id"], row["idx"]) for row in rows}
    return Answer([ids[key] for key in keys if key in ids])


@routes.get("/links")
def links(where: Asked, id: Annotated[Id, Query()]) -> Answer:
    """The typed links at a segment, each with the words at its other end."""
    memory = where.memory
    found = memory.links(id)
    ends = {end for link in found for end in (link.source, link.target)}
    keys = [key for end in sorted(ends) if (key := memory._segment_key(end)) is not None]
    words = {one.id: one.text[:SHOWN] for one in memory.store.hydrate(keys).values()}
    return Answer({"items": found, "words": words})


@routes.get("/targets")
def targets(
    where: Asked, q: Annotated[Text, Query(min_length=1, max_length=500)], id: Annotated[Id, Query()]
) -> Answer:
    """What a link may lead to: the segment of this very id, or those that are nearest to some words."""
    memory = where.memory
    if (named := memory.segment(q)) is not None:
        found = [(named[0].id, named[0].speakers, named[0].text)]
    else:
        found = [(hit.segment_id, hit.speakers, hit.text) for hit in memory.recall(q, MOST_TARGETS).candidates]
    others = [one for one in found if one[0] != id][:MOST_TARGETS]
    return Answer([{"id": other, "speakers": who, "text": text[:SHOWN]} for other, who, text in others])
