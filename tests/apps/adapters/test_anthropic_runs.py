"""The memory tool in real runs: the SDK's own loop against a local server that speaks its protocol."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic

from engramma.apps.adapters.anthropic import AsyncEngrammaMemoryTool, EngrammaMemoryTool
from engramma.apps.adapters.memory_files import MemoryFiles
from tests.apps.adapters.upstream import upstream

pytestmark = pytest.mark.long

HEAD = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:"


def reply(*blocks: dict[str, Any]) -> dict[str, Any]:
    stop = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
    return {
        "id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": list(blocks),
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def uses(number: int, **command: Any) -> dict[str, Any]:
    return reply({"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": command})


SCRIPT = [
    uses(1, command="view", path="/memories"),
    uses(2, command="create", path="/memories/prefs.md", file_text="Likes tea.\n"),
    uses(3, command="str_replace", path="/memories/prefs.md", old_str="coffee", new_str="tea"),
    uses(4, command="insert", path="/memories/prefs.md", insert_line=1, insert_text="Lives in Porto.\n"),
    reply({"type": "text", "text": "Noted."}),
]
RESULTS = [
    (HEAD.format("/memories") + "\n0B\t/memories", None),
    ("File created successfully at: /memories/prefs.md", None),
    ("No replacement was performed, old_str `coffee` did not appear verbatim in /memories/prefs.md.", True),
    ("The file /memories/prefs.md has been edited.", None),
]
ASKED: dict[str, Any] = {
    "model": "scripted", "max_tokens": 100, "messages": [{"role": "user", "content": "I like tea and live in Porto."}],
}  # fmt: skip


def told(server: Any) -> list[tuple[str, bool | None]]:
    """What the model was told after each command."""
    results = [asked["messages"][-1]["content"][0] for asked in server.asked[1:]]
    return [(as_text(result["content"]), result.get("is_error")) for result in results]


def as_text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def test_a_real_run_against_a_local_server(memory):
    with upstream(SCRIPT) as server, Anthropic(base_url=server.url, api_key="none") as client:
        last = client.beta.messages.tool_runner(tools=[EngrammaMemoryTool(memory)], **ASKED).until_done()
    assert last.content[0].text == "Noted."
    assert told(server) == RESULTS
    assert server.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert MemoryFiles(memory).read("/memories/prefs.md") == "Likes tea.\nLives in Porto.\n"


def test_a_real_asynchronous_run_against_a_local_server(memory):
    async def ask(url: str) -> Any:
        async with AsyncAnthropic(base_url=url, api_key="none") as client:
            return await client.beta.messages.tool_runner(tools=[AsyncEngrammaMemoryTool(memory)], **ASKED).until_done()

    with upstream(SCRIPT) as server:
        assert asyncio.run(ask(server.url)).content[0].text == "Noted."
    assert told(server) == RESULTS
    assert MemoryFiles(memory).read("/memories/prefs.md") == "Likes tea.\nLives in Porto.\n"
