"""A stream of what happens to a memory, whichever process does it (server-sent events)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from ...errors import EngrammaError
from ...language.times import format_time
from ...records import Act
from ..render import as_value
from .problems import RequestRefused
from .request import Asked, Face, Where
from .response_models import events_content

paths = APIRouter(tags=["events"])

LOOK_SECONDS = 1.0
CLOSING_SECONDS = 0.2  # how soon a stream notices that the daemon stops
HEARTBEAT_SECONDS = 15.0
MOST_LISTENERS = 64
MOST_ACTS = 50


@dataclass(frozen=True, slots=True)
class EventMark:
    """How far a listener has heard: the change and the act that came last."""

    change: int
    act: int

    def __str__(self) -> str:
        return f"{self.change}-{self.act}"


@dataclass(slots=True)
class Heard:
    """What a listener knows."""

    mark: EventMark
    undone: set[int] = field(default_factory=set)  # of the latest acts
    spool: Mapping[str, int] | None = None
    jobs: dict[str, tuple[str, int]] = field(default_factory=dict)
    told: int | None = None  # how many writes the database has told of


@paths.get(
    "/events",
    name="events",
    response_class=StreamingResponse,
    responses={200: {"description": "Events", "content": events_content("turns", "acts", "spool", "job")}},
    summary="Follow events",
)
async def stream_events(
    where: Asked,
    last_event_id: Annotated[
        str | None,
        Header(max_length=100, description="The id of the last event you received; later ones are sent first."),
    ] = None,
) -> StreamingResponse:
    """Server-sent events of the namespace: `turns` (segments added or removed), `acts` (done or undone), `spool`
    (what waits to be stored) and `job` (imports). They cover writes by any process, within a second.
    """
    face = where.face
    if face.listeners >= MOST_LISTENERS:
        raise RequestRefused(
            503, f"{MOST_LISTENERS} clients already listen. Close one, or try again later.", {"Retry-After": "60"}
        )
    heard = await asyncio.to_thread(_begin, where, last_event_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream(where, heard), media_type="text/event-stream", headers=headers)


async def stream(where: Where, heard: Heard) -> AsyncIterator[bytes]:
    """Events until the listener goes, loses the right to read, or the daemon stops."""
    face = where.face
    face.listeners += 1
    try:
        yield f"retry: 2000\nid: {heard.mark}\n: listening\n\n".encode()
        quiet_since = time.monotonic()
        while not face.daemon.closing.is_set():
            try:
                if not await asyncio.to_thread(_may_still_read, where):
                    return
                found = await asyncio.to_thread(_look, where, heard)
            except EngrammaError:
                found = []  # busy, or the namespace is gone; the next look tells
            for kind, data in found:
                yield f"event: {kind}\nid: {heard.mark}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
            if found:
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since >= HEARTBEAT_SECONDS:
                yield b": still here\n\n"
                quiet_since = time.monotonic()
            deadline = time.monotonic() + LOOK_SECONDS
            while time.monotonic() < deadline and not face.daemon.closing.is_set() and not _is_told(where, heard):
                await asyncio.sleep(CLOSING_SECONDS)
    finally:
        face.listeners -= 1


def _begin(where: Where, last: str | None) -> Heard:
    """From the event named, or from now."""
    memory = where.memory
    acts = memory.acts.all(MOST_ACTS)
    now = EventMark(memory.changes.last(), acts[0].id if acts else 0)
    mark = mark_of(last) or now
    if mark.change > now.change or mark.act > now.act:
        mark = now  # of another store, or of a namespace that was made anew
    heard = Heard(mark, {act.id for act in acts if act.undone_at is not None}, spool_of(where.face))
    heard.jobs = {job.id: (job.state, job.turns) for job in where.face.jobs.listed()}
    return heard


def mark_of(text: str | None) -> EventMark | None:
    change, sign, act = (text or "").partition("-")
    if sign and change.isdecimal() and act.isdecimal() and len(text or "") <= 40:
        return EventMark(int(change), int(act))
    return None


def _may_still_read(where: Where) -> bool:
    """Whether whoever listens may: a token can be revoked and a right taken away meanwhile."""
    if where.who.is_owner:
        return True
    who = where.face.daemon.keys.of_session(where.who.token)
    return who is not None and who.may("read", where.namespace)


def _look(where: Where, heard: Heard) -> list[tuple[str, dict[str, Any]]]:
    """What is new to a listener since it was last looked for."""
    before = heard.told
    try:
        found = [] if is_silent(where, heard) else looked(where, heard)
    except EngrammaError:
        heard.told = before  # it was told, and not looked at: the next look does
        raise
    if where.who.is_owner and (spool := spool_of(where.face)) != heard.spool:
        heard.spool = spool
        found.append(("spool", dict(spool)))
    for job in where.face.jobs.listed():
        if job.namespace == where.namespace and heard.jobs.get(job.id) != (job.state, job.turns):
            heard.jobs[job.id] = (job.state, job.turns)
            state = {"state": job.state, "turns": job.turns, "problems": job.problems}
            found.append(("job", {"namespace": job.namespace, "id": job.id, **state}))
    return found


def _is_told(where: Where, heard: Heard) -> bool:
    """Whether the database has told of a write that was not looked at yet."""
    now = where.memory.changes.told()
    return now is not None and now != heard.told


def is_silent(where: Where, heard: Heard) -> bool:
    """Whether the database would have told of a write and did not, so that nothing has to be asked of it."""
    before, heard.told = heard.told, where.memory.changes.told()
    return before is not None and before == heard.told


def looked(where: Where, heard: Heard) -> list[tuple[str, dict[str, Any]]]:
    """What the database has that a listener does not know."""
    memory = where.memory
    found: list[tuple[str, dict[str, Any]]] = []
    last = memory.changes.last()
    if last > heard.mark.change:
        changed = as_value(memory.changes.between(heard.mark.change, last))
        found.append(("turns", {"namespace": where.namespace, **changed}))
    acts = [act for act in reversed(memory.acts.all(MOST_ACTS)) if is_news(act, heard)]
    found += [("acts", {"namespace": where.namespace, **_told(act)}) for act in acts]
    heard.undone |= {act.id for act in acts if act.undone_at is not None}
    heard.mark = EventMark(last, max([heard.mark.act, *(act.id for act in acts)]))
    return found


def is_news(act: Act, heard: Heard) -> bool:
    return act.id > heard.mark.act or (act.undone_at is not None and act.id not in heard.undone)


def _told(act: Act) -> dict[str, Any]:
    """An act without what it was about: GET /api/acts says that."""
    undone = None if act.undone_at is None else format_time(act.undone_at)
    return {"act": act.id, "kind": act.kind, "at": format_time(act.at), "undone_at": undone}


def spool_of(face: Face) -> dict[str, int]:
    waiting, size = face.daemon.spool.waiting()
    return {"waiting": waiting, "bytes": size, "failed": face.daemon.spool.failed()}
