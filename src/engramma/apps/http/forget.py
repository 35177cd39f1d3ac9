"""Paths about forgetting and about what was done: forget, purge, undo, acts, redactions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...errors import BadInput
from ...records import Act, Forgotten
from ...redaction import rules_from
from .request import Administering, Asked
from .request_models import Bounds, ForgetIn, PurgeIn, UndoIn
from .response_models import JsonAnswer, Masked, Redactions

paths = APIRouter(tags=["care"])


@paths.post("/forget", response_model=Forgotten, summary="Forget")
def forget(where: Administering, given: ForgetIn) -> JsonAnswer:
    """Hide what matches all the given criteria; POST /api/undo with the act brings it back. `preview` only reports."""
    memory = where.memory
    if given.preview:
        return JsonAnswer(memory.forget(**_bounds_of(given), preview=True))
    with where.face.writes.alone():
        return JsonAnswer(memory.forget(**_bounds_of(given)))


@paths.post("/purge", response_model=Forgotten, summary="Purge permanently")
def purge(where: Administering, given: PurgeIn) -> JsonAnswer:
    """Delete what matches the criteria, or what an act of forgetting hid, from every file.

    Nothing brings it back, not even importing it again. `"confirm": true` is required; POST /api/forget with
    `"preview": true` shows what would be deleted.
    """
    bounds = _bounds_of(given)
    if (given.act is None) == all(value is None for value in bounds.values()):
        raise BadInput("Give either an act or what to purge.")
    with where.writing() as memory:
        return JsonAnswer(memory.purge(**bounds, act=given.act))


@paths.post("/undo", response_model=Act, summary="Undo an act")
def undo(where: Administering, given: UndoIn) -> JsonAnswer:
    """Undo an act: everything is as if it had not been done. A purge cannot be undone."""
    with where.writing() as memory:
        return JsonAnswer(memory.undo(given.act))


@paths.get("/acts", response_model=list[Act], summary="List the acts")
def list_acts(
    where: Asked, limit: Annotated[int, Query(ge=1, le=1_000, description="Maximum number of acts.")] = 50
) -> JsonAnswer:
    """What was done to this memory other than writing, with reasons, newest first."""
    return JsonAnswer(where.memory.acts.all(limit))


@paths.get("/redactions", response_model=Redactions, summary="List what was masked")
def list_redactions(where: Asked) -> JsonAnswer:
    """How often each rule masked a secret in what is stored, and the rules that apply here."""
    memory = where.memory
    rules = {rule.id: rule.description for rule in rules_from(memory.config.redact).rules}
    masked = [Masked(*row) for row in memory.redactor.counts()]
    return JsonAnswer(Redactions(masked, dict(sorted(rules.items()))))


def _bounds_of(given: Bounds) -> dict[str, Any]:
    return {name: getattr(given, name) for name in Bounds.model_fields}
