"""What search and resources tell of people: answers, facts, timelines and claims, with sources and within the cap."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from mcp import Client

from engramma import Memory
from engramma.apps.mcp import facts, server
from engramma.language.fence import without_recalled
from engramma.language.text import estimate_tokens
from engramma.recall import parse_context
from engramma.store.keys import context_key
from tests.apps.mcp.calls import call, encoder, memories_at, text_of
from tests.conftest import talk

QUESTION = "Where does Ana work?"


@pytest.fixture(scope="module")
def memories(tmp_path_factory):
    store = tmp_path_factory.mktemp("people") / "store"
    with Memory.open(store, embedder=encoder()) as memory:
        memory.remember_session(
            "office",
            "monday",
            talk("Ana: I work at TechCorp as a nurse.", "Ben: My sister Zoe lives in Lisbon. I like hiking."),
        )
        memory.remember_session("club", "sunday", talk("Siân Slams: I live in Barmouth.", "Ben: Ah.", day=6))
        memory.remember_session("trip", "friday", talk("Ben: We booked the ferry to Naxos.", "Ana: Good.", day=4))
    opened = memories_at(store)
    yield opened
    opened.close()


def using(memories, work):
    async def run():
        async with Client(server(memories, "default", read_only=True)) as client:
            return await work(client)

    return asyncio.run(run())


def test_a_question_with_a_certain_answer_gets_the_sentence_that_holds_it(memories):
    key = context_key(memories.get("default")._core.store)

    async def work(client):
        result = await client.call_tool("memory_search", {"query": QUESTION})
        found = result.structured_content
        answer = found["answer"]
        assert answer["confidence"] >= facts.LEAST_CONFIDENCE and answer["speaker"] == "Ana"
        assert answer["text"].split("\n")[1:-1] == ["Ana:", "> I work at TechCorp as a nurse."]
        assert "TechCorp" not in without_recalled(json.dumps(found, ensure_ascii=False), key)
        first = parse_context(text_of(result))[0]
        assert first.origin == "answer" and first.said[0].text == "I work at TechCorp as a nurse."
        assert "TechCorp" not in without_recalled(text_of(result), key)
        assert "facts" not in found, "the hits show what they would say"
        plain = await call(client, "memory_search", query="Ana TechCorp nurse")
        assert plain["found"] and "answer" not in plain
        unsure = await call(client, "memory_search", query="Does Ana like hiking?")
        assert unsure["hits"] and "answer" not in unsure

    using(memories, work)


def test_an_answer_that_is_not_certain_or_was_worked_out_is_not_shown(memories, monkeypatch):
    memory = memories.get("default")
    sure = replace(memory.ask(QUESTION), confidence=0.95, abstained=False, text="TechCorp")
    for given, shown in (
        (sure, True),
        (replace(sure, confidence=facts.LEAST_CONFIDENCE - 0.01), False),
        (replace(sure, abstained=True), False),
        (replace(sure, quote=""), False),
        (replace(sure, evidence=()), False),
    ):
        monkeypatch.setattr(Memory, "ask", lambda *_, given=given, **__: given)
        assert (facts.answer_to(memory, QUESTION, None, 500) is not None) == shown


def test_facts_stand_beside_the_hits_only_where_these_do_not_show_their_words(memories):
    memory = memories.get("default")
    recalled = memory.recall(QUESTION)
    assert facts.facts_to(memory, recalled, None, 500) == []
    (block,) = facts.facts_to(memory, replace(recalled, candidates=()), None, 500)
    (entry,) = parse_context(block)
    assert entry.origin == "fact" and entry.fields == ("office", "Ana works at TechCorp")
    assert entry.said[0].speaker == "Ana" and entry.said[0].text in "I work at TechCorp as a nurse."
    assert facts.facts_to(memory, replace(recalled, candidates=()), "trip", 500) == []


@pytest.mark.parametrize("most", [300, 400, 700, 2_000])
def test_answer_and_facts_stay_inside_the_cap(memories, most):
    async def work(client):
        for query in (QUESTION, "What is related to Ben?", "What does Ben like?"):
            result = await client.call_tool("memory_search", {"query": query, "max_tokens": most})
            assert result.structured_content["hits"], query
            assert estimate_tokens(text_of(result)) <= most
            assert estimate_tokens(json.dumps(result.structured_content, ensure_ascii=False)) <= most

    using(memories, work)


def test_a_person_is_shown_with_claims_and_their_sources(memories):
    key = context_key(memories.get("default")._core.store)

    async def work(client):
        ana = (await client.read_resource("memory://entity/Ana")).contents[0].text
        assert "Ana works at TechCorp [office/t1, 2026-01-05" in ana and "“" in ana and "Timeline:" in ana
        assert "TechCorp" not in without_recalled(ana, key)
        zoe = (await client.read_resource("memory://entity/person:Zoe")).contents[0].text
        sian = (await client.read_resource("memory://entity/sian")).contents[0].text
        assert sian.startswith("Siân Slams said 1 turn") and "lives in Barmouth" in sian
        assert "who did not speak here" in zoe and "Lisbon" in zoe and "Lisbon" not in without_recalled(zoe, key)

    using(memories, work)
