"""What the tools cost before anything is asked: a client puts their schemas before the model in every conversation."""

from __future__ import annotations

import asyncio
import json

from mcp import Client

from engramma import Memory
from engramma.apps.daemon.memories import Memories
from engramma.apps.mcp import server
from engramma.language.text import estimate_tokens

MOST = 2_500  # tokens of all tools together


def test_all_tools_together_take_few_tokens(tmp_path):
    Memory.open(tmp_path / "store").close()
    memories = Memories(tmp_path / "store")

    async def listed():
        async with Client(server(memories, "default")) as client:
            return [tool.model_dump(mode="json", by_alias=True) for tool in (await client.list_tools()).tools]

    tools = asyncio.run(listed())
    memories.close()
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    tokens = [estimate_tokens(json.dumps(one, ensure_ascii=False, separators=(",", ":"))) for one in shown]
    assert len(tokens) == 10 and sum(tokens) <= MOST
