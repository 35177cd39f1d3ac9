"""The MCP server over stdio, spoken to by the real client: tools, resources, prompts; good and bad arguments."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from same_behaviour_parts import Parts, Program

SECONDS = 300.0
KINDS = ("notes", "conversations", "sessions", "documents", "people", "topics", "acts", "nonsense")
ANN = {"name": "Ann", "entityType": "person", "observations": ["keeps bees", "speaks Danish"]}
HIVE = {"name": "Hive 7", "entityType": "", "observations": ["stands by the brook", "zwei\nZeilen"]}
OWNS = {"from": "Ann", "to": "Hive 7", "relationType": "owns"}
REFERENCE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_graph", {}),
    ("create_entities", {"entities": [ANN, HIVE]}),
    ("create_entities", {"entities": [ANN]}),
    ("create_entities", {"entities": []}),
    ("create_relations", {"relations": [OWNS, {"from": "Ann", "to": "Nobody", "relationType": "knows"}]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["is tall", "keeps bees"]}]}),
    ("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["is not here"]}]}),
    ("search_nodes", {"query": "bees"}),
    ("search_nodes", {"query": "nothing like it"}),
    ("open_nodes", {"names": ["Ann", "Nobody"]}),
    ("read_graph", {}),
    ("delete_observations", {"deletions": [{"entityName": "Ann", "observations": ["is tall", "never said"]}]}),
    ("delete_relations", {"relations": [OWNS]}),
    ("delete_relations", {"relations": [OWNS]}),
    ("delete_entities", {"entityNames": ["Hive 7", "Nobody"]}),
    ("read_graph", {}),
)


@dataclass
class Tools:
    """Calls to a server; each is an item of a part."""

    client: Client
    parts: Parts
    part: str

    async def keep(self, key: str, asked: Awaitable[Any]) -> Any:
        """Await an answer and record it, or the error that came instead."""
        try:
            answer = (await asked).model_dump(mode="json", by_alias=True, exclude_none=True)
        except Exception as error:
            self.parts.add(self.part, key, {"error": type(error).__name__, "says": str(error)})
            return {}
        found = answer.get("structuredContent") or {}
        if key.startswith(("memory_add ", "memory_update ")) and isinstance(found.get("id"), str):
            self.parts.plain.name(found["id"], "note")  # made from the clock
        for content in answer.get("content", []):
            content.update(json_text(content))
        self.parts.add(self.part, key, answer)
        return found

    async def call(self, tool: str, **given: Any) -> Any:
        """One call of a tool; gives back what it answers."""
        key = f"{tool} {json.dumps(given, ensure_ascii=False, sort_keys=True)[:300]}"
        return await self.keep(key, self.client.call_tool(tool, given))


def json_text(content: dict[str, Any]) -> dict[str, Any]:
    """The JSON in a text, read: its measured values are known by their names then."""
    try:
        return {"text": json.loads(content["text"])}
    except (KeyError, ValueError):
        return {}


def wrong(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments that a tool must refuse, or bear: none, an unknown one, each of a wrong type or out of bounds."""
    yield {}
    yield {"nonsense": 1}
    properties = schema.get("properties", {})
    needed = {name: "x" for name in schema.get("required", []) if "string" in kinds_of(properties[name])}
    for name, one in sorted(properties.items()):
        yield {**needed, name: {"a": 1}}
        for bounds in one.get("anyOf", [one]):
            if "maximum" in bounds:
                yield {**needed, name: bounds["maximum"] + 1}
            if "maxLength" in bounds and bounds["maxLength"] <= 4000:
                yield {**needed, name: "x" * (bounds["maxLength"] + 1)}


def kinds_of(schema: dict[str, Any]) -> list[str]:
    return [one.get("type", "") for one in schema.get("anyOf", [schema])]


async def listed(tools: Tools) -> list[dict[str, Any]]:
    """What the server says of itself; gives back its tools."""
    client = tools.client
    about = (client.server_capabilities, client.server_info)
    told = [one.model_dump(mode="json") for one in about if one is not None]
    tools.parts.add(tools.part, "server", {"instructions": client.instructions, "told": told})
    await tools.keep("list resources", client.list_resources())
    await tools.keep("list resource templates", client.list_resource_templates())
    await tools.keep("list prompts", client.list_prompts())
    await tools.keep("list tools", client.list_tools())
    return [one.model_dump(mode="json", by_alias=True) for one in (await client.list_tools()).tools]


async def reading(tools: Tools, questions: list[str]) -> list[str]:
    """The tools that only read; gives back ids of what they found."""
    ids: list[str] = []
    for question in questions:
        found = await tools.call("memory_search", query=question)
        ids += [one["id"] for one in found.get("hits", [])]
        await tools.call("memory_context", query=question, max_tokens=600)
    given: dict[str, Any]
    for given in ({"limit": 1}, {"limit": 50, "max_tokens": 8000}, {"include_archived": True}, {"namespaces": ["*"]}):
        await tools.call("memory_search", query=questions[0], **given)
    for given in ({"as_of": "2023-06-01"}, {"as_of": "someday"}, {"conversation": "nowhere"}):
        await tools.call("memory_context", query=questions[0], **given)
    for id in [*ids[:4], "seg_no/where_0", "note_0"]:
        await tools.call("memory_get", id=id)
        await tools.call("memory_get", id=id, around=2, max_tokens=500)
    for given in (
        {},
        {"about": questions[0]},
        {"newest_first": True, "limit": 5},
        {"since": "2023-06-01", "until": "2023-06-30"},
        {"since": "someday"},
        {"person": "Nobody At All"},
        {"offset": 5, "limit": 2},
    ):
        await tools.call("memory_timeline", **given)
    for kind in KINDS:
        await tools.call("memory_list", kind=kind)
        await tools.call("memory_list", kind=kind, limit=2, offset=1, max_tokens=300)
    return ids


async def resources(tools: Tools, session: str, person: str) -> None:
    """Resources and prompts, with names that are there and names that are not."""
    client = tools.client
    for uri in (
        "recent",
        f"session/{session}",
        "session/nowhere",
        f"entity/{person}",
        "entity/Nobody",
        "entity/topic:1",
        "x",
    ):
        await tools.keep(f"resource memory://{uri}", client.read_resource(f"memory://{uri}"))
    for name, given in (
        ("recall", {"about": "the harbour"}),
        ("recall", {}),
        ("remember", {}),
        ("remember", {"what": "names"}),
        ("nonsense", {}),
    ):
        await tools.keep(f"prompt {name} {given}", client.get_prompt(name, given))


async def writing(tools: Tools, ids: list[str]) -> None:
    """The tools that write: notes, links, documents, forgetting and its undo."""
    first = (await tools.call("memory_add", text="Ada collects old maps.", tags=["hobby"], source="a letter"))["id"]
    await tools.call("memory_add", text="Ada collects old maps.", ttl_days=30, strength=0.9)
    await tools.call("memory_add", text="The token is ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3")
    newer = (await tools.call("memory_update", id=first, text="Ada collects old globes since May."))["id"]
    await tools.call("memory_update", id=newer, tags=["hobby", "globes"])
    await tools.call("memory_update", id="note_0", text="x")
    await tools.call("memory_update", id=ids[0], text="x")
    await tools.call("memory_get", id=first)
    await tools.call("memory_get", id=newer)
    for kind in ("related_to", "contradicts", "nonsense"):
        await tools.call("memory_link", source_id=newer, kind=kind, target_id=ids[0], weight=0.5)
    await tools.call("memory_link", source_id=newer, kind="contradicts", target_id=ids[0], remove=True)
    await tools.call("memory_link", source_id=newer, kind="contradicts", target_id=ids[0], remove=True)
    text = "# Tower\n\nThe lighthouse is 41 metres high.\n\n## Keeper\n\nAda keeps it.\n"
    for name, body in (
        ("tower.md", text),
        ("tower.md", text),
        ("tower.md", text + "\nSince 1990.\n"),
        ("x.html", "<p>Hi"),
    ):
        await tools.call("memory_ingest", name=name, text=body)
    await tools.call("memory_ingest", path="/etc/hostname")
    await tools.call("memory_search", query="How high is the lighthouse?")
    await tools.call("memory_forget", ids=[newer])
    act = (await tools.call("memory_forget", ids=[newer], confirm=True)).get("act")
    await tools.call("memory_search", query="What does Ada collect?")
    await tools.call("memory_forget", undo=act)
    await tools.call("memory_forget", undo=act)
    await tools.call("memory_forget", undo=9999)
    await tools.call("memory_forget", query="lighthouse")
    await tools.call("memory_search", query="What does Ada collect?")
    await tools.call("memory_list", kind="acts")


async def bad_arguments(tools: Tools, found: list[dict[str, Any]]) -> None:
    """What every tool must refuse, and a tool that is none."""
    for one in found:
        for given in wrong(one["inputSchema"]):
            await tools.call(one["name"], **given)
    await tools.call("nonsense")


def server(program: Program, store: Path, *options: str) -> Client:
    """A client of `engramma mcp`."""
    arguments = ["mcp", "--store", str(store), *options]
    started = StdioServerParameters(command=str(program.path), args=arguments, env=program.environment())
    return Client(started, read_timeout_seconds=SECONDS)


def record_reads(program: Program, parts: Parts, store: Path, questions: list[str], session: str, person: str) -> None:
    """The server as it is, and read-only: everything that reads, and bad arguments to everything."""

    async def run() -> None:
        async with server(program, store) as client:
            tools = Tools(client, parts, "mcp")
            found = await listed(tools)
            await reading(tools, questions)
            await resources(tools, session, person)
            await bad_arguments(tools, found)
        async with server(program, store, "--read-only") as client:
            tools = Tools(client, parts, "mcp_read_only")
            await listed(tools)
            await tools.call("memory_search", query=questions[0])
            await tools.call("memory_add", text="May I?")

    asyncio.run(run())


def record_writes(program: Program, parts: Parts, store: Path, questions: list[str]) -> None:
    """The server as it is and as the reference memory server: what writes, and bad arguments to the latter."""

    async def run() -> None:
        async with server(program, store) as client:
            tools = Tools(client, parts, "mcp_writes")
            await writing(tools, await reading(tools, questions))
        async with server(program, store, "--compat", "reference") as client:
            tools = Tools(client, parts, "mcp_reference")
            found = await listed(tools)
            for name, given in REFERENCE:
                await tools.call(name, **given)
            await bad_arguments(tools, found)

    asyncio.run(run())
