"""Paths about importing: upload a file, follow its progress, cancel it."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.requests import ClientDisconnect

from ...errors import BadInput
from ...language.times import parse_time
from ...sources import READERS
from ...transfer.imports import Reading, zone_named
from .jobs import Job, no_job
from .problems import RequestRefused, of_error
from .request import Asked, Where, check_writable
from .request_models import Text
from .response_models import JobOut, JsonAnswer
from .uploads import receive, safe_name

paths = APIRouter(tags=["import"])

LONGEST_WAIT = 60.0
LOOK_SECONDS = 0.05
BODY = {
    "requestBody": {
        "required": True,
        "description": "The file itself.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
JobId = Annotated[Text, Path(min_length=1, max_length=50, description="As returned by POST /api/import.")]
TimeParam = Annotated[Text | None, Query(max_length=64)]


@paths.post(
    "/import",
    response_model=JobOut,
    responses={202: {"model": JobOut, "description": "Still running: poll GET /api/jobs/{id}."}},
    openapi_extra=BODY,
    summary="Import a file",
)
async def import_upload(
    request: Request,
    where: Asked,
    format: Annotated[
        Text | None,
        Query(max_length=50, description=f"One of {', '.join(READERS)}; by default recognised by content."),
    ] = None,
    since: Annotated[TimeParam, Query(description="Only what was said at or after this.")] = None,
    date: Annotated[TimeParam, Query(description="Time for turns without one.")] = None,
    timezone: Annotated[Text, Query(max_length=100, description="Time zone for times without one.")] = "UTC",
    filename: Annotated[
        Text | None, Query(max_length=1_000, description="The file's name: some formats name the chat by it.")
    ] = None,
    dry_run: Annotated[bool, Query(description="Store nothing, report what would be added.")] = False,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for it to finish.")] = 10.0,
) -> JsonAnswer:
    """The body is the file: a chat export, a transcript, a zip. What is already known is skipped.

    The response is the import, finished or, after `wait` seconds, still running (202): then poll /api/jobs/{id}.
    """
    if not dry_run:
        where.check("write")
        check_writable(where.face)
    reading = reading_of(format, since, date, timezone)
    await asyncio.to_thread(lambda: where.memory)  # a namespace that is not there: said before anything is sent
    try:
        path = await receive(where.face.daemon.place, safe_name(filename), request.stream())
    except ClientDisconnect:
        raise RequestRefused(400, "The file did not arrive completely. Send it again.") from None
    job = where.face.jobs.start(where.namespace, path, reading, dry_run=dry_run, who=where.who.name)
    deadline = time.monotonic() + wait
    while not job.ended.is_set() and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
    told = job.told()
    if not job.ended.is_set():
        return JsonAnswer(told, 202, {"Location": f"jobs/{job.id}"})
    if told.failure is not None:
        raise RequestRefused(of_error(job.error).status_code if job.error is not None else 500, told.failure.detail)
    return JsonAnswer(told)


@paths.get("/jobs", response_model=list[JobOut], summary="List the imports")
def list_jobs(where: Asked) -> JsonAnswer:
    """Imports since the daemon's start, newest last; users see those of namespaces they may read."""
    return JsonAnswer([job.told() for job in where.face.jobs.listed() if where.who.may("read", job.namespace)])


@paths.get("/jobs/{id}", response_model=JobOut, summary="Get an import's progress")
def get_job(where: Asked, id: JobId) -> JsonAnswer:
    """Its state, how much it has imported so far, and its report when it has finished."""
    return JsonAnswer(found_job(where, id).told())


@paths.delete("/jobs/{id}", response_model=JobOut, summary="Cancel an import")
def cancel_job(where: Asked, id: JobId) -> JsonAnswer:
    """It stops after the sessions it is storing; what was imported stays, and the same import continues from there."""
    job = found_job(where, id)
    if not job.dry_run:
        where.check("write", job.namespace)
    if not job.ended.is_set():
        if not job.dry_run:
            check_writable(where.face)
        job.cancel.set()
        job.ended.wait(LONGEST_WAIT / 6)
    return JsonAnswer(job.told())


def found_job(where: Where, id: str) -> Job:
    """An import of a namespace that they may read; of others nobody hears."""
    job = where.face.jobs.get(id)
    if not where.who.may("read", job.namespace):
        raise no_job(id)
    return job


def reading_of(format: str | None, since: str | None, date: str | None, timezone: str) -> Reading:
    if format is not None and format not in READERS:
        raise BadInput(f"There is no format {format!r:.50}. Known: {', '.join(READERS)}; or leave it out.")
    zone = zone_named(timezone)
    try:
        times = [None if text is None else parse_time(text, zone) for text in (since, date)]
    except ValueError as error:
        raise BadInput(f"since or date: {error}.") from error
    return Reading(format=format, zone=zone, since=times[0], fallback_time=times[1])
