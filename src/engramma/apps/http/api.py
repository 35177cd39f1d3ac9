"""Assembles the API: its paths below one router, its threads and its shutdown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from . import ask, backups, conversations, entities, events, forget, people, team, uploads
from . import command as commanding
from . import hook_context as hooking
from . import imports as importing
from . import notes as kept
from . import recall as recalling
from . import store as whole
from .problems import PROBLEM
from .request import Face, knowing

# Handlers run in threads. Most of their time is spent in SQLite, in the encoder or waiting for their turn to write:
# more of them than this only take memory (a connection each), fewer let writers that wait keep readers out.
THREADS = 48

AREAS = (
    conversations.paths,
    recalling.paths,
    hooking.paths,
    commanding.paths,
    ask.paths,
    people.paths,
    entities.paths,
    kept.notes,
    kept.links,
    forget.paths,
    importing.paths,
    events.paths,
    whole.paths,
    backups.paths,
    team.paths,
)


def router(face: Face) -> APIRouter:
    """Every path of the API, to be mounted under /api."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        limiter = anyio.to_thread.current_default_thread_limiter()
        limiter.total_tokens = max(limiter.total_tokens, THREADS)
        await run_in_threadpool(uploads.sweep_uploads, face.daemon.place)
        try:
            yield
        finally:
            face.daemon.closing.set()
            await run_in_threadpool(face.jobs.close)

    bearer = HTTPBearer(auto_error=False, description="The token in the store's daemon/token file, or a user's.")
    api = APIRouter(
        dependencies=[Depends(bearer), knowing(face)],
        responses={"default": PROBLEM},
        generate_unique_id_function=operation_id,
        lifespan=lifespan,
    )
    for area in AREAS:
        api.include_router(area, generate_unique_id_function=operation_id)
    return api


def operation_id(route: APIRoute) -> str:
    return route.name
