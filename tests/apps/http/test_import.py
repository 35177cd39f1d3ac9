"""A file sent to be imported: private, followed, called off, and gone afterwards."""

from __future__ import annotations

import json
import stat
import threading

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.apps.http import jobs, uploads
from tests.apps.http.conftest import served
from tests.fakes import HashEmbedder

TRIP = (
    b"--- 2026-02-03 18:00 ---\nAna: We booked the night train to Vienna.\nBen: Great, I bring the binoculars.\n"
    b"--- 2026-02-20 08:30 ---\nBen: The night train is cancelled.\nAna: Then we take the morning train.\n"
)


def many(sessions: int) -> bytes:
    """An export of so many sessions, as our own format has it."""
    lines = [{"engramma": 1, "kind": "export", "namespace": "default"}, {"type": "conversation", "id": "long"}]
    for number in range(sessions):
        name = {"conversation": "long", "session": f"s{number}"}
        lines.append({"type": "session", "conversation": "long", "id": f"s{number}", "closed": True})
        at = f"2026-01-05T{number // 60 % 24:02}:{number % 60:02}:00Z"
        lines.append({"type": "turn", **name, "id": "1", "speaker": "Ann", "said_at": at, "text": f"Word {number}"})
    return "\n".join(map(json.dumps, lines)).encode()


def left_over(api) -> list[str]:
    folder = api.daemon.place.folder / uploads.FOLDER
    return [str(path) for path in folder.rglob("*")] if folder.exists() else []


def test_a_file_is_imported_once_and_leaves_nothing_behind(api):
    sent = api.post("/api/import", params={"filename": "../../trip.txt"}, content=TRIP).json()
    assert (sent["state"], sent["filename"], sent["format"]) == ("done", "trip.txt", "transcript")
    assert sent["report"]["turns"] == 4
    again = api.post("/api/import", params={"filename": "trip.txt"}, content=TRIP).json()
    assert (again["report"]["turns"], again["report"]["known_turns"]) == (0, 4)
    assert left_over(api) == []


def test_a_dry_run_stores_nothing_even_where_writing_is_refused(store):
    with served(store, read_only=True) as api:
        assert api.post("/api/import", content=TRIP).status_code == 403
        seen = api.post("/api/import", params={"dry_run": True}, content=TRIP).json()
        assert seen["report"]["new_turns"] == 4
        assert api.get("/api/sessions").json()["total"] == 0
        assert left_over(api) == []


def test_a_file_sent_with_another_zone_or_with_none_is_known(api):
    berlin = {"filename": "trip.txt", "timezone": "Europe/Berlin"}
    turns = api.post("/api/import", params=berlin, content=TRIP).json()["report"]["turns"]
    again = api.post("/api/import", params={"filename": "trip (1).txt"}, content=TRIP).json()["report"]
    assert turns > 0 and (again["turns"], again["known_turns"]) == (0, turns)


def test_bounds_of_an_import(api):
    late = api.post("/api/import", params={"since": "2026-02-10"}, content=TRIP).json()
    assert late["report"]["turns"] == 2 and "left out as requested" in late["report"]["problems"][0]["reason"]
    assert "upload" not in json.dumps(late["report"]["problems"]).replace('"path": "upload"', "")
    for wrong in ({"format": "stew"}, {"since": "soon"}, {"timezone": "Mars/Base"}, {"timezone": "../etc"}):
        assert api.post("/api/import", params=wrong, content=TRIP).status_code == 400
    assert left_over(api) == []


def test_what_cannot_be_read_is_refused_and_deleted(api, monkeypatch):
    refused = api.post("/api/import", params={"filename": "x.bin"}, content=b"\x00\x01\x02")
    assert refused.status_code == 400 and str(api.daemon.store) not in refused.text
    assert api.post("/api/import", content=b"").status_code == 400
    monkeypatch.setattr(uploads, "MOST_BYTES", 1000)
    large = api.post("/api/import", content=b"x" * 1001)
    assert large.status_code == 413 and large.headers["content-type"] == "application/problem+json"
    assert left_over(api) == []


@pytest.fixture
def held(monkeypatch):
    """Imports wait for a word before each group they store."""
    seen, go = threading.Event(), threading.Event()
    before = jobs.Job.advance

    def advance(self, turns, problems):
        seen.set()
        assert go.wait(30)
        before(self, turns, problems)

    monkeypatch.setattr(jobs.Job, "advance", advance)
    monkeypatch.setattr("engramma.transfer.imports.GROUP_TURNS", 16)
    return seen, go


@pytest.mark.long
def test_a_long_import_is_followed_and_called_off_in_good_order(api, store, held):
    seen, go = held
    begun = api.post("/api/import", params={"wait": 0}, content=many(90))
    assert begun.status_code == 202
    job = f"/api/jobs/{begun.json()['id']}"
    assert seen.wait(30) and api.get(job).json()["state"] == "running"
    (file,) = (path for path in api.daemon.place.folder.rglob("upload") if path.is_file())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    api.daemon.memories.get()._core.store.check_place()
    threading.Timer(0.2, go.set).start()
    ended = api.delete(job).json()
    assert ended["state"] == "cancelled" and 0 < ended["turns"] < 90
    assert left_over(api) == []
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        assert [check for check in doctor(memory._core) if not check.ok] == []
        kept = len(memory.sessions())
        assert 0 < kept < 90
    rest = api.post("/api/import", params={"wait": 60}, content=many(90)).json()
    assert rest["report"]["turns"] == 90 - kept and rest["report"]["known_turns"] == kept


def test_stopping_ends_an_import_and_a_start_sweeps_what_was_left(store, held):
    seen, go = held
    with served(store) as api:
        api.post("/api/import", params={"wait": 0}, content=many(90))
        assert seen.wait(30)
        stray = api.daemon.place.folder / uploads.FOLDER / "killed"
        stray.mkdir()
        (stray / "chat.txt").write_text("private", encoding="utf-8")
        threading.Timer(0.2, go.set).start()
    with served(store) as api:
        assert left_over(api) == []
        assert api.get("/api/sessions").json()["total"] < 90
