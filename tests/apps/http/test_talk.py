"""Talk over HTTP: what is written can be read, once, under any name, and only where it belongs."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from engramma import Memory
from tests.apps.http.conftest import served
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

ODD = ["a/b//c", "..", "ü ß 漢字 🚲", "a?b#c%2F", "x" * 1000, " spaced ", "a\\b", "'\"<>&", "line\nbreak"]


def test_turns_come_back_verbatim_and_only_once(api, tell):
    made = tell("Ann: The boiler is broken.", "Bob: I will call Mister Smith.")
    assert made["turns"] == ["t0", "t1"] and made["added"]["turns"] == 2
    again = tell("Ann: The boiler is broken.", "Bob: I will call Mister Smith.")
    assert again["added"]["turns"] == 0 and again["added"]["known_turns"] == 2
    read = api.get("/api/session", params={"conversation": "kitchen", "session": "monday"}).json()
    assert [turn["text"] for turn in read["turns"]] == ["The boiler is broken.", "I will call Mister Smith."]
    assert read["turns"][0]["said_at"] == "2026-01-05T09:00:00Z" and not read["closed"]


@pytest.mark.parametrize("name", ODD)
def test_any_name_survives_the_way_there_and_back(api, tell, name):
    tell("Ann: Hello there.", conversation=name, session=name, close=True)
    asked = {"conversation": name, "session": name}
    assert api.get("/api/session", params=asked).json()["turns"][0]["text"] == "Hello there."
    assert api.get("/api/sessions", params={"conversation": name}).json()["items"][0]["session"] == name
    id = api.get("/api/recall", params={"q": "hello there", "recipe": "bm25"}).json()["candidates"][0]["segment_id"]
    assert api.get("/api/segment", params={"id": id}).json()["segment"]["conversation_id"] == name
    assert api.get("/api/graph/neighborhood", params={"id": id}).status_code == 200


def test_a_turn_without_a_session_goes_on_until_silence(api):
    def say(text, at):
        turn = {"speaker": "Ann", "text": text, "said_at": at}
        return api.post("/api/turns", json={"conversation": "live", "turns": [turn]}).json()["session"]

    first, second = say("one", "2026-01-05T09:00:00Z"), say("two", "2026-01-05T09:10:00Z")
    later = say("three", "2026-01-05T12:00:00Z")
    assert first == second != later
    assert api.get("/api/sessions").json()["items"][0]["closed"]  # silence ended it
    assert api.post("/api/sessions/close", json={"conversation": "live", "session": later}).status_code == 200
    assert all(one["closed"] for one in api.get("/api/sessions").json()["items"])


def test_lists_come_in_parts(api, tell):
    for number in range(5):
        tell("Ann: Hello.", session=f"s{number}")
    first = api.get("/api/sessions", params={"limit": 2}).json()
    last = api.get("/api/sessions", params={"limit": 2, "offset": 4}).json()
    assert (len(first["items"]), first["total"], first["next"]) == (2, 5, 2)
    assert (len(last["items"]), last["next"]) == (1, None)
    assert api.get("/api/conversations").json()["items"][0]["sessions"] == 5


def test_recall_answers_what_the_command_line_prints(real_store):
    store = real_store
    command = "from engramma.apps.cli.main import run; run()"
    arguments = ["--store", str(store), "recall", "boiler", "-k", "3", "--json"]
    printed = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, check=True).stdout
    with served(store) as api:
        api.daemon.memories._embedder = None  # the store's own
        told = api.post("/api/recall", json={"query": "boiler", "k": 3}).json()
        by_url = api.get("/api/recall", params={"q": "boiler", "k": 3}).json()
    expected = json.loads(printed)
    for one in (expected, told, by_url):
        one["trace"].pop("timings_ms")
    assert told == by_url == expected and expected["candidates"]


@pytest.fixture
def real_store(tmp_path):
    from tests.conftest import talk

    with Memory.open(tmp_path / "real") as memory:
        memory.remember_session("home", "monday", talk("Ann: The boiler is broken.", "Bob: I call Mister Smith."))
    return tmp_path / "real"


def test_a_namespace_is_a_wall_and_has_to_be_made(api, tell):
    tell("Ann: The boiler is broken.")
    missing = api.get("/api/recall", params={"q": "boiler", "namespace": "work"})
    assert missing.status_code == 404 and "work" in missing.json()["detail"]
    assert api.post("/api/namespaces", json={"name": "work"}).status_code == 201
    assert api.post("/api/namespaces", json={"name": "work"}).status_code == 409
    assert api.get("/api/recall", params={"q": "boiler", "namespace": "work"}).json()["candidates"] == []
    assert api.patch("/api/namespaces", json={"old": "work", "new": "job/2"}).json()["name"] == "job/2"
    assert api.delete("/api/namespaces", params={"name": "job/2", "confirm": False}).status_code == 400
    assert api.delete("/api/namespaces", params={"name": "job/2", "confirm": True}).json() == {"removed": True}
    assert api.delete("/api/namespaces", params={"name": "default", "confirm": True}).status_code == 409
    assert [one["name"] for one in api.get("/api/namespaces").json()] == ["default"]


def test_writers_at_once_lose_nothing(api, store):
    """Some in one session, some in sessions of their own, some where silence decides."""

    def write(number):
        body = {
            "conversation": f"c{number % 3}",
            "turns": [{"speaker": "Ann", "text": f"n {number}", "id": f"{number}"}],
        }
        if number % 4:
            body["session"] = f"s{number % 2}"
        return api.post("/api/turns", json=body).status_code

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(write, range(96))) == {200}
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        told = [turn.id for talk in memory.conversations() for session in talk.sessions for turn in session.turns]
    assert sorted(told, key=int) == [str(number) for number in range(96)]


def test_an_export_is_the_whole_memory(api, tell, tmp_path):
    tell("Ann: The boiler is broken.", close=True)
    api.post("/api/notes", json={"text": "Tea is in the cupboard."})
    lines = api.get("/api/export")
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    other = tmp_path / "other"
    Memory.open(other, embedder=HashEmbedder()).close()
    with served(other) as copy:
        done = copy.post("/api/import", content=lines.content).json()
        assert done["state"] == "done" and done["report"]["problems"] == []
        assert copy.get("/api/export").text == lines.text


def test_recall_keeps_to_its_filters_and_notes_to_their_metadata(api, tell):
    tell("Ana: the boat is red", "Ben: the boat is blue")
    note = {"text": "the boat is insured", "tags": ["papers"], "source": "letter", "meta": {"ticket": "42"}}
    made = api.post("/api/notes", json={**note, "said_at": "2026-03-01T10:00:00Z"}).json()["note"]
    assert api.get(f"/api/notes/{made['id']}").json()["note"]["meta"] == {"ticket": "42"}
    for bounds, text in (
        ({"speaker": "ana"}, "the boat is red"),
        ({"tag": "papers"}, "the boat is insured"),
        ({"source": "letter"}, "the boat is insured"),
        ({"since": "2026-03-01", "until": "2026-03-01"}, "the boat is insured"),
    ):
        posted = api.post("/api/recall", json={"query": "the boat", **bounds}).json()
        got = api.get("/api/recall", params={"q": "the boat", **bounds}).json()
        assert [one["text"] for one in posted["candidates"]] == [one["text"] for one in got["candidates"]] == [text]
    for wrong in ({"since": "soon"}, {"speaker": ""}, {"tag": "a,b"}, {"since": "2026-03-02", "until": "2026-03-01"}):
        assert api.post("/api/recall", json={"query": "the boat", **wrong}).status_code in (400, 422), wrong
    assert api.post("/api/notes", json={"text": "x", "meta": {"n": 7}}).status_code == 422


def test_a_hook_is_told_nothing_where_a_prompt_only_urges(api, tell):
    tell("user: continue with the boiler tests again", "assistant: The boiler tests run again.")
    for prompt, is_asked in (("continue", False), ("run the tests again", False), ("boiler tests", True)):
        answer = api.post("/api/hook", json={"event": "prompt", "query": prompt, "conversation": "another"}).json()
        assert bool(answer["context"]) is is_asked, prompt
