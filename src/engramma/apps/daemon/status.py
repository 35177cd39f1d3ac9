"""Reports the daemon's status, and pauses capture."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from ...admin.switch_index import healths
from ...config.version import __version__
from ...errors import EngrammaError
from ...ingest.backlog import backlog_of
from ...records.team import Who
from ..http.problems import RequestRefused
from ..render import as_value
from .folder import proxy_key, read_json
from .guard import WHO
from .pauses import capture_of, pause, resume
from .state import Daemon, proxy_urls

MOST_MINUTES = 525_600
# What a status tells the owner alone: the store's place, the key of the proxy, what others' captures do.
UNTOLD: dict[str, Any] = {
    **{"store": "", "pid": 0, "proxy": {}, "upstreams": {}, "relayed": {}, "scribe": {}, "worker": {}},
    "spool": {"items": 0, "bytes": 0, "failed": 0},
    "index": [],
    "embedder": {},
}


class Pause(BaseModel):
    """How long capture is paused."""

    minutes: Annotated[float | None, Field(gt=0, le=MOST_MINUTES, description="None: until it is resumed")] = None


def capture_router(daemon: Daemon) -> APIRouter:
    routes = APIRouter(tags=["daemon"])

    @routes.get("/status", operation_id="status")
    def status(request: Request) -> dict[str, Any]:
        """How the daemon, its worker, the spool and the capture are; to users only where it is and what holds."""
        who: Who = request.scope[WHO]
        told = _status_of(daemon)
        return told if who.is_owner else {**told, **UNTOLD, "namespace": who.home}

    @routes.post("/capture/pause", operation_id="pause_capture")
    def pause_capture(request: Request, wish: Pause) -> dict[str, Any]:
        """Capture nothing for a while, or until it is resumed. Only for the store's owner."""
        check_owner(request)
        pause(daemon.place, wish.minutes)
        return capture_of(daemon.place, daemon.settings.capture)

    @routes.post("/capture/resume", operation_id="resume_capture")
    def resume_capture(request: Request) -> dict[str, Any]:
        """Capture again. Only for the store's owner."""
        check_owner(request)
        resume(daemon.place)
        return capture_of(daemon.place, daemon.settings.capture)

    return routes


def check_owner(request: Request) -> None:
    if not request.scope[WHO].is_owner:
        raise RequestRefused(403, "Only the store's owner may pause and resume capture.")


def _status_of(daemon: Daemon) -> dict[str, Any]:
    items, size = daemon.spool.waiting()
    done = {name: value for name, value in read_json(daemon.place.counts).items() if name != "pid"}
    return {
        "version": __version__,
        "pid": os.getpid(),
        "store": str(daemon.store),
        "namespace": daemon.namespace,
        "url": daemon.url,
        "mcp": f"{daemon.url}/mcp",
        "proxy": proxy_urls(daemon.url, proxy_key(daemon.token), daemon.upstreams),
        "upstreams": dict(daemon.upstreams),
        "read_only": daemon.read_only,
        "inject": daemon.inject,
        "up_seconds": round(time.time() - daemon.started_at, 1),
        "capture": capture_of(daemon.place, daemon.settings.capture),
        "spool": {"items": items, "bytes": size, "failed": daemon.spool.failed()},
        "relayed": dict(daemon.relayed),
        "scribe": dict(daemon.scribe.counts()),
        "worker": done,
        "index": as_value(healths(daemon.store)),
        "embedder": _embedder_of(daemon),
    }


def _embedder_of(daemon: Daemon) -> dict[str, Any]:
    """What waits for the embedder in all namespaces, since when it is away, and whether another would do better."""
    try:
        memory = daemon.memory
        return memory.ingest.store_backlog().values() | {"advice": memory.admin.language_advice()}
    except EngrammaError as error:  # a status is told whatever the store is like
        return {**backlog_of(daemon.store, 0).values(), "segments": None, "reason": str(error)}
