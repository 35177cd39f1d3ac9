"""Questions, claims, entities, the knowledge graph and decisions over HTTP."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.apps.cli.main import app
from engramma.apps.render import as_value
from tests.apps.http.conftest import served
from tests.fakes import HashEmbedder

STRANGE = ("\u202e\u200b", "a" * 900, "‮Ann", "%00", "'; --", '"', "*", "[", "\\", "𒀀", "e\u0301" * 300, "?" * 500)


@pytest.fixture
def people(tell):
    tell(
        "Ann: I work at TechCorp as a nurse. I have a cat called Pixel.",
        "Bob: I live in Lisbon and I like hiking.",
        close=True,
    )
    tell("Ann: I work at TechCorp as a nurse.", "Cleo: I like rye bread.", conversation="office", close=True)


def of(api, path, **params):
    answer = api.get(f"/api/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_question_is_answered_as_the_command_line_prints_it(api, people, store):
    question = {"question": "Where does Ann work?", "conversation": "kitchen"}
    posted = api.post("/api/ask", json=question).json()
    assert posted == of(api, "ask", **question)
    assert posted["question"] == question["question"] and posted["person"] == "Ann"
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        assert posted == as_value(memory.ask(**question))
    assert not posted["abstained"] and "TechCorp" in posted["text"]
    assert [posted["evidence"][0][name] for name in ("conversation", "turn_id", "speaker")] == ["kitchen", "t0", "Ann"]
    unknown = of(api, "ask", question="Which submarine did Bob command?")
    assert unknown["abstained"] and unknown["reason"] and not unknown["text"]


def test_a_first_name_is_enough_where_one_person_has_it_and_several_are_listed(api, tell):
    tell("Siân Slams: I live in Lisbon.", "Dave Bread: I like hiking.", "Dave Ref: I like rye.", close=True)
    assert of(api, "person", name="sian")["name"] == "Siân Slams"
    several = api.get("/api/person", params={"name": "Dave"})
    assert several.status_code == 404 and several.json()["detail"].startswith("Which one: Dave ")
    assert "Dave Bread" in several.text and "Dave Ref" in several.text


def test_claims_and_entities_come_with_sources_within_the_bounds(api, people):
    (home,) = of(api, "claims", person="Bob", relation="lives_in")
    assert (home["value"], home["conversation"], home["turn_ids"]) == ("Lisbon", "kitchen", ["t1"])
    assert home["quote"] in "Bob: I live in Lisbon and I like hiking."
    assert {one["conversation"] for one in of(api, "claims", conversation="office")} == {"office"}
    assert {one["turn_ids"][0] for one in of(api, "claims", turn="t1")} == {"t1"}
    assert len(of(api, "claims", limit=1)) == 1
    people_named = of(api, "entities", type="person")
    assert {"Ann", "Bob", "Cleo"} <= {one["name"] for one in people_named}
    assert of(api, "entities", type="person", offset=1) == people_named[1:]
    assert [one["name"] for one in of(api, "entities", search="pix")] == ["Pixel"]
    assert of(api, "entity", name="Pixel")["named_in"][0]["subject"] == "Ann"


def test_the_graph_is_asked_and_exported_as_the_command_line_does(api, people, store, tmp_path):
    found = of(api, "graph-query", q="Who works at TechCorp?")
    assert found["answers"] == ["Ann"] and found["facts"][0]["claims"][0]["quote"]
    lost = of(api, "graph-query", q="hm")
    assert lost["pattern"] is None and "Ask for example" in lost["understood"]
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.claims.export_graph(tmp_path / "graph.json")
    assert of(api, "graph-export") == json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))
    assert "TechCorp" in {one["name"] for one in of(api, "graph-export")["entities"]}


def test_a_decision_is_read_overruled_and_brought_back(api, people, store):
    assert of(api, "people")[0]["name"] == "Ann" and of(api, "people", limit=1)[0]["conversations"] == 2
    ann = of(api, "person", name="Ann")
    assert [talk["conversation"] for talk in ann["conversations"]] == ["kitchen", "office"]
    decided = of(api, "decisions", person="Ann")[0]
    assert decided in of(api, "decisions") and decided in ann["decisions"]
    other = "SEPARATE" if decided["verdict"] == "MERGE" else "MERGE"
    given = {"decision": decided["id"], "verdict": other, "reason": "It is so."}
    made = api.post("/api/decisions/overrule", json=given).json()
    assert made["decision"]["verdict"] == other and made["decision"]["by"] == "user"
    (old,) = (one for one in of(api, "decisions") if one["id"] == decided["id"])
    assert old["overruled"]
    assert api.post("/api/undo", json={"act": made["act"]}).status_code == 200
    held = [one for one in of(api, "decisions", person="Ann") if not one["overruled"]]
    assert decided["verdict"] in {one["verdict"] for one in held if one["entity"] == decided["entity"]}
    listed = CliRunner().invoke(app, ["people", "--store", str(store), "--json"])
    assert json.loads(listed.stdout) == of(api, "people")


def test_who_is_not_known_is_not_found(api, people):
    for path in ("entity", "person"):
        answer = api.get(f"/api/{path}", params={"name": "Nobody at all"})
        assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"
        assert "/api/" in answer.json()["detail"]
    assert of(api, "decisions", person="Nobody at all") == of(api, "claims", person="Nobody at all") == []
    refused = api.post("/api/decisions/overrule", json={"decision": 10**9, "verdict": "MERGE"})
    assert refused.status_code == 400 and refused.headers["content-type"] == "application/problem+json"


@pytest.mark.long
def test_strange_words_are_answered_or_refused_and_never_fail(api, people):
    asked = [
        ("ask", "question"),
        ("graph-query", "q"),
        ("entity", "name"),
        ("person", "name"),
        ("decisions", "person"),
        *(("claims", name) for name in ("person", "relation", "conversation", "turn")),
        *(("entities", name) for name in ("type", "search")),
    ]
    for path, name in asked:
        for word in (*STRANGE, "subject=", "subject=\u0301 relation=", "Who 𒀀 at ?", "What does 's like?"):
            answer = api.get(f"/api/{path}", params={name: word})
            assert answer.status_code in (200, 400, 404, 422), (path, name, word, answer.text)
        for word in ("", "   ", "a\0b", "x" * 50_000):
            assert api.get(f"/api/{path}", params={name: word}).status_code < 500, (path, name, word[:20])
        assert api.get(f"/api/{path}", params={name: "a\0b"}).status_code == 422
        assert api.get(f"/api/{path}", params={name: "x" * 50_000}).status_code == 422
    for path in ("claims", "entities", "graph-query?q=x&", "people"):
        sign = "" if path.endswith("&") else "?"
        for limit in ("0", "-1", "1001", "9" * 30, "many"):
            assert api.get(f"/api/{path}{sign}limit={limit}").status_code == 422
    for body in (
        b'{"question": "\\ud800"}',
        b'{"question": ""}',
        b'{"question": "x", "conversation": "\\udfff"}',
        b'{"question": "x", "k": 1}',
        b'{"decision": 9223372036854775808, "verdict": "MERGE"}',
        b'{"decision": true, "verdict": "MERGE"}',
        b'{"decision": 1, "verdict": "merge"}',
    ):
        path = "/api/ask" if b"question" in body else "/api/decisions/overrule"
        answer = api.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422 and answer.headers["content-type"] == "application/problem+json", body


def test_a_daemon_that_only_reads_answers_and_decides_nothing(api, people, store):
    decided = of(api, "decisions")
    with served(store, read_only=True) as reading:
        assert reading.post("/api/ask", json={"question": "Where does Ann work?"}).status_code == 200
        assert of(reading, "decisions") == decided
        given = {"decision": decided[0]["id"], "verdict": "SEPARATE"}
        assert reading.post("/api/decisions/overrule", json=given).status_code == 403
        assert of(reading, "decisions") == decided


def test_who_the_user_is_is_said_told_and_undone(api, tell):
    assert of(api, "me") is None
    tell("user: I work at Volvo.", "assistant: Good to know.", conversation="chat", close=True)
    tell("Nora Lindqvist: I moved to Lyon.", conversation="phone", close=True)
    made = api.post("/api/me", json={"name": "Nora Lindqvist"}).json()
    assert made == of(api, "me") and (made["name"], made["said"]) == ("Nora Lindqvist", True)
    assert {one["name"]: one["claims"] for one in of(api, "people")}["Nora Lindqvist"] == 2
    refused = api.post("/api/me", json={"name": "Johan"})
    assert refused.status_code == 400 and "You are Nora Lindqvist here" in refused.json()["detail"]
    assert api.post("/api/undo", json={"act": made["act"]}).status_code == 200
    assert of(api, "me") is None and "user" in {one["name"] for one in of(api, "people")}
