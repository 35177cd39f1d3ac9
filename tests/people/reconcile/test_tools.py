"""The four tools: what they say of the design's examples, and what they say when asked nonsense."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from engramma.people.reconcile.reconcile import person_memory
from engramma.people.reconcile.tools import (
    SCHEMAS,
    TOOLS,
    call_tool,
    compare_entities_across_conversations,
    detect_contradictions,
    get_conversation_context,
    get_entity_timeline,
)
from engramma.people.reconcile.workspace import PersonMemory
from engramma.records.people import Claim
from tests.people.made import AUSTIN, JOHNS_JOB, LISA, PARTNERS, SARAH, SEATTLE, said

pytestmark = pytest.mark.on("postgres", "encrypted")

MARIAS = said("Maria", "works_as", "nurse", "conv-41/D3:6", "2023-05-15", "I'm a nurse")
EVERYTHING = (*JOHNS_JOB, SARAH, LISA, SEATTLE, AUSTIN, MARIAS)


def people(claims: Sequence[Claim] = EVERYTHING) -> list[PersonMemory]:
    partners = {**PARTNERS}
    return [
        person_memory("John", claims, partners)[0],
        person_memory("Maria", claims, {**partners, "conv-41": ("John",)})[0],
    ]


def test_a_timeline_goes_through_all_conversations():
    found = get_entity_timeline(people(), "job", "John")
    assert [(row["conversation"], row["when"], row["partner"], row["roles"]) for row in found["timeline"]] == [
        ("conv-41", "May 2023", "Maria", ["software engineer"]),
        ("conv-43", "July 2023", "Tim", ["team lead"]),
        ("conv-47", "September 2023", "James", ["founder of startup"]),
    ]
    assert "works at TechCorp" in found["timeline"][0]["states"]
    assert "left job" in found["timeline"][2]["states"]
    assert found["timeline"][0]["evidence"] == ["conv-41/D3:5"]


def test_a_context_has_the_words_and_the_questions():
    found = get_conversation_context(people(), "conv-41", "john_job")
    assert (found["entity"], found["partner"]) == ("job", "Maria")
    assert found["mentions"] == [
        {
            "turn": "D3:5",
            "speaker": "John",
            "date": "2023-05-15",
            "text": "I work at TechCorp as a software engineer",
        }
    ]
    assert {"q": "Where does John work?", "a": "TechCorp"} in found["questions"]
    assert {"q": "What is John's role?", "a": "software engineer"} in found["questions"]


def test_a_comparison_tells_what_is_named_and_what_is_only_meant():
    found = compare_entities_across_conversations(people(), "john_job", "conv-41", "conv-43")
    assert (found["conv-41"]["when"], found["conv-43"]["when"]) == ("May 2023", "July 2023")
    assert (found["conv-41"]["roles"], found["conv-43"]["roles"]) == (["software engineer"], ["team lead"])
    assert found["conv-41"]["employer"] == ["TechCorp"]
    assert found["conv-43"]["employer"] is None
    assert found["conv-43"]["employer_said"] == "company"
    assert found["overlap"] == "Both involve employment, sequential timeline, possible promotion"


def test_an_owner_need_not_be_named_where_only_one_has_it_in_both_conversations():
    found = compare_entities_across_conversations(people(), "job", "conv-41", "conv-43")
    assert found["person"] == "John"


def test_a_move_is_found_and_resolved_as_evolution():
    found = detect_contradictions(people(), "john_location")
    (conflict,) = found["contradictions"]
    assert [row["text"] for row in conflict["said"]] == ["I live in Seattle", "I moved to Austin for the startup"]
    assert [row["conversation"] for row in conflict["said"]] == ["conv-41", "conv-47"]
    assert [row["when"] for row in conflict["said"]] == ["May 2023", "September 2023"]
    assert conflict["resolution"] == "Temporal evolution (moved between May 2023 and September 2023)"


def test_a_contradiction_is_told_with_both_quotes_and_days():
    boston = said("John", "lives_in", "Boston", "conv-43/D1:1", "2023-05-12", "I live in Boston")
    (conflict,) = detect_contradictions(people([SEATTLE, boston]), "john_home")["contradictions"]
    assert conflict["kind"] == "contradiction"
    assert [(row["text"], row["date"]) for row in conflict["said"]] == [
        ("I live in Seattle", "2023-05-10"),
        ("I live in Boston", "2023-05-12"),
    ]


def test_every_tool_has_a_schema_and_results_are_json():
    assert [schema["function"]["name"] for schema in SCHEMAS] == list(TOOLS)
    given = {
        "entity_name": "job",
        "person_id": "John",
        "conv_id": "conv-41",
        "entity_id": "john_job",
        "conv_a": "conv-41",
        "conv_b": "conv-47",
    }
    for schema in SCHEMAS:
        wanted = schema["function"]["parameters"]["required"]
        found = call_tool(people(), schema["function"]["name"], {name: given[name] for name in wanted})
        assert "error" not in found
        assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("drop_tables", {}),
        ("get_entity_timeline", {}),
        ("get_entity_timeline", {"entity_name": "job", "person_id": 7}),
        ("get_entity_timeline", {"entity_name": "job", "person_id": "Nobody"}),
        ("get_entity_timeline", {"entity_name": "spaceship", "person_id": "John"}),
        ("get_entity_timeline", {"entity_name": "", "person_id": "John"}),
        ("get_conversation_context", {"conv_id": "conv-99", "entity_id": "john_job"}),
        ("compare_entities_across_conversations", {"entity_name": "job", "conv_a": "conv-1", "conv_b": "conv-2"}),
        ("detect_contradictions", {"entity_id": "job"}),  # whose?
    ],
)
def test_a_call_that_makes_no_sense_says_what_is_wrong(tool: str, arguments: dict[str, object]):
    assert set(call_tool(people(), tool, arguments)) == {"error"}


def test_things_of_two_people_do_not_mix():
    found = get_conversation_context(people(), "conv-41", "maria_job")
    assert [row["speaker"] for row in found["mentions"]] == ["Maria"]
    assert found["partner"] == "John"
