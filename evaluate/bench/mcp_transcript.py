"""A real MCP client over stdio asks `engramma mcp` about the demo conversations; prints what it gets, word for word.

python evaluate/bench/mcp_transcript.py > docs/explanation/mcp-transcript.md
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from engramma import Memory

HEAD = """# What an assistant gets: a transcript

A client of the MCP SDK over stdio, `engramma mcp --read-only`, and the conversations of `engramma demo`. Every result
is printed as it arrived (`python evaluate/bench/mcp_transcript.py`); only the tags of the fences are other ones in your
store. The format is explained in [the context block](context.md).
"""
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_search", {"query": "Why can Jonas not eat the cashew tart?", "limit": 3}),
    ("memory_search", {"query": "When does Mira move to Ghent?", "limit": 2, "max_tokens": 500}),
    ("memory_context", {"query": "What do I have to know for the farewell picnic?", "max_tokens": 600}),
    ("memory_search", {"query": "Who won the chess championship?"}),
)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "demo")
        with Memory.open(store) as memory:
            memory.import_(Path(str(resources.files("engramma.apps") / "demo" / "conversations.jsonl")))
        command = str(Path(sys.executable).with_name("engramma"))
        served = StdioServerParameters(command=command, args=["mcp", "--read-only", "--store", str(store)])
        print(HEAD)
        async with Client(served) as client:
            first = ""
            for tool, arguments in CALLS:
                result = await client.call_tool(tool, arguments)
                show(tool, arguments, result)
                hits = result.structured_content.get("hits") or [{}]
                first = first or hits[0].get("id", "")
            more = {"id": first, "around": 1}
            show("memory_get", more, await client.call_tool("memory_get", more))


def show(tool: str, arguments: dict[str, Any], result: Any) -> None:
    print(f"## `{tool}` {json.dumps(arguments)}\n\n```text")
    print("\n".join(block.text for block in result.content))
    print("```\n")


if __name__ == "__main__":
    asyncio.run(main())
