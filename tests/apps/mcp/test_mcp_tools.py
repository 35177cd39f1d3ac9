"""What the tools promise: sources, limits, refusals that help, nothing recalled stored again."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from mcp.shared.exceptions import MCPError

from engramma import Memory, Turn
from engramma.language.handles import handle_of
from engramma.language.quoting import unquoted
from engramma.language.text import estimate_tokens
from engramma.recall import parse_context
from tests.apps.mcp.calls import call, encoder, memories_at, refused, text_of, using
from tests.conftest import START

WRONG = [
    ("memory_search", {}),
    ("memory_search", {"query": ["a", "list"]}),
    ("memory_search", {"query": ""}),
    ("memory_search", {"query": "   "}),
    ("memory_search", {"query": "x" * 100_000}),
    ("memory_search", {"query": "cat", "limit": 0}),
    ("memory_search", {"query": "cat", "limit": 10**30}),
    ("memory_search", {"query": "cat", "limit": "many"}),
    ("memory_search", {"query": "cat", "max_tokens": 1_000_000}),
    ("memory_search", {"query": "cat", "colour": "red"}),
    ("memory_context", {"query": None}),
    ("memory_context", {"query": "cat", "as_of": "last tuesday"}),
    ("memory_get", {"id": "seg_nowhere/never_0"}),
    ("memory_get", {"id": "x" * 5_000}),
    ("memory_get", {"id": "seg_pets/monday_0", "offset": 10**6}),
    ("memory_get", {"id": 7}),
    ("memory_list", {"kind": "secrets"}),
    ("memory_list", {"offset": -1}),
    ("memory_timeline", {"person": "Nobody at all"}),
    ("memory_timeline", {"since": "soon"}),
    ("memory_timeline", {"until": "9999-12-31"}),
    ("memory_add", {"text": ""}),
    ("memory_add", {"text": "  \n "}),
    ("memory_add", {"text": "y" * 5_000_000}),
    ("memory_add", {"text": "a NUL \0 in it"}),
    ("memory_add", {"text": "fine", "tags": ["a"] * 60}),
    ("memory_add", {"text": "fine", "tags": "not, a list"}),
    ("memory_add", {"text": "fine", "tags": [1, {}]}),
    ("memory_add", {"text": "fine", "strength": 7}),
    ("memory_add", {"text": "fine", "ttl_days": 10**12}),
    ("memory_update", {"id": "note_0000000000000000", "text": "x"}),
    ("memory_update", {"id": "seg_pets/monday_0", "text": "x"}),
    ("memory_update", {"id": "note_0000000000000000"}),
    ("memory_forget", {}),
    ("memory_forget", {"ids": ["nothing like this"]}),
    ("memory_forget", {"undo": 999}),
    ("memory_forget", {"undo": 2**63}),
    ("memory_forget", {"ids": ["x"] * 1_000}),
    ("memory_ingest", {}),
    ("memory_ingest", {"text": "no name"}),
    ("memory_ingest", {"text": "z" * 5_000_000, "name": "big.md"}),
    ("memory_ingest", {"path": "/etc/passwd"}),
    ("memory_ingest", {"path": "/no/such/file"}),
    ("memory_ingest", {"path": "a\0b"}),
    ("memory_link", {"source_id": "seg_pets/monday_0", "kind": "loves", "target_id": "seg_pets/monday_1"}),
    ("memory_link", {"source_id": "seg_pets/monday_0", "kind": "supports", "target_id": "seg_pets/monday_0"}),
    ("memory_link", {"source_id": "seg_pets/monday_0", "kind": "supports", "target_id": "unknown"}),
    ("memory_purge", {"ids": ["seg_pets/monday_0"]}),
]


def test_wrong_types_unknown_ids_and_huge_inputs_are_tool_errors_that_help(memories, tmp_path):
    async def work(client):
        for tool, arguments in WRONG:
            told = await refused(client, tool, **arguments)
            assert 10 < len(told) < 2_000, (tool, told[:300])
            assert "Traceback" not in told and "pydantic" not in told and "failed with an internal error" not in told, (
                tool,
                told,
            )
        assert (await call(client, "memory_search", query="What is Ana's cat called?"))["found"]

    using(memories, work, roots=[tmp_path])


def test_what_is_not_known_is_said_plainly(memories):
    async def work(client):
        result = await client.call_tool("memory_search", {"query": "How many moons does Jupiter have?"})
        assert result.structured_content["found"] is False and result.structured_content["hits"] == []
        assert text_of(result).startswith("I do not know")
        brief = await client.call_tool("memory_context", {"query": "How many moons does Jupiter have?"})
        assert brief.structured_content["found"] is False and text_of(brief).startswith("I do not know")

    using(memories, work)


@pytest.fixture(scope="module")
def lengthy(tmp_path_factory):
    store = tmp_path_factory.mktemp("lengthy") / "store"
    with Memory.open(store, embedder=encoder()) as memory:
        long = "The harbour committee discussed the budget for dredging at length. " * 80
        turns = [Turn("Ana", f"{n}: {long}", START + timedelta(minutes=n), f"t{n}") for n in range(12)]
        memory.remember_session("harbour", "minutes", turns)
        memory.remember("Notiz: " + "日本語の長いメモです。" * 200)
    memories = memories_at(store)
    yield memories
    memories.close()


@pytest.mark.long
@pytest.mark.parametrize("most", [300, 700, 2_000, 8_000])
def test_results_stay_under_their_cap_and_say_what_is_missing(lengthy, most):

    async def work(client):
        for tool, arguments in (
            ("memory_search", {"query": "the budget for dredging the harbour", "limit": 30}),
            ("memory_context", {"query": "the budget for dredging the harbour"}),
            ("memory_timeline", {"limit": 100}),
            ("memory_get", {"id": "seg_harbour/minutes_3", "around": 5}),
            ("memory_list", {"kind": "notes"}),
        ):
            result = await client.call_tool(tool, {**arguments, "max_tokens": most})
            data = json.dumps(result.structured_content, ensure_ascii=False)
            assert not result.is_error, text_of(result)
            assert estimate_tokens(text_of(result)) <= most, tool
            assert estimate_tokens(data) <= most, tool
            if tool != "memory_list":
                assert "more" in text_of(result) or "\n[…" in text_of(result), tool
        assert estimate_tokens((await client.read_resource("memory://recent")).contents[0].text) <= 8_000
        assert estimate_tokens((await client.read_resource("memory://session/minutes")).contents[0].text) <= 8_000

    using(lengthy, work)


def test_the_schemas_of_all_tools_are_small(memories):
    async def work(client):
        listed = [tool.model_dump(mode="json", by_alias=True) for tool in (await client.list_tools()).tools]
        shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in listed]
        assert estimate_tokens(json.dumps(shown, ensure_ascii=False)) <= 2_500
        search = next(tool for tool in listed if tool["name"] == "memory_search")["inputSchema"]
        assert search["required"] == ["query"] and search["properties"]["limit"]["maximum"] == 50
        assert search["properties"]["conversation"] == {"type": "string"}

    using(memories, work)


def test_limit_counts_hits_and_neighbours_belong_to_them(memories):
    async def work(client):
        found = await call(client, "memory_search", query="What is Ana's cat called?", limit=1)
        (hit,) = found["hits"]
        assert "Pixel and she sleeps" in hit["text"] and "Rufus" in hit["text"]

    using(memories, work)


@pytest.mark.parametrize("most", [300, 600])
def test_a_small_context_has_passages_of_several_hits(lengthy, most):
    async def work(client):
        brief = await call(client, "memory_context", query="the budget for dredging the harbour", max_tokens=most)
        entries = parse_context(brief["context"])
        assert len(entries) + sum(len(one.said) - 1 for one in entries) >= 2
        talk = sum(estimate_tokens(one.text) for entry in entries for one in entry.said)
        assert talk >= most / 3 and all(len(one.text) > 60 for entry in entries for one in entry.said)

    using(lengthy, work)


def test_a_prompt_without_what_it_needs_says_so(memories):
    async def work(client):
        for arguments in ({}, {"about": "  "}):
            with pytest.raises(MCPError, match=r"prompt recall needs about \(A question or a subject\)"):
                await client.get_prompt("recall", arguments)
        with pytest.raises(MCPError, match=r"There is no prompt 'nothing' here\. Prompts: recall, remember"):
            await client.get_prompt("nothing", {})

    using(memories, work)


def test_a_handle_is_as_good_as_an_id(memories):
    memory = memories.get()
    handles = [handle_of(f"seg_pets/monday_{n}") for n in (0, 1)]
    assert memory.segment(handles[0])[0].id == "seg_pets/monday_0"
    assert memory.segment(handles[0].replace("-0", "-99")) is None and memory.segment("aaaaaaaa-0") is None
    memory.links.add(handles[0], "supports", handles[1])
    assert [link.source for link in memory.links.all()] == ["seg_pets/monday_0"]
    assert memory.forget([handles[1]], preview=True).turns == 1


def test_a_handle_that_could_mean_two_is_refused(memories, monkeypatch):
    monkeypatch.setattr("engramma.core.names.place_hash", lambda conversation, session: "aaaaaaaa")

    async def work(client):
        told = await refused(client, "memory_get", id="aaaaaaaa-0")
        assert "seg_pets/monday_0" in told and "seg_trip/friday_0" in told

    using(memories, work)


def test_a_text_that_was_cut_can_be_read_to_its_end(memories):
    whole = "".join(f"Line {n} of the minutes says nothing new.\n" for n in range(150))
    with Memory.open(memories.store, embedder=encoder()) as memory:
        memory.remember_session("long", "one", [Turn("Ana", whole, START, "t1")])

    async def work(client):
        read, offset = "", 0
        while offset is not None:
            shown = await call(client, "memory_get", id="seg_long/one_0", offset=offset, max_tokens=400)
            lines = shown["hit"]["text"].split("\n")
            assert lines[1] == "Ana:" and lines[0].replace("<", "</") == lines[-1]
            assert lines[-2].startswith("[… cut here") == shown["hit"]["cut"]
            read += unquoted(lines[2 : -2 if shown["hit"]["cut"] else -1])
            offset = shown["next_offset"]
        assert read == whole

    using(memories, work)


@pytest.mark.parametrize("most", [300, 500])
def test_the_ids_of_many_turns_leave_room_for_their_words(memories, most):
    said = [("user", "Implement credit notes."), *(("assistant", f"Let me look at file {n}.") for n in range(30))]
    turns = [Turn(who, text, START + timedelta(seconds=n), f"{n:08}" * 4) for n, (who, text) in enumerate(said)]
    with Memory.open(memories.store, embedder=encoder()) as memory:
        memory.remember_session("work", "monday", turns)

    async def work(client):
        shown = await call(client, "memory_get", id="seg_work/monday_0", max_tokens=most)
        assert estimate_tokens(json.dumps(shown)) <= most
        assert shown["next_offset"] >= most // 8 and shown["hit"]["turn_ids"][0] == turns[0].id

    using(memories, work)
