"""What search and resources tell of people: answers, facts, timelines and claims, with sources and within the cap."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp import Client

from engramma import Memory
from engramma.apps.mcp import server
from engramma.language.fence import without_recalled
from engramma.language.text import estimate_tokens
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
        memory.remember_session("trip", "friday", talk("Ben: We booked the ferry to Naxos.", "Ana: Good.", day=4))
    opened = memories_at(store)
    yield opened
    opened.close()


def using(memories, work):
    async def run():
        async with Client(server(memories, "default", read_only=True)) as client:
            return await work(client)

    return asyncio.run(run())


def test_a_question_gets_an_answer_and_facts_marked_as_recalled(memories):
    key = context_key(memories.get("default")._core.store)

    async def work(client):
        result = await client.call_tool("memory_search", {"query": QUESTION})
        found = result.structured_content
        assert not found["answer"]["abstained"] and "TechCorp" in found["answer"]["text"]
        assert found["answer"]["confidence"] > 0.5 and "Ana" in found["answer"]["reason"]
        assert "Ana works at TechCorp" in found["facts"] and "| fact | t1 | office |" in found["facts"]
        assert "TechCorp" not in without_recalled(json.dumps(found, ensure_ascii=False), key)
        assert "Ana works at TechCorp" in text_of(result) and "TechCorp" not in without_recalled(text_of(result), key)
        plain = await call(client, "memory_search", query="Ana TechCorp nurse")
        assert plain["found"] and plain["answer"] is None and plain["facts"] is None
        other = await call(client, "memory_search", query="Does Ana like hiking?")
        assert other["answer"]["abstained"] and other["answer"]["reason"] and not other["answer"]["text"]
        elsewhere = await call(client, "memory_search", query=QUESTION, conversation="trip")
        assert elsewhere["facts"] is None

    using(memories, work)


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
        assert "who did not speak here" in zoe and "Lisbon" in zoe and "Lisbon" not in without_recalled(zoe, key)

    using(memories, work)
