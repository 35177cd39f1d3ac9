"""What is wrong is said as problem+json, with what to do next, and never as a failure of the server."""

from __future__ import annotations

import logging

import pytest

from engramma import Memory
from engramma.errors import EmbedderMismatch, RemoteFailed, StoreBusy, StoreCorrupt, StoreFull, StoreNotWritable
from tests.apps.http.conftest import served
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def one_api(tmp_path_factory):
    """One for all: nothing of what is refused may change it."""
    store = tmp_path_factory.mktemp("refusing") / "store"
    Memory.open(store, embedder=HashEmbedder()).close()
    with served(store) as client:
        yield client
        assert client.get("/api/sessions").json()["total"] == client.get("/api/notes").json()["total"] == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/recall", b'{"query": "\\ud800"}'),
        ("/api/recall", b'{"query": "a\\u0000b"}'),
        ("/api/recall", b'{"query": "x", "k": NaN}'),
        ("/api/recall", b'{"query": "x", "k": 1e400}'),
        ("/api/recall", b'{"query": "x", "k": ' + b"9" * 10_000 + b"}"),
        ("/api/recall", b'{"query": "x", "k": true}'),
        ("/api/recall", b'{"query": "x", "topic": 9223372036854775808}'),
        ("/api/recall", b'{"query": "x", "asked_at": "0001-01-01T00:00:00+14:00"}'),
        ("/api/recall", b'{"query": "x", "asked_at": 12}'),
        ("/api/recall", b'{"query": "x", "recipe": "stew"}'),
        ("/api/recall", b'{"query": "x", "kk": 1}'),
        ("/api/recall", b"[" * 100_000),
        ("/api/recall", b'{"a":' * 50_000),
        ("/api/recall", b"\xff\xfe"),
        ("/api/recall", b"null"),
        ("/api/recall", b""),
        (
            "/api/turns",
            b'{"conversation": "c", "turns": [{"speaker": "a", "text": "x", "said_at": "2026-01-01T00:00:00"}]}',
        ),
        ("/api/turns", b'{"conversation": "c", "turns": [{"speaker": "\\udfff", "text": "x"}]}'),
        ("/api/turns", b'{"conversation": "c", "turns": []}'),
        ("/api/turns", b'{"conversation": "notes", "turns": [{"speaker": "a", "text": " "}]}'),
        ("/api/notes", b'{"text": "x", "strength": Infinity}'),
        ("/api/notes", b'{"text": "x", "tags": ["a,b"]}'),
        ("/api/forget", b"{}"),
    ],
    ids=lambda value: value[:60] if isinstance(value, bytes) else value[5:],
)
def test_values_that_cannot_be_meant_are_refused(one_api, path, body):
    answer = one_api.post(path, content=body, headers=JSON)
    assert answer.status_code in (400, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == answer.status_code and told["title"] and told["detail"]


@pytest.mark.parametrize("depth", [201, 900, 5_000, 100_000])
def test_json_that_nests_too_deeply_is_refused_alike_on_every_python(one_api, depth):
    deep = b'{"query": "x", "more": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
    answer = one_api.post("/api/recall", content=deep, headers=JSON)
    assert answer.status_code == 400 and "200 levels" in answer.json()["detail"]
    flatter = deep.replace(b"[" * (depth - 1), b"[" * 199).replace(b"]" * (depth - 1), b"]" * 199)
    assert "body.more" in one_api.post("/api/recall", content=flatter, headers=JSON).json()["detail"]


def test_an_upload_that_calls_itself_json_streams_in_as_any_other(api):
    deep = b"[" * 300 + b"]" * 300
    answer = api.post("/api/import?name=deep.json", content=deep, headers=JSON)
    assert "200 levels" not in answer.text and answer.status_code < 500


def test_times_at_the_ends_of_the_calendar_are_answered(api, tell):
    tell("Ann: The boiler is broken.")
    for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        for query in ("last century", "the day before yesterday", "next year"):
            asked = {"query": query, "asked_at": at, "as_of": at}
            assert api.post("/api/recall", json=asked).status_code == 200
        note = {"text": f"A note of {at}", "said_at": at, "ttl_days": 36_600}
        assert api.post("/api/notes", json=note).status_code == 200


def test_each_wrong_value_is_named(api):
    told = api.post("/api/recall", json={"query": "", "k": 0, "colour": "red"}).json()
    assert {one["where"] for one in told["errors"]} == {"body.query", "body.k", "body.colour"}
    assert "openapi.json" in told["detail"]


def test_what_is_not_there_says_where_to_look(api):
    for path in ("/api/notes/note_0", "/api/segment?id=seg_a/b_0", "/api/topics/9", "/api/jobs/none", "/api/nowhere"):
        answer = api.get(path)
        assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"]
    assert api.get("/api/session", params={"conversation": "a", "session": "b"}).status_code == 404
    assert api.put("/api/notes", json={}).status_code == 405
    assert api.post("/api/recall", content=b'{"query": "x"}', headers={"content-type": "text/plain"}).status_code == 422


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreBusy("busy"), 503),
        (StoreFull("full"), 507),
        (StoreNotWritable("no"), 507),
        (StoreCorrupt("damaged"), 503),
        (EmbedderMismatch("other"), 409),
        (RemoteFailed("away"), 503),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_what_fails_below_has_a_status_of_its_own(api, monkeypatch, error, status):
    def fail(*_):
        raise error

    monkeypatch.setattr(api.daemon.memories, "get", fail)
    answer = api.get("/api/stats")
    assert answer.status_code == status and answer.json()["detail"] == str(error)
    assert ("retry-after" in answer.headers) == (status == 503)


def test_what_nobody_foresaw_is_logged_without_what_was_said(store, monkeypatch, caplog):
    with served(store) as api:

        def fail(*_):
            raise RuntimeError("Ann said rhubarb")

        monkeypatch.setattr(api.daemon.memories, "get", fail)
        with caplog.at_level(logging.DEBUG):
            answer = api.get("/api/recall", params={"q": "rhubarb"})
    assert answer.status_code == 500 and answer.headers["content-type"] == "application/problem+json"
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("engramma")]
    assert len(ours) == 1 and "RuntimeError" in ours[0] and "/recall" in ours[0]
    assert "rhubarb" not in answer.text + "".join(ours)


def test_the_openapi_is_readable(api):
    document = api.get("/api/openapi.json").json()
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names) and all(name.isidentifier() and "api" not in name for name in names)
    assert all(one["tags"] and one["summary"] and one["description"] for one in operations)
    assert all("application/problem+json" in one["responses"]["default"]["content"] for one in operations)
    assert all("422" not in one["responses"] for one in operations)
