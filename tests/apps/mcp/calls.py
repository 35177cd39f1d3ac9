"""A store with something in it, and a call of every tool, as any client makes them."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import Any

from mcp import Client

from engramma import Memory
from engramma.apps.daemon.memories import Memories
from engramma.apps.mcp import server
from engramma.language.handles import handle_of
from engramma.models.embed import Embedder
from engramma.models.load import load
from tests.conftest import talk

TOOLS = {
    "memory_search",
    "memory_context",
    "memory_add",
    "memory_get",
    "memory_list",
    "memory_update",
    "memory_forget",
    "memory_ingest",
    "memory_link",
    "memory_timeline",
}
READING = {"memory_search", "memory_context", "memory_get", "memory_list", "memory_timeline"}


def filled(store: Path) -> Path:
    """A small memory: two talks and a note."""
    with Memory.open(store, embedder=encoder()) as memory:
        memory.remember_session(
            "pets",
            "monday",
            talk(
                "Ana: My cat is called Pixel and she sleeps on the piano.",
                "Ben: Our dog Rufus is afraid of the vacuum cleaner.",
                "Ana: Pixel had her vaccination on Tuesday at the clinic in Harbour Street.",
            ),
        )
        memory.remember_session(
            "trip",
            "friday",
            talk(
                "Ana: We booked the ferry to Naxos for the third of May.", "Ben: The hotel in Naxos has a pool.", day=4
            ),
        )
        memory.remember("The office printer needs toner type TN-2420.", tags=["office"])
    return store


@cache
def encoder() -> Embedder:
    """The packaged encoder, loaded once for all tests."""
    return load(None)


def memories_at(store: Path) -> Memories:
    """The memories of a store, without loading the encoder anew."""
    memories = Memories(store)
    memories._embedder = encoder()
    return memories


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


async def call(client: Any, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A call that has to succeed: its data."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert text_of(result).strip()
    return dict(result.structured_content)


async def call_every_tool(client: Any) -> None:
    """Each of the ten, with what the one before it found."""
    found = await call(client, "memory_search", query="What is Ana's cat called?")
    hit = found["hits"][0]
    assert found["found"] and "Pixel" in hit["text"]
    assert hit["said_at"] == "2026-01-05T09:01:00Z" and hit["id"] == handle_of("seg_pets/monday_0")
    brief = await call(client, "memory_context", query="What is Ana's cat called?", max_tokens=600)
    assert "Pixel" in brief["context"] and brief["citations"][0] == hit["id"]
    shown = await call(client, "memory_get", id=hit["id"], around=1)
    cited = shown["hit"]
    assert "Pixel" in cited["text"] and "Rufus" in shown["after"][0]["text"] and cited["id"] == hit["id"]
    assert (cited["conversation"], cited["session"], cited["turn_ids"], cited["speakers"]) == (
        "pets",
        "monday",
        ["t1"],
        ["Ana"],
    )
    again = await call(client, "memory_get", id=cited["segment"])
    assert again["hit"]["segment"] == "seg_pets/monday_0" == cited["segment"]
    added = await call(client, "memory_add", text="Ana prefers tea over coffee in the morning.", tags=["food"])
    note = added["id"]
    assert note.startswith("note_")
    listed = await call(client, "memory_list", kind="notes", tag="food")
    assert note in [item["id"] for item in listed["items"]]
    updated = await call(client, "memory_update", id=note, text="Ana prefers coffee over tea since March.")
    assert updated["replaces"] == note
    linked = await call(client, "memory_link", source_id=updated["id"], kind="related_to", target_id=hit["id"])
    assert linked["status"] == "linked"
    read = await call(
        client, "memory_ingest", name="lighthouse.md", text="# Tower\n\nThe lighthouse is 41 metres high."
    )
    assert read["added"] + read["unchanged"] == 1
    said = await call(client, "memory_timeline", person="ben", since="2026-01-05", until="2026-01-09")
    assert [item["said_at"][:10] for item in said["items"]] == ["2026-01-05", "2026-01-09"]
    preview = await call(client, "memory_forget", ids=[updated["id"]])
    assert preview["status"] == "preview" and preview["turns"] == 1
    gone = await call(client, "memory_forget", ids=[updated["id"]], confirm=True)
    assert gone["status"] == "forgotten"
    back = await call(client, "memory_forget", undo=gone["act"])
    assert back["status"] == "undone"


async def look_around(client: Any) -> None:
    """What a client lists, and the resources and prompts themselves."""
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        hints = tool.annotations
        given = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
        assert None not in given and hints.open_world_hint is False
        assert hints.read_only_hint == (tool.name in READING)
        assert tool.output_schema and len(tool.description.encode()) < 2_000
    assert [str(one.uri) for one in (await client.list_resources()).resources] == ["memory://recent"]
    templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
    assert templates == {"memory://session/{id}", "memory://entity/{id}"}
    assert {one.name for one in (await client.list_prompts()).prompts} == {"recall", "remember"}
    for uri, words in (
        ("memory://recent", "toner"),
        ("memory://session/friday", "ferry"),
        ("memory://session/trip%2Ffriday", "ferry"),
        ("memory://entity/Ana", "Ana said 3 turns"),
        ("memory://entity/person:ben", "hotel"),
    ):
        contents = (await client.read_resource(uri)).contents
        assert words in contents[0].text and "<engramma-memory" in contents[0].text, uri
    recall = await client.get_prompt("recall", {"about": "Ana's cat"})
    assert "Pixel" in recall.messages[0].content.text
    remember = await client.get_prompt("remember", {})
    assert "memory_add" in remember.messages[0].content.text


def using(memories, work, **options):
    async def run():
        async with Client(server(memories, "default", **options)) as client:
            return await work(client)

    return asyncio.run(run())


async def refused(client, tool: str, /, **arguments) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, f"{tool} took {str(arguments)[:200]}"
    assert result.structured_content is None
    return text_of(result)
