"""docs/reference/mcp.md, written from the server itself: `python -m tests.apps.mcp.page > docs/reference/mcp.md`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from engramma.apps.daemon.memories import Memories
from engramma.apps.mcp import server

HEAD = """# MCP reference
Written from the server by `python -m tests.apps.mcp.page`; how to use it is in [../howto/mcp.md](../howto/mcp.md).
"""


def page() -> str:
    """The whole page."""
    made = server(Memories(Path("nowhere")), "default")
    parts = [HEAD, "## Tools\n", *map(tool, asyncio.run(made.list_tools()))]
    parts.append("## Resources\n")
    listed = [(str(one.uri), one.description) for one in asyncio.run(made.list_resources())]
    listed += [(one.uri_template, one.description) for one in asyncio.run(made.list_resource_templates())]
    parts.append(
        "\n".join(["| URI | what it is |", "|---|---|", *(f"| `{uri}` | {text} |" for uri, text in listed)]) + "\n"
    )
    parts.append("## Prompts\n")
    for prompt in asyncio.run(made.list_prompts()):
        arguments = ", ".join(f"`{one.name}`{'' if one.required else ' (optional)'}" for one in prompt.arguments or ())
        parts.append(f"- `{prompt.name}` ({arguments}): {prompt.description}")
    parts.append("\n## With `--compat reference`\n")
    other = asyncio.run(server(Memories(Path("nowhere")), "default", compat="reference").list_tools())
    parts += [f"- `{one.name}`: {one.description}" for one in other]
    return "\n".join(parts) + "\n"


def tool(one: Any) -> str:
    hints = one.annotations
    told = ["only reads" if hints.read_only_hint else "writes"]
    told += ["may remove"] if hints.destructive_hint else []
    told += ["again changes nothing"] if hints.idempotent_hint else []
    lines = [f"### {one.name}", f"*{', '.join(told)}.* {one.description}", "", "| argument | type | |", "|---|---|---|"]
    needed = set(one.input_schema.get("required", ()))
    for name, schema in one.input_schema["properties"].items():
        about = schema.get("description", "")
        default = "needed" if name in needed else f"default `{schema.get('default')}`"
        lines.append(f"| `{name}` | {kind(schema)} | {default}{'. ' + about if about else ''} |")
    answer = ", ".join(f"`{name}`" for name in one.output_schema["properties"])
    return "\n".join([*lines, "", f"Answers: {answer}.", ""])


def kind(schema: dict[str, Any]) -> str:
    """The type of an argument with its bounds."""
    if "anyOf" in schema:
        return next(kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema:
        return " \\| ".join(f"`{one}`" for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}" + (f", at most {schema['maxItems']}" if "maxItems" in schema else "")
    bounds = [schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")]
    if schema.get("type") == "string" and "maxLength" in schema:
        return f"string, at most {schema['maxLength']:,} characters"
    return str(schema.get("type")) + (f", {bounds[0]} to {bounds[1]}" if None not in bounds else "")


if __name__ == "__main__":
    print(page(), end="")
