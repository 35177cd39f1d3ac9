"""The reference MCP server's memory file: every observation and relation is a turn, whatever stands beside them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.transfer.imports import Reading, import_file

from ..fakes import HashEmbedder
from .samples import json_lines, read_all, turns_of

START = datetime(2026, 2, 10, tzinfo=UTC)


def entity(name: str, *observations: object, kind: object = "person", **more: object) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations), **more}


def relation(one: str, kind: str, other: str) -> dict[str, Any]:
    return {"type": "relation", "from": one, "to": other, "relationType": kind}


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text(json_lines(list(records)))
    return path


def test_an_entity_is_a_conversation_and_an_observation_a_turn(tmp_path: Path) -> None:
    path = written(
        tmp_path / "memory.json",
        entity("Ann", "keeps bees", "lives in Lyon"),
        entity("Acme", kind="company"),
        relation("Ann", "works_at", "Acme"),
        relation("Ben", "knows", "Ann"),
    )
    assert sources.sniff(path) == "mcp-memory"
    found, problems = read_all(path, fallback_time=START)
    assert [(talk.title, [turn.text for turn in turns_of(talk)]) for talk in found] == [
        ("Ann", ["Ann (person): keeps bees", "Ann (person): lives in Lyon", "Ann works_at Acme"]),
        ("Acme", ["Acme (company)"]),
        ("Ben", ["Ben knows Ann"]),
    ]
    ann = found[0]
    assert [session.id.removeprefix(ann.id) for session in ann.sessions] == ["-facts", "-relations"]
    assert [turn.said_at for turn in ann.sessions[0].turns] == [START, START.replace(second=1)]
    assert {turn.role for talk in found for turn in turns_of(talk)} == {None}
    assert "conversations without a time: 3" in problems[-1].reason


def test_the_whole_graph_as_one_object_gives_the_same_turns(tmp_path: Path) -> None:
    lines = [entity("Ann", "keeps bees"), relation("Ann", "knows", "Ben")]
    listed = written(tmp_path / "a.json", *lines)
    graph = tmp_path / "b.json"
    untyped = [{key: value for key, value in line.items() if key != "type"} for line in lines]
    graph.write_text(json.dumps({"entities": untyped[:1], "relations": untyped[1:]}, indent=2))
    assert sources.sniff(graph) == "mcp-memory"
    assert read_all(listed, fallback_time=START)[0] == read_all(graph, fallback_time=START)[0]


def test_old_and_damaged_lines_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    lines = [
        json.dumps(entity("Ann", "keeps bees", None, "", {"content": "sings"}, 7)),
        json.dumps({"type": "entity", "name": "Project X", "observations": ["due in May"]}),
        json.dumps({"type": "entity", "name": "", "entityType": "person", "observations": ["nameless"]}),
        json.dumps({"type": "entity", "name": "Odd", "entityType": "thing", "observations": "a string"}),
        json.dumps({"type": "relation", "from": "Ann", "to": None, "relationType": "knows"}),
        json.dumps({"type": "codegraph", "name": "Widget"}),
        '{"type":"entity","name":"Cut","entityType":"per',
        json.dumps(relation("Ann", "likes", "tea")),
    ]
    path.write_text("\n".join(lines))
    found, problems = read_all(path)
    assert [[turn.text for turn in turns_of(talk)] for talk in found] == [
        ["Ann (person): keeps bees", "Ann (person): sings", "Ann likes tea"],
        ["Project X: due in May"],
        ["Odd (thing)"],
    ]
    assert [problem.where for problem in problems if problem.where != "times"] == [
        "line 1, observation 2",
        "line 1, observation 3",
        "line 1, observation 5",
        "line 3",
        "line 4",
        "line 5",
        "line 6",
        "line 7",
    ]


def test_times_of_a_fork_are_used(tmp_path: Path) -> None:
    records = [entity("Ann", "sings", createdAt="2025-01-02T03:04:05Z"), entity("Ben", "hums", createdAt="soon")]
    found, problems = read_all(written(tmp_path / "m.jsonl", *records), fallback_time=START)
    assert [turns_of(talk)[0].said_at for talk in found] == [datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC), START]
    assert "kept without createdAt" in problems[0].reason


def test_a_file_that_was_edited_adds_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:

        def take(*records: dict[str, Any]) -> tuple[int, int, int]:
            report = import_file(memory._core, written(path, *records), Reading(fallback_time=START))
            return report.conversations, report.turns, report.known_turns

        knows = relation("Ann", "knows", "Ben")
        assert take(entity("Ann", "keeps bees"), knows) == (1, 2, 0)
        assert take(entity("Ann", "keeps bees"), knows) == (0, 0, 2)
        assert take(entity("Zoe", "sails"), entity("Ann", "is 40", "keeps bees", "sings"), knows) == (1, 3, 2)
        assert take(entity("Ann", "sings"), entity("Zoe", "sails")) == (0, 0, 2)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"type":"entity"}', '{"entities": 3}', "not json", "[1, null]"])
def test_what_holds_no_entity_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "memory.json"
    path.write_text(text)
    with pytest.raises(UnreadableSource):
        read_all(path, format="mcp-memory")


def test_other_json_is_not_taken_for_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    for text in ('{"type":"entity","id":3}\n', '{"name":"x","observations":["y"]}\n', '{"entities":[{"id":1}]}'):
        path.write_text(text)
        with pytest.raises(UnreadableSource):
            sources.sniff(path)
