"""Paths below /api/dashboard for the graph as lanes: what was said along time, and what a question lights up."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...language.text import DOCUMENTS, NOTES
from ...memory import Memory
from ...records import Segment
from ..http.request import Asked, Offset, Words
from ..http.request_models import Moment, Name
from ..http.response_models import JsonAnswer
from .ego_graph import segment_node
from .lanes import MAX_BANDS, place_in_lanes

MOST_MOMENTS = 1_000  # drawn at once
OWN_BANDS = {NOTES: "Notes", DOCUMENTS: "Documents"}
LIT = 8  # entries of a question; with what surrounds them some twenty moments

routes = APIRouter(include_in_schema=False)


@routes.get("/lanes")
def lanes(
    where: Asked,
    q: Words = None,
    person: Annotated[Name | None, Query()] = None,
    conversation: Annotated[Name | None, Query()] = None,
    since: Annotated[Moment, Query()] = None,
    until: Annotated[Moment, Query()] = None,
    offset: Offset = 0,
    most: Annotated[int, Query(ge=1, le=MOST_MOMENTS)] = 300,
) -> JsonAnswer:
    """The latest moments within bounds, a row for each session; with a question also all that it brings back."""
    memory = where.memory
    said = partial(memory.browse.segments, since=since, until=until, speaker=person, conversation=conversation)
    lit = [] if not q else [hit.segment_id for hit in memory.recall(q, LIT, conversation=conversation).candidates]
    with memory.browse.snapshot():
        shown = said(newest_first=True, limit=most, offset=offset)
        further = said(newest_first=True, limit=1, offset=offset + most)
        told = drawn_lanes(memory, shown, lit)
    return JsonAnswer({**told, "offset": offset, "more": bool(further)})


def drawn_lanes(memory: Memory, shown: list[Segment], lit: list[str]) -> dict[str, Any]:
    """Nodes in their lanes, edges between them, and what is drawn around; `lit` are ids in the order of their worth."""
    rank = {id: n for n, id in enumerate(lit, 1)}
    keys = memory.surroundings.keys(dict.fromkeys([*(one.id for one in shown), *lit]))
    part = memory.surroundings.part(list(keys.values()))
    if not part.segments:
        return {"nodes": [], "edges": [], "lanes": None}
    placed = place_in_lanes(list(part.segments.values()))
    number = {key: n for n, key in enumerate(part.segments)}
    nodes = []
    for key, segment in part.segments.items():
        x, y, group = placed.places[segment.id]
        at = {"x": round(x, 1), "y": round(-y, 1), "group": group, "lit": rank.get(segment.id)}
        nodes.append({**segment_node(segment, part.topics.get(key), seed=False, light=True), **at})
    edges = [[number[a], number[b], kind, round(weight, 4), ""] for (a, b, kind), weight in part.edges.items()]
    around = {name: value for name, value in asdict(placed).items() if name != "places"}
    if len(placed.bands) <= MAX_BANDS:
        for band in around["bands"]:
            thread = memory.browse.thread(band["name"])
            band["name"] = OWN_BANDS.get(band["name"]) or (thread and thread.title) or band["name"]
    return {"nodes": nodes, "edges": edges, "lanes": around}
