"""Notes, links and forgetting over HTTP."""

from __future__ import annotations

import pytest

from tests.apps.http.conftest import served

pytestmark = pytest.mark.long


@pytest.fixture
def note(api):
    return api.post("/api/notes", json={"text": "Tea is in the cupboard.", "tags": ["tea"]}).json()["note"]


def test_a_note_is_kept_found_changed_and_forgotten(api, note):
    assert api.get("/api/notes", params={"tag": "tea"}).json()["items"][0]["id"] == note["id"]
    assert api.post("/api/notes", json={"text": "Tea is in the cupboard."}).json()["is_new"] is False
    assert len(api.get(f"/api/notes/{note['id']}").json()["repeats"]) == 1
    tagged = api.patch(f"/api/notes/{note['id']}", json={"tags": ["drinks"]}).json()
    assert tagged["note"]["tags"] == ["drinks"]
    revised = api.patch(f"/api/notes/{note['id']}", json={"text": "Tea stands on the shelf."}).json()
    assert revised["note"]["text"] == "Tea stands on the shelf." and revised["note"]["id"] != note["id"]
    gone = api.delete(f"/api/notes/{revised['note']['id']}").json()
    assert api.get(f"/api/notes/{revised['note']['id']}").status_code == 404
    assert api.post("/api/undo", json={"act": gone["act"]}).json()["undone_at"]
    assert api.get(f"/api/notes/{revised['note']['id']}").status_code == 200


def test_links_are_made_listed_walked_and_taken_away(api, tell, note):
    tell("Ann: We drink it at five.", close=True)
    (session,) = api.get("/api/sessions", params={"conversation": "kitchen"}).json()["items"]
    segment = f"seg_{session['conversation']}/{session['session']}_0"
    made = api.post("/api/links", json={"source": note["id"], "kind": "supports", "target": segment, "weight": 0.8})
    assert made.json()["weight"] == 0.8
    assert api.get("/api/links", params={"id": segment}).json()["total"] == 1
    near = api.get("/api/graph/neighborhood", params={"id": [note["id"]], "hops": 1}).json()
    assert [(one["id"], one["kind"]) for one in near] == [(segment, "supports")]
    named = {"source": note["id"], "kind": "supports", "target": segment}
    assert api.delete("/api/links", params=named).json() == {"removed": True}
    assert api.delete("/api/links", params=named).json() == {"removed": False}
    assert [act["kind"] for act in api.get("/api/acts").json()] == ["unlink", "link"]


def test_forgetting_looks_first_hides_and_is_undone(api, tell):
    tell("Ann: The boiler is broken.", "Bob: I will call.")
    assert api.post("/api/forget", json={"speaker": "Ann", "preview": True}).json()["turns"] == 1
    assert api.get("/api/acts").json() == []
    act = api.post("/api/forget", json={"speaker": "Ann"}).json()["act"]
    place = {"conversation": "kitchen", "session": "monday"}
    assert [turn["speaker"] for turn in api.get("/api/session", params=place).json()["turns"]] == ["Bob"]
    api.post("/api/undo", json={"act": act})
    assert len(api.get("/api/session", params=place).json()["turns"]) == 2
    assert api.post("/api/undo", json={"act": act}).status_code == 400


def test_a_purge_wants_a_word_and_is_final(api, tell, store):
    tell("Ann: The codeword is rhubarb.", "Bob: I will call.")
    assert api.post("/api/purge", json={"speaker": "Ann"}).status_code == 422
    assert api.post("/api/purge", json={"confirm": True}).status_code == 400
    assert api.post("/api/purge", json={"speaker": "Ann", "confirm": True}).json()["purged"]
    assert "rhubarb" not in api.get("/api/export").text
    tell("Ann: The codeword is rhubarb.", "Bob: I will call.")
    assert "rhubarb" not in api.get("/api/export").text


def test_feedback_counts_what_was_used(api, note):
    given = {"query": "tea cupboard", "recipe": "vector", "used": [note["id"]]}
    assert api.post("/api/feedback", json=given).json() == {"act": None}  # no link was followed
    assert api.get(f"/api/notes/{note['id']}").json()["note"]["recalls"] >= 1
    assert api.post("/api/feedback", json={**given, "used": ["note_0"]}).status_code == 400


def test_masked_secrets_are_counted_by_rule(api, tell):
    tell("Ann: my key is sk-ant-api03-" + "a1B2" * 20 + "-" + "xY9" * 4 + "AA")
    found = api.get("/api/redactions").json()
    assert found["rules"]
    assert sum(one["found"] for one in found["masked"]) >= 1


def test_a_daemon_that_only_reads_refuses_every_write(store):
    with served(store) as api:
        operations = [
            (method.upper(), path)
            for path, methods in api.get("/api/openapi.json").json()["paths"].items()
            for method in methods
        ]
    bodies = {
        "/api/turns": {"conversation": "c", "turns": [{"speaker": "a", "text": "b"}]},
        "/api/sessions/close": {"conversation": "c", "session": "s"},
        "/api/feedback": {"query": "q", "used": ["note_0"]},
        "/api/decisions/overrule": {"decision": 1, "verdict": "MERGE"},
        "/api/notes": {"text": "x"},
        "/api/notes/{id}": {"tags": []},
        "/api/links": {"source": "a", "kind": "supports", "target": "b"},
        "/api/forget": {"speaker": "a", "preview": True},
        "/api/purge": {"speaker": "a", "confirm": True},
        "/api/undo": {"act": 1},
        "/api/import": {},
        "/api/namespaces": {"name": "x"},
    }
    asked = {"source": "a", "kind": "supports", "target": "b", "name": "x", "confirm": True}
    with served(store, read_only=True) as api:
        assert api.post("/api/recall", json={"query": "x"}).status_code == 200
        assert api.get("/api/notes").status_code == 200
        for method, path in operations:
            if method == "GET" or path in ("/api/recall", "/api/ask", "/api/hook", "/api/jobs/{id}"):
                continue
            body = {"old": "a", "new": "b"} if method == "PATCH" and path == "/api/namespaces" else bodies.get(path)
            sent = {"params": asked} if method == "DELETE" else {"json": body}
            answer = api.request(method, path.replace("{id}", "note_0"), **sent)
            assert answer.status_code == 403, (method, path, answer.text)
