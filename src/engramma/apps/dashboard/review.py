"""Paths below /api/dashboard for the review queue: what waits, and accepting or rejecting it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from ...records.review import ProposalKind
from ..http.request import Asked, Offset, Writing
from ..http.request_models import RequestModel, Text
from ..http.response_models import JsonAnswer

routes = APIRouter(include_in_schema=False)


class WordIn(RequestModel):
    """What somebody says to a proposal."""

    id: Text = Field(min_length=1, max_length=60)
    word: Literal["accept", "reject"]


@routes.get("/review")
def review(
    where: Asked,
    kind: Annotated[ProposalKind | None, Query()] = None,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> JsonAnswer:
    """What waits for somebody's word, a page of it, and how much talk is still to be read."""
    memory = where.memory
    memory.profiles.read_some()
    found = memory.review.page(kind, limit, offset)
    told = {"items": found.items, "total": found.total, "counts": found.counts, "unread": memory.claims.waiting()}
    return JsonAnswer(told)


@routes.post("/review")
def give_word(where: Writing, given: WordIn) -> JsonAnswer:
    """Accept or refuse a proposal; POST /api/undo with the act takes it back."""
    with where.writing() as memory:
        return JsonAnswer(memory.review.accept(given.id) if given.word == "accept" else memory.review.reject(given.id))
