"""Users of one store: what each token may see and do, at every face, and that nothing else is told."""

from __future__ import annotations

import json
import logging
import threading
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from engramma import BadInput, Memory
from engramma.apps.cli.main import app as cli
from engramma.apps.daemon.app import build_app
from engramma.apps.daemon.folder import place_in
from engramma.apps.daemon.limits import Limits
from engramma.apps.daemon.memories import Memories
from engramma.apps.daemon.settings import DaemonSettings
from engramma.apps.daemon.spool import Spool
from engramma.apps.daemon.state import Daemon
from engramma.apps.proxy.exchange import Exchange
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

OWNER = "the-owner's-token"
MARKS = {"default": "walnut", "team": "kerosene", "ana": "marmalade", "bob": "zephyrine"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A daemon over four namespaces, as a client sees it, with the tokens of ana and bob."""
    path = tmp_path_factory.mktemp("team") / "store"
    for name, mark in MARKS.items():
        with Memory.open(path, name, embedder=HashEmbedder()) as memory:
            memory.remember_session(f"{mark} talks", "monday", talk(f"Zoe: we stored the {mark} in the cellar"))
    memories = Memories(path)
    memories._embedder = HashEmbedder()
    place, frames = place_in(path), []
    scribe = SimpleNamespace(offer=lambda frame: frames.append(frame) or True, counts=dict)
    settings = DaemonSettings(user_rate=0, upstreams={"anthropic": "http://127.0.0.1:9"})
    daemon = Daemon(path, place, memories, Spool(place.spool), scribe, OWNER, settings)
    team = daemon.memory.team
    ana = team.add("ana", {"team": "read", "ana": "admin"})
    bob = team.add("bob", {"bob": "write", "team": "write"})
    with TestClient(build_app(daemon), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield SimpleNamespace(client=client, daemon=daemon, ana=ana, bob=bob, path=path, frames=frames)
    memories.close()


def asked(served, token, method, path, **more):
    headers = {"Authorization": f"Bearer {getattr(token, 'token', token)}", **more.pop("headers", {})}
    return served.client.request(method, path, headers=headers, **more)


def tool(served, token, name, namespace=None, **arguments):
    """What an MCP tool answers: (is it an error, its text)."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    query = f"?namespace={namespace}" if namespace else ""
    answer = asked(served, token, "POST", f"/mcp{query}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    return bool(result.get("isError")), json.dumps(result)


def test_a_token_opens_what_its_user_may_read_and_nothing_else_is_told(served):
    where = {"ana": served.ana, "bob": served.bob}
    for name, token in where.items():
        other = "bob" if name == "ana" else "ana"
        own = asked(served, token, "GET", "/api/recall", params={"q": "cellar", "recipe": "bm25"})
        assert own.status_code == 200 and MARKS[name] in own.text  # its home
        seen = asked(served, token, "GET", "/api/namespaces").json()
        assert {one["name"] for one in seen} == {name, "team"}
        stats = asked(served, token, "GET", "/api/stats")
        status = asked(served, token, "GET", "/api/status")
        for answer in (stats, status):
            assert answer.status_code == 200 and str(served.path) not in answer.text
            assert other not in answer.text and "/p/" not in answer.text
        # Whether a namespace is there or not, the answer is the same, at every path that takes one.
        for path in ("stats", "recall?q=cellar", "export", "conversations", "users", "audit", "dashboard/overview"):
            join = "&" if "?" in path else "?"
            there = asked(served, token, "GET", f"/api/{path}{join}namespace={other}")
            nowhere = asked(served, token, "GET", f"/api/{path}{join}namespace=nosuch")
            assert there.status_code == nowhere.status_code == 404, path
            assert there.text.replace(other, "X") == nowhere.text.replace("nosuch", "X")
            assert MARKS[other] not in there.text


def test_reading_writing_and_administering_are_three_rights(served):
    note = {"text": "the boiler needs a new valve, says everybody in the house"}
    assert asked(served, served.ana, "POST", "/api/notes?namespace=team", json=note).status_code == 403
    assert asked(served, served.bob, "POST", "/api/notes?namespace=team", json=note).status_code == 200
    bounds = {"query": "boiler"}
    assert asked(served, served.bob, "POST", "/api/forget?namespace=team", json=bounds).status_code == 403
    purge = {"query": "boiler", "confirm": True}
    assert asked(served, served.bob, "POST", "/api/purge?namespace=team", json=purge).status_code == 403
    assert asked(served, served.ana, "POST", "/api/notes", json=note).status_code == 200  # at home
    assert asked(served, served.ana, "POST", "/api/forget", json=bounds).json()["turns"] == 1
    for method, path, body in (
        ("POST", "/api/namespaces", {"name": "mine"}),
        ("PATCH", "/api/namespaces", {"old": "ana", "new": "default"}),  # would tell which names are taken
        ("POST", "/api/users", {"name": "eve", "grants": {"ana": "read"}}),
        ("POST", "/api/capture/pause", {}),
        ("DELETE", "/api/dashboard/visitors", None),
    ):
        assert asked(served, served.ana, method, path, json=body).status_code == 403, path
    gone = asked(served, served.bob, "DELETE", "/api/namespaces", params={"name": "ana", "confirm": True})
    assert gone.status_code == 404


def test_an_admin_gives_rights_in_their_namespace_and_hears_of_no_other(served):
    given = asked(served, served.ana, "PUT", "/api/grants", json={"name": "bob", "right": "read"})
    assert given.status_code == 200
    listed = asked(served, served.ana, "GET", "/api/users").json()
    assert {one["name"]: one["grants"] for one in listed} == {"ana": {"ana": "admin"}, "bob": {"ana": "read"}}
    assert "token" not in json.dumps([one["tokens"] for one in listed if one["tokens"]])
    assert asked(served, served.bob, "GET", "/api/stats?namespace=ana").status_code == 200
    assert asked(served, served.ana, "PUT", "/api/grants", json={"name": "bob", "right": None}).status_code == 200
    assert asked(served, served.bob, "GET", "/api/stats?namespace=ana").status_code == 404
    assert asked(served, served.bob, "PUT", "/api/grants", json={"name": "ana", "right": None}).status_code == 403


def test_shared_and_private_namespaces_answer_as_one(served):
    question = {"query": "what is in the cellar", "recipe": "vector", "namespaces": ["*"]}
    found = asked(served, served.ana, "POST", "/api/recall", json=question).json()
    assert sorted(found["namespaces"]) == ["ana", "team"]
    assert {one["namespace"] for one in found["candidates"]} == {"ana", "team"}
    told = {one["namespace"]: one["text"] for one in found["candidates"] if one["session_id"] == "monday"}
    assert MARKS["ana"] in told["ana"] and MARKS["team"] in told["team"]
    assert "[namespace team]" in found["context"]
    named = {**question, "namespaces": ["bob", "default", "team"]}
    found = asked(served, served.ana, "POST", "/api/recall", json=named)
    assert found.json()["namespaces"] == ["team"]
    assert MARKS["bob"] not in found.text and MARKS["default"] not in found.text
    assert asked(served, served.ana, "GET", "/api/recall?q=cellar&namespaces=bob").status_code == 404
    everything = asked(served, OWNER, "GET", "/api/recall?q=cellar&recipe=vector&namespaces=*").json()
    assert sorted(everything["namespaces"]) == sorted(MARKS)


def test_mcp_keeps_to_the_rights_of_the_token(served):
    failed, text = tool(served, served.ana, "memory_search", query="cellar")
    assert not failed and MARKS["ana"] in text
    for other in ("bob", "nosuch"):
        failed, text = tool(served, served.ana, "memory_search", other, query="cellar")
        assert failed and MARKS["bob"] not in text and other not in text
    failed, text = tool(served, served.ana, "memory_search", query="cellar", namespaces=["*"])
    assert not failed and MARKS["team"] in text and MARKS["bob"] not in text and MARKS["default"] not in text
    failed, text = tool(served, served.ana, "memory_add", "team", text="lamps need bulbs")
    assert failed and "Ask its admin" in text
    assert tool(served, served.bob, "memory_forget", query="cellar", confirm=True)[0]
    resource = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "memory://recent"}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    answer = asked(served, served.ana, "POST", "/mcp?namespace=bob", json=resource, headers=headers)
    assert "error" in answer.json() and MARKS["bob"] not in answer.text


def test_the_proxy_captures_for_those_who_may_write(served):
    def sent(key, provider="anthropic", **headers):
        return served.client.post(f"/p/{key}/{provider}/v1/messages", json={}, headers=headers)

    # 502: let through, and the provider cannot be reached; 404: one answer for all that may not pass.
    assert sent(served.bob.proxy_key).status_code == 502
    assert sent(served.bob.proxy_key, "anthropic@team").status_code == 502
    refused = [
        sent(served.bob.proxy_key, "anthropic@ana"),
        sent(served.bob.proxy_key, "anthropic@nosuch"),
        sent(served.bob.proxy_key, **{"X-Engramma-Namespace": "default"}),
        sent(served.ana.proxy_key, "anthropic@team"),
        sent(served.bob.proxy_key[:-1] + "0" if served.bob.proxy_key[-1] != "0" else served.bob.proxy_key[:-1] + "1"),
        sent(served.bob.token),
    ]
    assert {one.status_code for one in refused} == {404} and len({one.text for one in refused}) == 1
    exchange = Exchange("messages", "anthropic", "bob", 200, 1.0, 2.0, True, who="bob")
    assert Exchange.from_bytes(exchange.to_bytes()).who == "bob"


def test_a_browser_comes_in_as_its_user_and_leaves_with_its_token(served):
    team = served.daemon.memory.team
    extra = team.token("ana")
    url = asked(served, extra, "POST", "/api/dashboard/invite").json()["url"]
    browser = TestClient(served.client.app, base_url="http://127.0.0.1")  # no second start of the daemon
    assert browser.post("/login", json={"code": url.partition("#")[2]}).status_code == 200
    session = browser.get("/api/dashboard/session").json()
    assert (session["user"], session["namespace"], session["store"]) == ("ana", "ana", "")
    assert browser.get("/api/dashboard/overview").status_code == 200
    assert browser.get("/api/dashboard/overview?namespace=bob").status_code == 404
    csrf = {"X-Engramma-CSRF": session["csrf"]}
    assert browser.post("/api/notes?namespace=team", json={"text": "x y z"}, headers=csrf).status_code == 403
    team.revoke("ana", extra.id)
    assert browser.get("/api/dashboard/session").status_code == 401
    assert asked(served, extra, "GET", "/api/stats").status_code == 401
    assert asked(served, served.ana, "GET", "/api/stats").status_code == 200


def test_the_audit_says_who_did_how_much_and_nothing_of_it(served):
    secret_words = "the treasure lies under the third step of the stairs"
    made = asked(served, served.ana, "POST", "/api/notes", json={"text": secret_words}).json()
    asked(served, served.ana, "DELETE", f"/api/notes/{made['note']['id']}")
    tool(served, served.ana, "memory_add", text="the ladder is behind the door of the garage")
    found = asked(served, served.ana, "GET", "/api/audit")
    assert found.status_code == 200 and "treasure" not in found.text and "note_" not in found.text
    entries = [(one["who"], one["what"], one["counts"]) for one in found.json()[:3]]
    assert entries == [
        ("ana", "memory_add", {"notes": 1, "segments": 1, "turns": 1}),
        ("ana", "forget_note", {"acts": 1, "turns_hidden_or_shown": 1}),
        ("ana", "add_note", {"notes": 1, "segments": 1, "turns": 1}),
    ]
    older = asked(served, served.ana, "GET", f"/api/audit?before={found.json()[0]['id']}&limit=1").json()
    assert older == found.json()[1:2]
    assert asked(served, served.bob, "GET", "/api/audit?namespace=team").status_code == 403
    assert asked(served, served.ana, "GET", "/api/audit?whole=true").status_code == 403
    whole = asked(served, OWNER, "GET", "/api/audit?whole=true").json()
    assert ("owner", "users add") in {(one["who"], one["what"]) for one in whole}


def test_a_write_that_is_rolled_back_leaves_no_trace_in_the_audit(served, monkeypatch):
    memory = served.daemon.memories.get("ana")
    before = served.daemon.memory.team.audit("ana")
    monkeypatch.setattr(type(memory._core.store), "add_words", lambda *_: (_ for _ in ()).throw(BadInput("no")))
    assert asked(served, served.ana, "POST", "/api/notes", json={"text": "never to be"}).status_code == 400
    assert served.daemon.memory.team.audit("ana") == before


def test_whoever_asks_too_much_waits(served):
    clock = SimpleNamespace(now=0.0)
    limits = Limits(2.0, 3, lambda: clock.now)
    assert [limits.wait("ana") for _ in range(4)] == [0, 0, 0, 0.5]
    assert limits.wait("bob") == 0
    clock.now = 0.5
    assert limits.wait("ana") == 0 and limits.wait("ana") > 0
    guard = served.client.app
    kept, guard._limits = guard._limits, Limits(0.001, 2)
    try:
        answers = [asked(served, served.ana, "GET", "/api/recipes") for _ in range(3)]
        assert [one.status_code for one in answers] == [200, 200, 429]
        assert int(answers[2].headers["retry-after"]) > 100
        assert asked(served, OWNER, "GET", "/api/recipes").status_code == 200
    finally:
        guard._limits = kept


def test_tokens_are_stored_as_hashes_expire_and_stand_in_no_log(served, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    assert asked(served, served.ana.token[:-1], "GET", "/api/stats").status_code == 401
    assert asked(served, served.ana, "GET", "/api/stats").status_code == 200
    secrets = [served.ana.token, served.ana.token[21:], served.ana.proxy_key, served.bob.token[21:]]
    for file in [one for one in served.path.rglob("*") if one.is_file()]:
        data = file.read_bytes()
        assert not any(secret.encode() in data for secret in secrets), file
    ours = [one.getMessage() for one in caplog.records if one.name.startswith("engramma")]
    assert not any(secret in line for secret in secrets for line in ours)
    assert not any(secret in repr(served.ana) for secret in secrets)
    runner = CliRunner()
    with Memory.open(tmp_path / "m", "team", embedder=HashEmbedder()):
        pass

    def run(*words):
        done = runner.invoke(cli, [*words, "--store", str(tmp_path / "m"), "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    eve = run("users", "add", "eve", "--grant", "team=read", "--grant", "default=admin", "--days", "0.01")
    again = run("users", "token", "eve")
    (listed,) = run("users", "list")
    assert listed["grants"] == {"default": "admin", "team": "read"} and listed["home"] == "default"
    assert [one["valid"] for one in listed["tokens"]] == [True, True] and eve["token"] not in json.dumps(listed)
    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory:
        with memory._core.store.database.transaction():
            memory._core.store.database.run("team_token_revoke", {"name": "eve", "id": eve["id"], "at": 1})
        assert memory.team.who_has(eve["token"]) is None
        assert memory.team.who_has(again["token"]).home == "default"
    assert run("users", "grant", "eve", "team=write", "--home", "team")["home"] == "team"
    assert run("users", "revoke", "eve", "--grant", "default")["grants"] == {"team": "write"}
    assert run("users", "revoke", "eve") == {"user": "eve", "revoked": 1}
    assert run("users", "remove", "eve") == {"removed": "eve"}
    run("namespace", "create", "attic")
    noted = [(one["who"], one["what"]) for one in run("audit", "--store-wide")]
    assert noted[0] == ("owner", "namespace") and noted[-2:] == [
        ("owner", "users token"),
        ("owner", "users add"),
    ]


def test_rights_go_with_their_namespace_and_names_are_checked(tmp_path):
    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory:
        memory.namespaces.create("attic")
        issued = memory.team.add("eve", {"attic": "admin"})
        memory.namespaces.delete("attic")
        memory.namespaces.create("attic")
        assert memory.team.who_has(issued.token).rights == {}
        for bad in ("", "owner", "a\nb", "x" * 101):
            with pytest.raises(BadInput, match="A user needs a name"):
                memory.team.add(bad, {})
        with pytest.raises(BadInput, match="There is already a user 'eve'"):
            memory.team.add("eve", {})


def test_a_stream_of_events_ends_when_its_token_is_revoked(served, monkeypatch):
    monkeypatch.setattr("engramma.apps.http.events.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("engramma.apps.http.events.CLOSING_SECONDS", 0.01)
    team = served.daemon.memory.team
    eve = team.add("eve", {"team": "read"})
    threading.Timer(0.5, team.revoke, ["eve"]).start()
    answer = asked(served, eve, "GET", "/api/events?namespace=team")  # returns when the stream has ended
    assert answer.status_code == 200 and ": listening" in answer.text
    assert asked(served, eve, "GET", "/api/events?namespace=team").status_code == 401
