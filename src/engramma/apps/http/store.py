"""Paths about a store as a whole: figures, namespaces, export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from ...memory import Memory
from ...records import NamespaceInfo
from .problems import RequestRefused
from .request import Asked, Writing, writing
from .request_models import NamespaceIn, RenameIn, Text
from .response_models import JsonAnswer, Removed

paths = APIRouter(tags=["store"])

CHUNK = 64 * 1024  # characters of an export handed over at once


@paths.get("/stats", name="stats", response_model=dict[str, Any], summary="Get statistics")
def show_stats(where: Asked) -> JsonAnswer:
    """What is remembered, how large it is, which model and thresholds it works with (`engramma stats --json`)."""
    return JsonAnswer(where.own(where.memory.stats()))


@paths.get("/namespaces", response_model=list[NamespaceInfo], summary="List the namespaces")
def list_namespaces(where: Asked) -> JsonAnswer:
    """Every namespace of the store with its size, by name; users see those they may read."""
    return JsonAnswer([info for info in where.memory.namespaces.all() if where.who.may("read", info.name)])


@paths.post("/namespaces", response_model=NamespaceInfo, status_code=201, summary="Create a namespace")
def add_namespace(where: Writing, given: NamespaceIn) -> JsonAnswer:
    """Creates an empty namespace, isolated from all others. Only for the store's owner."""
    where.check_owner()
    memory = where.memory
    memory.redactor.check_namespace_name(given.name)
    with where.face.writes.alone():
        _check_free(memory, given.name)
        return JsonAnswer(memory.namespaces.create(given.name), 201)


@paths.patch("/namespaces", response_model=NamespaceInfo, summary="Rename a namespace")
def rename_namespace(where: Writing, given: RenameIn) -> JsonAnswer:
    """Its contents stay; a program that has it open gets an error at its next call. Only for the store's owner."""
    where.check_owner()
    memory = where.memory
    check_served(where.face.daemon.namespace, given.old)
    memory.redactor.check_namespace_name(given.new)
    with where.face.writes.alone():
        _check_free(memory, given.new)
        return JsonAnswer(memory.namespaces.rename(given.old, given.new))


@paths.delete("/namespaces", response_model=Removed, summary="Delete a namespace permanently")
def delete_namespace(
    where: Asked,
    request: Request,
    name: Annotated[Text, Query(min_length=1, max_length=200, description="Its name.")],
    confirm: Annotated[bool, Query(description="Deletion is final: set true to confirm.")],
) -> JsonAnswer:
    """Deletes it with everything in it, from every file. Cannot be undone. For the store's owner and its admins."""
    where.check("admin", name)
    check_served(where.face.daemon.namespace, name)
    if not confirm:
        raise RequestRefused(400, "Deleting a namespace is final. Pass confirm=true to do it.")
    writing(request, replace(where, namespace=name), "admin")
    memory = where.face.daemon.memory
    with where.face.writes.alone():
        memory.namespaces.delete(name)
    return JsonAnswer(Removed(True))


@paths.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"description": "JSON lines", "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
    summary="Export everything",
)
def export(where: Asked) -> StreamingResponse:
    """Everything said in the namespace as JSON lines, with notes and links. Importing them gives the same memory."""
    headers = {"Content-Disposition": 'attachment; filename="engramma.jsonl"'}
    return StreamingResponse(_chunks(where.memory), media_type="application/x-ndjson", headers=headers)


def _chunks(memory: Memory) -> Iterator[bytes]:
    """Lines, many at a time: each hand-over costs a change of threads."""
    waiting: list[str] = []
    size = 0
    for line in memory.export():
        waiting.append(line.rstrip("\n") + "\n")
        size += len(line)
        if size >= CHUNK:
            yield "".join(waiting).encode("utf-8")
            waiting, size = [], 0
    yield "".join(waiting).encode("utf-8")


def _check_free(memory: Memory, name: str) -> None:
    if any(info.name == name for info in memory.namespaces.all()):
        raise RequestRefused(409, f"There is a namespace {name!r:.200} already. Choose another name.")


def check_served(served: str, name: str) -> None:
    if name == served:
        raise RequestRefused(409, f"This daemon serves the namespace {name!r:.200}. Stop the daemon to do that.")
