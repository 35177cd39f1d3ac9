"""Paths below /api/dashboard about people: who is known, what held of them when, and what was decided."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from ..http.answers import Answer, paged
from ..http.problems import Refused
from ..http.request import Asked, FewItems, Offset, Words
from ..http.shapes import Name

routes = APIRouter(include_in_schema=False)

Person = Annotated[Name, Query(description="Somebody's name.")]


@routes.get("/people")
def people(where: Asked, q: Words = None, offset: Offset = 0, limit: FewItems = 30) -> Answer:
    """Who is known, those named most first, with how much was said of them."""
    items, total = where.memory.profiles.page(q, limit, offset)
    return Answer(paged(items, total, offset, limit))


@routes.get("/person")
def person(where: Asked, name: Person) -> Answer:
    """What held of somebody when, where values follow or contradict each other, with sources."""
    found = where.memory.profiles.get(name)
    if found is None:
        raise nobody(name)
    return Answer(found)


@routes.get("/person/talks")
def talks(where: Asked, name: Person, offset: Offset = 0, limit: FewItems = 10) -> Answer:
    """The conversations in which somebody is named, the latest first."""
    return page_of(where.memory.profiles.talks(name, limit, offset), name, offset, limit)


@routes.get("/person/claims")
def claims(where: Asked, name: Person, relation: Words = None, offset: Offset = 0, limit: FewItems = 20) -> Answer:
    """What was said of somebody, the latest first, with its sources."""
    return page_of(where.memory.profiles.claims(name, relation, limit, offset), name, offset, limit)


@routes.get("/person/decisions")
def decisions(where: Asked, name: Person, offset: Offset = 0, limit: FewItems = 10) -> Answer:
    """What was decided about somebody's things, with reason, evidence and confidence; what stands before what not."""
    return page_of(where.memory.profiles.decisions(name, limit, offset), name, offset, limit)


def page_of(found: tuple[list[dict[str, Any]], int] | None, name: str, offset: int, limit: int) -> Answer:
    if found is None:
        raise nobody(name)
    return Answer(paged(*found, offset, limit))


def nobody(name: str) -> Refused:
    return Refused(404, f"Nothing was said of anybody called {name!r:.200}. The list of people has who is known.")
