"""Filters of memory_search, and metadata of notes, as a client asks for them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engramma import Memory
from engramma.apps.daemon.memories import Memories
from tests.apps.mcp.calls import refused, using
from tests.conftest import START, talk
from tests.fakes import HashEmbedder


@pytest.fixture
def memories(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ana: the boat is red", "Ben: the boat is blue"))
        memory.remember("the boat is insured", tags=["papers"], source="letter", at=START + timedelta(days=30))
    opened = Memories(tmp_path / "store")
    opened._embedder = HashEmbedder()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ({"speaker": "ana"}, "the boat is red"),
        ({"tag": "papers"}, "the boat is insured"),
        ({"source": "letter"}, "the boat is insured"),
        ({"since": "2026-02-01"}, "the boat is insured"),
        ({"until": "2026-01-05", "speaker": "Ben"}, "the boat is blue"),
    ],
)
def test_a_search_keeps_to_its_filters(memories, bounds, text):
    async def work(client):
        return await client.call_tool("memory_search", {"query": "What is the boat?", **bounds})

    found = using(memories, work).structured_content
    assert len(found["hits"]) == 1 and text in found["hits"][0]["text"]


def test_wrong_filters_are_refused_in_words(memories):
    async def work(client):
        return [
            await refused(client, "memory_search", query="boat", since="soon"),
            await refused(client, "memory_search", query="boat", since="2026-02-01", until="2026-01-01"),
        ]

    no_date, backwards = using(memories, work)
    assert "since must be a date" in no_date and "must be before until" in backwards


def test_metadata_go_in_and_come_back(memories):
    async def work(client):
        made = await client.call_tool("memory_add", {"text": "the boat has sails", "meta": {"ticket": "42"}})
        return await client.call_tool("memory_get", {"id": made.structured_content["id"]})

    shown = using(memories, work)
    assert shown.structured_content["meta"] == {"ticket": "42"}
    assert "> ticket: 42" in shown.content[0].text
