"""How much of what an assistant is given is what was said: memory_search and memory_context, asked as a client asks.

    python evaluate/bench/payload_shares.py longmemeval_oracle.json[.gz] [--searches 50] [--store DIR] [--json OUT]
    python evaluate/bench/payload_shares.py --schemas      what the tools' schemas cost, and nothing else

The talks of the file are imported as a ChatGPT export, with its ids and titles, into a store (kept in DIR, if given, so
that two versions can be asked over the same one). The first questions of the file are then asked of an MCP server. A
token counts as talk if it stands in a quoted line whose words were said; everything else is overhead: labels, names,
marks, fences. Beside the shares stand the tokens, the hits, the smallest hit, and for how many questions the words of
the expected answer are in what was shown. The outcome is in docs/log/payload.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import export_chatgpt
from mcp import Client

from engramma import Memory
from engramma.apps.daemon.memories import Memories
from engramma.apps.mcp import server
from engramma.evaluate.task import parse_data_set, read_bytes
from engramma.language.quoting import QUOTE, unquoted
from engramma.language.text import estimate_tokens

CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("memory_search", "memory_search", {}),
    ("memory_context", "memory_context", {}),
    ("memory_context, 600 tokens", "memory_context", {"max_tokens": 600}),
    ("memory_context, 300 tokens", "memory_context", {"max_tokens": 300}),
)
LEAST_OF_ANSWER = 0.7  # of its words
WORD = re.compile(r"[a-z0-9]+")
FUNCTION_WORDS = frozenset("a an the of in on at to and or is was it i my you your for with by from".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Payload:
    """One result: what it costs as text and as data, how much of that was said, and its hits' lengths."""

    tokens: int
    talk: int
    data_tokens: int
    data_talk: int
    hits: tuple[int, ...]
    has_answer: bool | None


def quotations(text: str) -> Iterator[str]:
    """Each run of quoted lines, as it was stored."""
    run = list[str]()
    for line in (*text.split("\n"), ""):
        if line.startswith(QUOTE.rstrip()):
            run.append(line)
        elif run:
            yield unquoted(run)
            run = []


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_in(inner)


def words_of(text: object) -> list[str]:
    found = WORD.findall(str(text).lower().replace(",", ""))
    return [word.rstrip("s") if len(word) > 3 else word for word in found if word not in FUNCTION_WORDS]


def shows(text: str, answer: object) -> bool | None:
    """Whether most of an answer's words stand in a text; None for an answer that is a paragraph."""
    wanted, there = words_of(answer), set(words_of(text))
    if not wanted or len(wanted) > 8:
        return None
    return sum(word in there for word in wanted) / len(wanted) >= LEAST_OF_ANSWER


def measured(result: Any, everything: str, answer: object) -> Payload:
    """What one result is made of; a quotation that nobody said word for word is no talk."""
    text = "\n".join(block.text for block in result.content)
    said = [one for one in quotations(text) if one.strip() and one in everything]
    data = result.structured_content
    within = [one for string in strings_in(data) for one in quotations(string) if one.strip() and one in everything]
    blocks = [hit["text"] for hit in data["hits"]] if "hits" in data else _entries(data.get("context") or "")
    hits = tuple(sum(map(len, quotations(block))) for block in blocks)
    return Payload(
        estimate_tokens(text),
        sum(map(estimate_tokens, said)),
        estimate_tokens(json.dumps(data, ensure_ascii=False, separators=(",", ":"))),
        sum(map(estimate_tokens, within)),
        hits,
        shows("\n".join(said), answer),
    )


def _entries(block: str) -> list[str]:
    return [part for part in block.split("\n\n") if part.startswith("[") or "\n[" in part]


async def ask(store: Path, rows: Sequence[dict[str, Any]], everything: str) -> dict[str, Any]:
    """Every question put to every tool."""
    memories, found = Memories(store), dict[str, Any]()
    try:
        async with Client(server(memories, "default", read_only=True)) as client:
            for name, tool, options in CALLS:
                results = list[Payload]()
                for row in rows:
                    result = await client.call_tool(tool, {"query": row["question"], **options})
                    results.append(measured(result, everything, row["answer"]))
                found[name] = summed(results)
    finally:
        memories.close()
    return {"schemas_tokens": sum((await schemas(store)).values()), **found}


async def schemas(store: Path) -> dict[str, int]:
    """The tokens of each tool, as a client puts it before a model: name, description and parameters."""
    memories = Memories(store)
    try:
        async with Client(server(memories, "default")) as client:
            listed = [tool.model_dump(mode="json", by_alias=True) for tool in (await client.list_tools()).tools]
    finally:
        memories.close()
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in listed]
    told = {tool["name"]: json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in shown}
    return {name: estimate_tokens(text) for name, text in told.items()}


def summed(results: Sequence[Payload]) -> dict[str, Any]:
    hits = [length for one in results for length in one.hits]
    answers = [one.has_answer for one in results if one.has_answer is not None]
    return {
        "searches": len(results),
        "talk_share": round(100 * sum(one.talk for one in results) / sum(one.tokens for one in results), 1),
        "data_share": round(100 * sum(one.data_talk for one in results) / sum(one.data_tokens for one in results), 1),
        "tokens": round(statistics.mean(one.tokens for one in results)),
        "talk_tokens": round(statistics.mean(one.talk for one in results)),
        "hits": round(statistics.mean(len(one.hits) for one in results), 1),
        "smallest_hit": min(hits, default=0),
        "hits_below_20_characters": sum(length < 20 for length in hits),
        "shows_answer": round(100 * sum(answers) / len(answers), 1),
        "answers": len(answers),
    }


def fill(store: Path, data: Path) -> None:
    """The file's talks, imported as a ChatGPT export."""
    if (store / "memory.db").exists():
        return
    talks = export_chatgpt.talks(data)
    with tempfile.TemporaryDirectory() as folder, Memory.open(store) as memory:
        export = Path(folder, "conversations.json")
        export.write_text(json.dumps([export_chatgpt.conversation(*talk, 0) for talk in talks]), encoding="utf-8")
        memory.import_(export)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="A LongMemEval file.")
    parser.add_argument("--schemas", action="store_true", help="Only count the tools' schemas.")
    parser.add_argument("--searches", type=int, default=50)
    parser.add_argument("--store", type=Path, help="Where the store is kept.")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.schemas:
        with tempfile.TemporaryDirectory() as folder:
            Memory.open(Path(folder, "store")).close()
            tools = asyncio.run(schemas(Path(folder, "store")))
        print(json.dumps({"tools": tools, "tokens": sum(tools.values())}, indent=1))
        return
    if given.data is None:
        parser.error("Give a LongMemEval file, or --schemas.")
    rows = parse_data_set(read_bytes(given.data, "a LongMemEval file"), given.data, "a LongMemEval file")
    asked = [row for row in rows if not row["question_id"].endswith("_abs")][: given.searches]
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or Path(folder, "store")
        fill(store, given.data)
        with Memory.open(store) as memory:
            said = (turn.text for talk in memory.conversations() for one in talk.sessions for turn in one.turns)
            everything = "\n\0".join(said)
        found = asyncio.run(ask(store, asked, everything))
    told = json.dumps(found, indent=1)
    print(told)
    if given.json:
        given.json.write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
