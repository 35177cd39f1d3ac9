from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from fastapi import FastAPI

from engramma import Memory
from engramma.apps.daemon.folder import place_in
from engramma.apps.daemon.memories import Memories
from engramma.apps.daemon.settings import DaemonSettings
from engramma.apps.daemon.spool import Spool
from engramma.apps.daemon.state import Daemon
from engramma.apps.http import install, router
from engramma.apps.http.request import Face
from tests.fakes import HashEmbedder, as_owner


@contextmanager
def served(store, *, read_only=False, namespace="default"):
    """A client of an application over a store that is there already."""
    from starlette.testclient import TestClient

    memories = Memories(store)
    memories._embedder = HashEmbedder()
    place = place_in(store)
    scribe = SimpleNamespace(offer=lambda frame: True, counts=dict)
    settings = DaemonSettings(read_only=read_only)
    daemon = Daemon(store, place, memories, Spool(place.spool), scribe, "token", settings, namespace=namespace)
    app = FastAPI(openapi_url="/api/openapi.json")
    install(app)
    app.include_router(router(Face(daemon)), prefix="/api")
    with TestClient(as_owner(app), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        client.daemon = daemon
        yield client
    memories.close()


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store"
    Memory.open(path, embedder=HashEmbedder()).close()
    return path


@pytest.fixture
def api(store):
    with served(store) as client:
        yield client


@pytest.fixture
def tell(api):
    """Remember turns of a session; returns the answer."""

    def call(*lines, conversation="kitchen", session="monday", **more):
        turns = [dict(zip(("speaker", "text"), line.split(": ", 1), strict=True)) for line in lines]
        turns = [{**turn, "said_at": f"2026-01-05T09:{n:02}:00Z", "id": f"t{n}"} for n, turn in enumerate(turns)]
        body = {"conversation": conversation, "session": session, "turns": turns, **more}
        answer = api.post("/api/turns", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return call
