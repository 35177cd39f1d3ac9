"""Paths about those who share a store: users, their rights, and the audit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from ...records.team import Audited, Issued, Right, User
from .request import Administering, Asked, Owning
from .request_models import RequestModel, Text
from .response_models import JsonAnswer, Removed

paths = APIRouter(tags=["team"])

LONGEST_DAYS = 3_660

UserName = Annotated[Text, Field(min_length=1, max_length=100, examples=["ana"])]


class UserIn(RequestModel):
    """Somebody to let in, with rights in namespaces."""

    name: UserName
    grants: dict[Text, Right] = Field({}, max_length=1_000, examples=[{"team": "read", "ana": "admin"}])
    days: float | None = Field(
        None, gt=0, le=LONGEST_DAYS, description="How many days the token is valid; null: until revoked."
    )


class GrantIn(RequestModel):
    """Grants a right in a namespace, or revokes it."""

    name: UserName
    right: Right | None = Field(description="read, write or admin; null revokes it.")


@paths.get("/users", response_model=list[User], summary="List the users")
def list_users(where: Asked) -> JsonAnswer:
    """The owner sees all users; an admin sees those with a right in the namespace, and only that right."""
    users = where.face.daemon.memory.team.users()
    if where.who.is_owner:
        return JsonAnswer(users)
    where.check("admin")
    name = where.namespace
    return JsonAnswer(
        [
            User(one.name, one.created_at, {name: one.grants[name]}, name if one.home == name else None)
            for one in users
            if name in one.grants
        ]
    )


@paths.post("/users", response_model=Issued, status_code=201, summary="Add a user")
def add_user(where: Owning, given: UserIn) -> JsonAnswer:
    """Creates a user with a token, which is shown only once. Only for the store's owner."""
    expires = None if given.days is None else datetime.now(UTC) + timedelta(days=given.days)
    with where.face.writes.alone():
        return JsonAnswer(where.face.daemon.memory.team.add(given.name, given.grants, expires, by=where.who.name), 201)


@paths.delete("/users", response_model=Removed, summary="Remove a user")
def remove_user(where: Owning, name: Annotated[Text, Query(min_length=1, max_length=100)]) -> JsonAnswer:
    """Removes their tokens and rights; what they wrote stays. Only for the store's owner."""
    with where.face.writes.alone():
        where.face.daemon.memory.team.remove(name, by=where.who.name)
    return JsonAnswer(Removed(True))


@paths.put("/grants", response_model=Removed, summary="Grant or revoke a right in the namespace")
def put_grant(where: Administering, given: GrantIn) -> JsonAnswer:
    """For the store's owner and the namespace's admins. `removed` says whether a right was revoked."""
    team, name = where.face.daemon.memory.team, where.namespace
    with where.face.writes.alone():
        if given.right is None:
            team.ungrant(given.name, [name], by=where.who.name)
        else:
            team.grant(given.name, {name: given.right}, by=where.who.name)
    return JsonAnswer(Removed(given.right is None))


@paths.get("/audit", response_model=list[Audited], summary="Read the audit trail")
def list_audit(
    where: Asked,
    who: Annotated[Text | None, Query(max_length=100, description="Only this user.")] = None,
    before: Annotated[
        Text | None, Query(max_length=64, description="Only entries before this one: the id of the last.")
    ] = None,
    whole: Annotated[bool, Query(description="Changes to the store itself: users, namespaces. Owner only.")] = False,
    limit: Annotated[int, Query(ge=1, le=1_000, description="Maximum number of entries.")] = 100,
) -> JsonAnswer:
    """Requests that wrote to the namespace, newest first: who, what, when and how many, never the content.

    For the store's owner and the namespace's admins.
    """
    where.check("admin")
    if whole:
        where.check_owner()
    return JsonAnswer(where.face.daemon.memory.team.audit(None if whole else where.namespace, limit, who, before))
