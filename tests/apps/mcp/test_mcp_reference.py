"""--compat reference: the nine tools of the reference memory server, in its shapes, over the same store."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp import Client

from engramma.admin.doctor import doctor
from engramma.apps.mcp import server
from engramma.transfer.imports import Reading, import_file
from tests.apps.mcp.calls import call, memories_at, text_of
from tests.conftest import START

NINE = {
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "read_graph",
    "search_nodes",
    "open_nodes",
}
ANN = {"name": "Ann", "entityType": "person", "observations": ["keeps bees", "speaks Danish", "keeps  bees"]}
BEN = {"name": "Ben (the tall one)", "entityType": "odd): type", "observations": []}
HIVE = {"name": "Hive 7", "entityType": "", "observations": ["stands by the brook", ": starts oddly", "zwei\nZeilen"]}
OWNS = {"from": "Ann", "to": "Hive 7", "relationType": "owns and minds"}
KNOWS = {"from": "Ben (the tall one)", "to": "Ann", "relationType": "knows"}


@pytest.fixture
def memories(tmp_path):
    opened = memories_at(tmp_path / "store")
    yield opened
    opened.close()


def using(memories, work, **options):
    async def run():
        async with Client(server(memories, "default", compat="reference", **options)) as client:
            return await work(client)

    return asyncio.run(run())


def test_what_is_made_reads_back_exactly(memories):
    async def work(client):
        assert {tool.name for tool in (await client.list_tools()).tools} == NINE
        made = await client.call_tool("create_entities", {"entities": [ANN, BEN, HIVE, ANN]})
        assert made.structured_content == {"entities": [ANN, BEN, HIVE]}
        assert json.loads(text_of(made)) == [ANN, BEN, HIVE]
        assert await call(client, "create_entities", entities=[{**ANN, "observations": ["else"]}]) == {"entities": []}
        made = await call(client, "create_relations", relations=[OWNS, KNOWS, OWNS])
        assert made == {"relations": [OWNS, KNOWS]}
        assert await call(client, "create_relations", relations=[OWNS]) == {"relations": []}
        assert await call(client, "read_graph") == {"entities": [ANN, BEN, HIVE], "relations": [OWNS, KNOWS]}
        added = await call(
            client, "add_observations", observations=[{"entityName": "Ann", "contents": ["likes rye", "keeps bees"]}]
        )
        assert added == {"results": [{"entityName": "Ann", "addedObservations": ["likes rye"]}]}
        found = await call(client, "search_nodes", query="RYE")
        assert [one["name"] for one in found["entities"]] == ["Ann"]
        assert found["relations"] == [OWNS, KNOWS]
        opened = await call(client, "open_nodes", names=["Hive 7", "nobody"])
        assert opened == {"entities": [HIVE], "relations": [OWNS]}

    using(memories, work)
    assert [check.detail for check in doctor(memories.get()._core) if not check.ok] == []


def test_what_is_deleted_is_gone_and_can_be_said_again(memories):
    async def work(client):
        await call(client, "create_entities", entities=[ANN, BEN, HIVE])
        await call(client, "create_relations", relations=[OWNS, KNOWS])
        gone = await call(
            client,
            "delete_observations",
            deletions=[
                {"entityName": "Ann", "observations": ANN["observations"]},
                {"entityName": "X", "observations": ["y"]},
            ],
        )
        assert gone == {"success": True, "message": "Deleted 3 of 4 observations. Entities not found: X"}
        bare = {**ANN, "observations": []}
        assert (await call(client, "open_nodes", names=["Ann"]))["entities"] == [bare]
        await call(client, "add_observations", observations=[{"entityName": "Ann", "contents": ["keeps bees"]}])
        assert (await call(client, "open_nodes", names=["Ann"]))["entities"] == [
            {**ANN, "observations": ["keeps bees"]}
        ]
        assert (await call(client, "delete_relations", relations=[KNOWS]))[
            "message"
        ] == "Relations deleted successfully"
        await call(client, "create_relations", relations=[KNOWS])
        gone = await call(client, "delete_entities", entityNames=["Ann", "nobody"])
        assert gone["message"] == "Deleted 1 of 2 entities. Not found: nobody"
        assert await call(client, "read_graph") == {"entities": [BEN, HIVE], "relations": []}
        await call(client, "create_entities", entities=[ANN])
        assert {one["name"] for one in (await call(client, "read_graph"))["entities"]} == {
            "Ann",
            BEN["name"],
            "Hive 7",
        }
        assert (await call(client, "open_nodes", names=["Ann"]))["entities"] == [ANN]

    using(memories, work)
    assert [check.detail for check in doctor(memories.get()._core) if not check.ok] == []


def test_recall_finds_what_the_graph_holds(memories):
    async def work(client):
        await call(client, "create_entities", entities=[ANN, HIVE])
        await call(client, "create_relations", relations=[OWNS])

    using(memories, work)
    found = memories.get().recall("Who keeps bees?")
    assert any("Ann (person): keeps bees" in c.text for c in found.candidates)


def test_an_imported_memory_file_is_the_same_graph(memories, tmp_path):
    ann = {**ANN, "observations": ["keeps bees", "speaks Danish"]}
    hive = {"name": "Hive 7", "entityType": "place", "observations": ["stands by the brook"]}
    lines = [{"type": "entity", **ann}, {"type": "entity", **hive}, {"type": "relation", **OWNS}]
    file = tmp_path / "memory.json"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    how = Reading(fallback_time=START)  # the file states no times
    assert import_file(memories.get(create=True)._core, file, how).turns == 4

    async def work(client):
        graph = await call(client, "read_graph")
        assert sorted(graph["entities"], key=lambda e: e["name"]) == [ann, hive]
        assert graph["relations"] == [OWNS]
        assert await call(client, "create_entities", entities=[ann]) == {"entities": []}
        assert await call(client, "create_relations", relations=[OWNS]) == {"relations": []}

    using(memories, work)
    assert import_file(memories.get()._core, file, how).turns == 0


def test_what_is_wrong_is_a_tool_error(memories):
    async def work(client):
        await call(client, "create_entities", entities=[ANN])
        for tool, arguments in (
            ("create_entities", {"entities": "Ann"}),
            ("create_entities", {"entities": [{"name": "x"}]}),
            ("create_entities", {"entities": [{"name": "", "entityType": "t", "observations": []}]}),
            ("create_entities", {"entities": [{**ANN, "name": "n" * 5_000}]}),
            ("create_relations", {"relations": [{**OWNS, "to": "nobody"}]}),
            ("add_observations", {"observations": [{"entityName": "nobody", "contents": ["x"]}]}),
            ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["x" * 200_000]}]}),
            ("search_nodes", {"query": "x" * 3_000}),
            ("open_nodes", {}),
            ("memory_search", {"query": "bees"}),
        ):
            result = await client.call_tool(tool, arguments)
            assert result.is_error and "failed with an internal error" not in text_of(result), (tool, text_of(result))

    using(memories, work)


def test_read_only_offers_the_three_tools_that_read(memories):
    memories.get(create=True)

    async def work(client):
        assert {tool.name for tool in (await client.list_tools()).tools} == {"read_graph", "search_nodes", "open_nodes"}
        result = await client.call_tool("create_entities", {"entities": [ANN]})
        assert result.is_error and "read-only" in text_of(result)

    using(memories, work, read_only=True)
