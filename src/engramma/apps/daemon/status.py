"""How the daemon is, and pausing what it captures."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ... import __version__
from .pauses import capture_of, pause, resume
from .place import read_json
from .state import Daemon, proxy_urls

MOST_MINUTES = 525_600


class Pause(BaseModel):
    """How long nothing is to be captured."""

    minutes: Annotated[float | None, Field(gt=0, le=MOST_MINUTES, description="None: until it is resumed")] = None


def capture_router(daemon: Daemon) -> APIRouter:
    routes = APIRouter(tags=["daemon"])

    @routes.get("/status", operation_id="status")
    def status() -> dict[str, Any]:
        """How the daemon, its worker, the spool and the capture are."""
        return status_of(daemon)

    @routes.post("/capture/pause", operation_id="pause_capture")
    def pause_capture(wish: Pause) -> dict[str, Any]:
        """Capture nothing for a while, or until it is resumed."""
        pause(daemon.place, wish.minutes)
        return capture_of(daemon.place, daemon.settings.capture)

    @routes.post("/capture/resume", operation_id="resume_capture")
    def resume_capture() -> dict[str, Any]:
        """Capture again."""
        resume(daemon.place)
        return capture_of(daemon.place, daemon.settings.capture)

    return routes


def status_of(daemon: Daemon) -> dict[str, Any]:
    items, size = daemon.spool.waiting()
    done = {name: value for name, value in read_json(daemon.place.counts).items() if name != "pid"}
    return {
        "version": __version__,
        "pid": os.getpid(),
        "store": str(daemon.store),
        "namespace": daemon.namespace,
        "url": daemon.url,
        "mcp": f"{daemon.url}/mcp",
        "proxy": proxy_urls(daemon.url, daemon.token, daemon.upstreams),
        "upstreams": dict(daemon.upstreams),
        "read_only": daemon.read_only,
        "inject": daemon.inject,
        "up_seconds": round(time.time() - daemon.started_at, 1),
        "capture": capture_of(daemon.place, daemon.settings.capture),
        "spool": {"items": items, "bytes": size, "failed": daemon.spool.failed()},
        "relayed": dict(daemon.relayed),
        "scribe": dict(daemon.scribe.counts()),
        "worker": done,
    }
