"""Paths below /api/dashboard about people: who is known, their timeline, and decisions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from ..http.problems import RequestRefused
from ..http.request import Asked, FewItems, Offset, Words
from ..http.request_models import Name
from ..http.response_models import JsonAnswer, paged
from ..person_page import missing_person

routes = APIRouter(include_in_schema=False)

Person = Annotated[Name, Query(description="The person's name.")]


@routes.get("/people")
def list_known_people(where: Asked, q: Words = None, offset: Offset = 0, limit: FewItems = 30) -> JsonAnswer:
    """Who is known, those named most first, with how much was said of them."""
    items, total = where.memory.profiles.page(q, limit, offset)
    return JsonAnswer(paged(items, total, offset, limit))


@routes.get("/me")
def identity(where: Asked) -> JsonAnswer:
    """Who the user is, and under which names that are none somebody speaks; nothing is extracted first."""
    return JsonAnswer(where.memory.profiles.me())


@routes.get("/person")
def person(where: Asked, name: Person) -> JsonAnswer:
    """What held of somebody when, where values follow or contradict each other, with sources."""
    found = where.memory.profiles.get(name)
    if found is None:
        raise nobody(where, name)
    return JsonAnswer(found)


@routes.get("/person/talks")
def talks(where: Asked, name: Person, offset: Offset = 0, limit: FewItems = 10) -> JsonAnswer:
    """The conversations in which somebody is named, the latest first."""
    return page_of(where, where.memory.profiles.talks(name, limit, offset), name, offset, limit)


@routes.get("/person/claims")
def list_person_claims(
    where: Asked, name: Person, relation: Words = None, offset: Offset = 0, limit: FewItems = 20
) -> JsonAnswer:
    """What was said of somebody, the latest first, with its sources."""
    return page_of(where, where.memory.profiles.claims(name, relation, limit, offset), name, offset, limit)


@routes.get("/person/decisions")
def list_person_decisions(where: Asked, name: Person, offset: Offset = 0, limit: FewItems = 10) -> JsonAnswer:
    """What was decided about somebody's things, with reason, evidence and confidence; what stands before what not."""
    return page_of(where, where.memory.profiles.decisions(name, limit, offset), name, offset, limit)


def page_of(
    where: Asked, found: tuple[list[dict[str, Any]], int] | None, name: str, offset: int, limit: int
) -> JsonAnswer:
    if found is None:
        raise nobody(where, name)
    return JsonAnswer(paged(*found, offset, limit))


def nobody(where: Asked, name: str) -> RequestRefused:
    return RequestRefused(404, missing_person(where.memory, name, "The list of people shows who is known."))
