"""Entities, notes and backups changed over HTTP and on the command line, as the library changes them."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.apps.cli.main import app
from tests.apps.http.conftest import served

pytestmark = pytest.mark.long


@pytest.fixture
def people(tell):
    tell("Ann: I work at TechCorp.", "Bob: I live in Lisbon.", close=True)
    tell("Annie: I work at Globex.", conversation="office", close=True)


def keys(api, **params):
    return {one["name"]: one["key"] for one in api.get("/api/entities", params=params).json()}


def done(api, method, path, **body):
    answer = api.request(method, f"/api/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_entities_are_changed_merged_deleted_and_that_is_undone(api, people):
    known = keys(api)
    edit = done(api, "PATCH", f"entities/{known['TechCorp']}", name="Tech Inc", aliases=["TI"], type="project")
    assert (edit["entity"]["name"], edit["entity"]["type"]) == ("Tech Inc", "project")
    assert set(edit["entity"]["aliases"]) == {"TechCorp", "TI"}
    done(api, "POST", "undo", act=edit["act"])
    edit = done(api, "POST", "entities/merge", entities=[known["Annie"]], into=known["Ann"])
    assert edit["entity"]["conversations"] == 2 and "Annie" not in keys(api)
    done(api, "POST", "undo", act=edit["act"])
    edit = done(api, "POST", "entities/delete", entities=[known["Bob"], known["Ann"]])
    assert edit["entity"] is None and not {"Bob", "Ann"} & keys(api).keys()
    done(api, "POST", "undo", act=edit["act"])
    assert keys(api) == known
    first = api.get("/api/entities", params={"sort": "mentions", "limit": 1}).json()
    assert first[0]["mentions"] == max(one["mentions"] for one in api.get("/api/entities").json())


def test_what_cannot_be_changed_is_refused(api, people, store):
    known = keys(api)
    for method, path, body in (
        ("PATCH", f"entities/{known['Ann']}", {"name": "Bob"}),
        ("PATCH", f"entities/{known['Ann']}", {}),
        ("PATCH", "entities/999999", {"name": "Nobody"}),
        ("POST", "entities/merge", {"entities": [known["Ann"]], "into": known["Ann"]}),
        ("POST", "entities/delete", {"entities": []}),
        ("POST", "notes/merge", {"ids": ["note_0000000000000000"], "into": "note_0000000000000000"}),
    ):
        assert 400 <= api.request(method, f"/api/{path}", json=body).status_code < 500, (path, body)
    assert keys(api) == known
    with served(store, read_only=True) as reader:
        assert reader.post("/api/entities/delete", json={"entities": [known["Ann"]]}).status_code == 403
        assert reader.post("/api/backups").status_code == 403


def test_the_command_line_changes_entities_too(api, people, store):
    def ran(*words, code=0):
        found = CliRunner().invoke(app, ["entities", *words, "--store", str(store)])
        assert found.exit_code == code, (found.output, found.exception)
        return found.stdout

    assert "TechCorp" in ran() and "Lisbon" not in ran("tech")
    assert json.loads(ran("rename", "TechCorp", "Tech Inc", "--json"))["entity"]["name"] == "Tech Inc"
    assert "Tech Inc  project" in ran("type", "Tech Inc", "project")
    assert "TI" in ran("alias", "Tech Inc", "TI")
    assert "Ann  person" in ran("merge", "Annie", "Ann")
    assert "Annie" not in {one["name"] for one in json.loads(ran("--json", "--sort", "mentions"))}
    assert ran("delete", "Bob") == "Deleted.\n"
    for _ in range(5):
        assert ran("undo").startswith("Undone: act ")
    ran("undo", code=1)
    assert {"TechCorp", "Ann", "Annie", "Bob"} <= {one["name"] for one in json.loads(ran("list", "--json"))}


def test_notes_are_tagged_and_merged_at_once(api):
    ids = [done(api, "POST", "notes", text=f"Note {n} about {n * 7919}.", tags=["old"])["note"]["id"] for n in range(3)]
    told = done(api, "POST", "notes/retag", ids=ids, add=["new"], remove=["old"])
    assert told["changed"] == 3
    assert [note["tags"] for note in api.get("/api/notes").json()["items"]] == [["new"]] * 3
    done(api, "POST", "undo", act=told["act"])
    told = done(api, "POST", "notes/merge", ids=ids, into=ids[0])
    assert told["changed"] == 2 and [note["id"] for note in api.get("/api/notes").json()["items"]] == ids[:1]
    done(api, "POST", "undo", act=told["act"])
    assert [(note["id"], note["tags"]) for note in api.get("/api/notes").json()["items"]] == [
        (id, ["old"]) for id in ids
    ]


def finished(api):
    deadline = time.monotonic() + 60
    while (work := api.get("/api/backups").json()["work"])["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return work


def test_a_backup_is_made_and_restored_while_the_daemon_serves(api, people, tell, store):
    api.daemon.scribe.resting = nullcontext
    assert api.post("/api/backups").status_code == 202
    made = finished(api)
    assert made["state"] == "done", made
    assert api.get(f"/api/backups/{made['backup']}").content.startswith(b"PK")
    tell("Cleo: I like rye bread.", conversation="later", close=True)
    assert api.post(f"/api/backups/{made['backup']}/restore", json={}).status_code == 422
    assert api.post("/api/backups/none.zip/restore", json={"confirm": True}).status_code == 404
    assert api.post(f"/api/backups/{made['backup']}/restore", json={"confirm": True}).status_code == 202
    work = finished(api)
    assert work["state"] == "done" and work["backup"].startswith("before-restore-"), work
    talks = [row["conversation"] for row in api.get("/api/sessions").json()["items"]]
    assert talks == ["kitchen", "office"]
    tell("Cleo: I like rye bread.", conversation="anew", close=True)
    assert api.delete(f"/api/backups/{made['backup']}").json() == {"removed": True}
    (store / "backups" / "bad.zip").write_bytes(b"PK nothing")
    assert api.post("/api/backups/bad.zip/restore", json={"confirm": True}).status_code == 202
    work = finished(api)
    assert work["state"] == "failed" and "damaged" in work["failure"]
    assert len(api.get("/api/sessions").json()["items"]) == 3
    with Memory.open(store) as memory:
        assert len(memory.sessions()) == 3
