"""Paths about entities: list, rename, retype, merge and hide them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from ...people import MOST_ALIASES, MOST_AT_ONCE, EntityEdit, EntityInfo, EntityRow, Sort
from .problems import RequestRefused
from .request import Asked, Limit, Offset, Writing
from .request_models import BIGGEST, Name, RequestModel, Text
from .response_models import JsonAnswer

paths = APIRouter(tags=["people"])

Word = Annotated[Text, Query(min_length=1, max_length=100)]
Key = Annotated[int, Field(ge=1, le=BIGGEST)]
EntityKey = Annotated[int, Path(ge=1, le=BIGGEST, description="An entity's `key` in GET /api/entities.")]


class EntityChange(RequestModel):
    """A change to an entity; fields that are left out stay as they are."""

    name: Name | None = Field(None, description="Its new name.")
    aliases: list[Name] = Field([], max_length=MOST_ALIASES, description="Its other names.")
    type: Text | None = Field(None, max_length=40, description="person, place, organisation, …")


class MergeIn(RequestModel):
    """Entities that are one."""

    entities: list[Key] = Field(min_length=1, max_length=MOST_AT_ONCE, description="Their keys.")
    into: Key = Field(description="The key of the entity that stays.")


class KeysIn(RequestModel):
    """Some entities."""

    entities: list[Key] = Field(min_length=1, max_length=MOST_AT_ONCE, description="Their keys.")


@paths.get("/entities", response_model=list[EntityRow], summary="List the entities")
def list_entities(
    where: Asked,
    type: Annotated[Word | None, Query(description="Only this type: person, place, organisation, …")] = None,
    search: Annotated[Name | None, Query(description="Only names that contain these letters.")] = None,
    sort: Annotated[Sort, Query(description="By name, by type, or the most mentioned first.")] = "name",
    offset: Offset = 0,
    limit: Limit = 100,
) -> JsonAnswer:
    """Entities with aliases and how often each was named."""
    return JsonAnswer(where.memory.entities.all(type, search, limit, offset, sort))


@paths.get("/entity", response_model=EntityInfo, summary="Get one entity")
def get_entity(where: Asked, name: Annotated[Name, Query(description="Name of a person or thing.")]) -> JsonAnswer:
    """What it was called and where, facts about it and facts that mention it, with sources, and related entities."""
    found = where.memory.claims.entity(name)
    if found is None:
        raise RequestRefused(
            404, f"Nothing is known of {name!r:.200} by itself. GET /api/entities lists what is named."
        )
    return JsonAnswer(found)


@paths.patch("/entities/{key}", response_model=EntityEdit, summary="Rename an entity, or change its type")
def change_entity(where: Writing, key: EntityKey, given: EntityChange) -> JsonAnswer:
    """The change stays whatever is said later. POST /api/undo with the returned act undoes it."""
    with where.writing() as memory:
        return JsonAnswer(memory.entities.change(key, name=given.name, aliases=given.aliases, type=given.type))


@paths.post("/entities/merge", response_model=EntityEdit, summary="Merge entities")
def merge_entities(where: Writing, given: MergeIn) -> JsonAnswer:
    """Everything said about them, now and later, belongs to one entity. The returned act undoes it."""
    with where.writing() as memory:
        return JsonAnswer(memory.entities.merge(given.entities, given.into))


@paths.post("/entities/delete", name="delete_entities", response_model=EntityEdit, summary="Hide entities")
def post_entities_delete(where: Writing, given: KeysIn) -> JsonAnswer:
    """Hides them with the claims about them; the conversations themselves stay. The returned act undoes it."""
    with where.writing() as memory:
        return JsonAnswer(memory.entities.delete(given.entities))
