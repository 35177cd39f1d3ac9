"""The Agents session: beside the SDK's own one on the same operations, in real runs, and as part of the memory."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from agents import Agent, OpenAIResponsesModel, Runner, Session, SessionSettings, SQLiteSession, function_tool
from agents.run import RunConfig
from openai import AsyncOpenAI

from engramma import BadInput, Memory
from engramma.apps.adapters.openai_agents import EngrammaSession
from engramma.language.fence import fenced
from engramma.store.keys import context_key
from tests.apps.adapters.upstream import upstream
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Where is the violin?"},
    {"role": "user", "content": [
        {"type": "input_text", "text": "Look"}, {"type": "input_image", "image_url": "data:x"}]},
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": "In the attic.\r\n", "annotations": [], "logprobs": []}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA" + "Zm9v" * 3_000},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny\0 \ud83d and 21°"},
    {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "parts"}]},
    {"type": "something_new", "nested": {"deep": [1, None, 2.5, {"": ""}]}},
    {"role": "user", "content": ""},
    {"role": "developer", "content": "Be brief."},
    {"role": "assistant", "content": "y" * 50_000},
]  # fmt: skip


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


def run(work: Any) -> Any:
    return asyncio.run(work)


def test_it_is_what_the_sdk_calls_a_session(memory):
    assert isinstance(EngrammaSession("s", memory), Session)


def test_items_come_back_exactly_and_in_order(memory):
    session = EngrammaSession("s", memory)
    run(session.add_items(ITEMS))
    assert run(session.get_items()) == ITEMS
    assert run(EngrammaSession("s", memory).get_items(3)) == ITEMS[-3:]
    assert run(EngrammaSession("other", memory).get_items()) == []


@pytest.mark.parametrize("seed", [1, 2])
def test_random_operations_give_what_the_sdks_own_session_gives(memory, seed):
    async def compare() -> None:
        dice, own, session = random.Random(seed), SQLiteSession("s"), EngrammaSession("s", memory)
        plain = [item for item in ITEMS if "\ud83d" not in str(item)]  # the real one cannot hold half a character
        for _ in range(40):
            kind = dice.choices(["add", "pop", "clear", "get"], [6, 3, 1, 4])[0]
            if kind == "add":
                some = dice.choices(plain[:6], k=dice.randint(0, 3))
                await own.add_items(some)
                await session.add_items(some)
            elif kind == "pop":
                assert await session.pop_item() == await own.pop_item()
            elif kind == "clear" and dice.random() < 0.5:
                await own.clear_session()
                await session.clear_session()
            limit = dice.choice([None, 0, 1, 2, 100])
            assert await session.get_items(limit) == await own.get_items(limit)
        own.close()

    run(compare())


def test_the_settings_limit_counts_where_none_is_given(memory):
    session = EngrammaSession("s", memory, session_settings=SessionSettings(limit=2))
    run(session.add_items(ITEMS[:5]))
    assert run(session.get_items()) == ITEMS[3:5] and run(session.get_items(1)) == ITEMS[4:5]


def test_recall_finds_what_was_said_and_not_what_was_popped_or_cleared(memory):
    session = EngrammaSession("s", memory)
    said = ["the violin is in the attic", "the quokka sleeps"]
    run(session.add_items([{"role": "user", "content": text} for text in said]))
    assert "violin" in memory.recall("violin attic", recipe="vector").context
    assert "[call weather" not in memory.recall("violin", recipe="vector").context
    assert run(session.pop_item()) == {"role": "user", "content": said[1]}
    assert "quokka" not in memory.recall("quokka sleeps", recipe="vector").context
    run(session.clear_session())
    run(session.clear_session())
    assert run(session.get_items()) == [] and run(session.pop_item()) is None
    assert memory.recall("violin attic", recipe="vector").entries == ()
    run(session.add_items([{"role": "user", "content": said[0]}]))
    assert run(session.get_items()) == [{"role": "user", "content": said[0]}]
    memory.undo(memory.acts.all()[0].id)
    assert [item["content"] for item in run(session.get_items())] == [said[0], said[0]]


def test_words_of_calls_and_results_are_turns_and_recalled_memory_is_not_said_again(memory):
    session = EngrammaSession("s", memory)
    block = fenced("> the harbour is closed", context_key(memory._core.store))
    run(session.add_items([*ITEMS[4:6], {"role": "user", "content": f"{block}\n\nand the river?"}]))
    turns = [turn for _, turn in memory.turns_under(session.conversation)]
    assert [(turn.speaker, turn.role, turn.text) for turn in turns] == [
        ("assistant", "assistant", '[call weather({"city": "Lisbon"})]'),
        ("tool", "tool", "sunny  � and 21°"),
        ("user", "user", "and the river?"),
    ]
    assert block in run(session.get_items())[-1]["content"]


def test_secrets_come_back_masked(memory, tmp_path):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    session = EngrammaSession("s", memory)
    run(session.add_items([
        {"role": "user", "content": f"my token is {token}"},
        {"type": "function_call", "call_id": "c", "name": "login", "arguments": '{"password": "hunter2xyz"}'},
        {"role": "user", "content": "x " * 1_995 + token + " y" * 3_000},
    ]))  # fmt: skip
    items = run(session.get_items())
    assert items[0] == {"role": "user", "content": "my token is [redacted:github-token]"}
    assert "hunter2xyz" not in str(items) and "[redacted:github-token]" in items[2]["content"]
    assert token.encode() not in b"".join(p.read_bytes() for p in (tmp_path / "store").rglob("*") if p.is_file())


def test_a_silence_begins_a_new_sitting_and_the_history_goes_on(memory, monkeypatch):
    session, later = EngrammaSession("s", memory), datetime.now(UTC) + timedelta(hours=2)
    run(session.add_items(ITEMS[:1]))
    monkeypatch.setattr("engramma.apps.adapters.openai_agents.datetime", type("Later", (), {"now": lambda _: later}))
    run(session.add_items(ITEMS[1:2]))
    assert [row.closed for row in memory.sessions(session.conversation)] == [True, False]
    assert run(session.get_items()) == ITEMS[:2]


def test_what_is_no_item_is_refused_and_nothing_of_the_batch_is_stored(memory):
    session = EngrammaSession("s", memory)
    for bad in ("text", {"role": "user", "content": object()}):
        with pytest.raises(BadInput):
            run(session.add_items([ITEMS[0], bad]))
    assert run(session.get_items()) == []


def test_what_is_popped_by_several_at_once_is_popped_once(tmp_path):
    items = [{"role": "user", "content": f"item {number}"} for number in range(8)]

    async def pop_all() -> list[Any]:
        memories = [Memory.open(tmp_path / "store", embedder=HashEmbedder()) for _ in range(3)]
        await EngrammaSession("s", memories[0]).add_items(items)
        popped = await asyncio.gather(*(EngrammaSession("s", memories[n % 3]).pop_item() for n in range(12)))
        for memory in memories:
            memory.close()
        return popped

    popped = run(pop_all())
    assert Counter(item and item["content"] for item in popped) == Counter(
        [*(i["content"] for i in items), *[None] * 4]
    )


def test_several_add_to_one_session_at_once_and_nothing_is_lost(tmp_path):
    async def write() -> list[str]:
        memories = [Memory.open(tmp_path / "store", embedder=HashEmbedder()) for _ in range(2)]

        async def add(name: int) -> None:
            for number in range(8):
                await EngrammaSession("s", memories[name]).add_items([{"role": "user", "content": f"{name} {number}"}])

        await asyncio.gather(add(0), add(1))
        said = [item["content"] for item in await EngrammaSession("s", memories[0]).get_items()]
        for memory in memories:
            memory.close()
        return said

    said = run(write())
    for name in "01":
        assert [text for text in said if text.startswith(name)] == [f"{name} {number}" for number in range(8)]
    assert len(said) == 16


def reply(number: int, *output: dict[str, Any]) -> dict[str, Any]:
    """An answer of the Responses API."""
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1_760_000_000, "model": "scripted",
        "output": output, "status": "completed", "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                  "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}},
    }  # fmt: skip


def says(number: int, text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}


def test_real_runs_against_a_local_server_go_on_from_each_other(memory):
    @function_tool
    def lookup(city: str) -> str:
        """The weather in a city."""
        return f"21 degrees in {city}"

    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "lookup",
        "arguments": '{"city":"Porto"}',
    }
    script = [
        reply(1, call),
        reply(2, says(2, "It is 21 degrees in Porto.")),
        reply(3, says(3, "You asked about Porto.")),
    ]

    async def runs(url: str) -> list[str]:
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="none") as client:
            agent = Agent(name="A", model=OpenAIResponsesModel("scripted", client), tools=[lookup])
            quiet = RunConfig(tracing_disabled=True)
            first = await Runner.run(agent, "Weather in Porto?", session=EngrammaSession("s", memory), run_config=quiet)
            again = await Runner.run(
                agent, "Which city was it?", session=EngrammaSession("s", memory), run_config=quiet
            )
            return [first.final_output, again.final_output]

    with upstream(script) as server:
        assert run(runs(server.url)) == ["It is 21 degrees in Porto.", "You asked about Porto."]
    asked = server.asked[2]["input"]
    kinds = [item.get("type", "message") for item in asked]
    assert kinds == ["message", "function_call", "function_call_output", "message", "message"]
    assert asked[2]["output"] == "21 degrees in Porto" and asked[-1]["content"] == "Which city was it?"
    assert "It is 21 degrees in Porto." in memory.recall("degrees Porto", recipe="vector").context
