"""Events tell of every write, whichever process made it, and end when the daemon does. Over a real socket."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from engramma import Memory
from engramma.apps.daemon.folder import place_in
from engramma.apps.daemon.memories import Memories
from engramma.apps.daemon.spool import Spool
from engramma.apps.daemon.state import Daemon
from engramma.apps.http import events, install, router
from engramma.apps.http.request import Face
from tests.conftest import talk
from tests.fakes import HashEmbedder, as_owner

pytestmark = pytest.mark.long


@pytest.fixture
def listening(store, monkeypatch):
    """A server on a free port; gives its URL and its daemon."""
    monkeypatch.setattr(events, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(events, "CLOSING_SECONDS", 0.05)
    memories = Memories(store)
    memories._embedder = HashEmbedder()
    place = place_in(store)
    daemon = Daemon(store, place, memories, Spool(place.spool), SimpleNamespace(), "token")
    app = FastAPI()
    install(app)
    app.include_router(router(Face(daemon)), prefix="/api")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(as_owner(app), log_level="error", timeout_graceful_shutdown=20))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/api", daemon, server
        daemon.closing.set()
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()
    memories.close()


@contextmanager
def following(url, **headers):
    """The events as they come: (kind, id, data)."""
    with httpx2.Client(timeout=20, trust_env=False) as client, client.stream("GET", url, headers=headers) as answer:
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()

        def next_event():
            found: dict[str, str] = {}
            for line in lines:
                if not line and "data" in found:
                    return found["event"], found["id"], json.loads(found["data"])
                name, _, value = line.partition(": ")
                found[name] = value
            return None

        while ": listening" not in next(lines):
            pass
        yield next_event


def test_a_write_of_another_process_is_told(listening, store):
    url, daemon, _ = listening
    with following(f"{url}/events") as next_event, Memory.open(store, embedder=HashEmbedder()) as other:
        other.remember_session("kitchen", "monday", talk("Ann: The boiler is broken."))
        kind, mark, data = next_event()
        assert (kind, data["added"], data["removed"]) == ("turns", ["seg_kitchen/monday_0"], 0)
        act = other.forget(speaker="Ann").act
        told = [next_event(), next_event()]
        assert [one[0] for one in told] == ["turns", "acts"] and told[1][2]["act"] == act
        assert "boiler" not in json.dumps(told)
        other.undo(act)
        told = [next_event(), next_event()]
        assert told[1][0] == "acts" and told[1][2]["undone_at"]
        daemon.spool.put("captured", {"x": 1})
        assert next_event()[::2] == ("spool", {"waiting": 1, "bytes": daemon.spool.waiting()[1], "failed": 0})
    with following(f"{url}/events", **{"Last-Event-ID": mark}) as next_event:  # what was missed comes first
        assert next_event()[0] == "turns" and next_event()[2]["act"] == act


def test_an_import_is_told(listening):
    url, _, _ = listening
    with following(f"{url}/events") as next_event:
        httpx2.post(f"{url}/import", content=b"Ann: Hello.\nBob: Hi.\n", params={"date": "2026-01-05"})
        states = []
        while not states or states[-1] not in ("done", "failed"):
            kind, _, data = next_event()
            states += [data["state"]] if kind == "job" else []
        assert states[-1] == "done"


def test_a_stream_ends_with_the_daemon(listening):
    url, daemon, server = listening
    with following(f"{url}/events") as next_event:
        daemon.closing.set()
        server.should_exit = True
        assert next_event() is None


def test_a_mark_of_another_store_begins_now(listening):
    url, _, _ = listening
    for mark in ("999999-999999", "nonsense", "-", "9" * 90):
        with following(f"{url}/events", **{"Last-Event-ID": mark}):
            pass
    assert httpx2.get(f"{url}/events", params={"namespace": "nowhere"}).status_code == 404
