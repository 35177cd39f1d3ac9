"""Prompts: recall something before answering, and remember what matters in a conversation."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from .read_tools import brief_result
from .token_budget import DEFAULT_TOKENS
from .tool_context import ToolContext


def register(server: MCPServer, desk: ToolContext) -> None:
    @server.prompt("recall", title="Recall", description="Answer from memory, with sources.")
    def recall(about: Annotated[str, Field(description="A question or a subject.", max_length=4_000)]) -> str:
        found = desk.memory().recall(about, budget_tokens=DEFAULT_TOKENS)
        _, text = brief_result(found)
        return (
            f"{text}\n\nAnswer this from the memory above: {about}\n"
            "Name the date and who said it. If the memory does not say, answer that you do not know; "
            "memory_search finds more."
        )

    if desk.read_only:
        return

    @server.prompt("remember", title="Remember", description="Remember what matters in this conversation.")
    def remember(
        what: Annotated[
            str, Field(description="What to remember; by default what matters in this conversation.", max_length=4_000)
        ] = "",
    ) -> str:
        subject = what.strip() or "what was decided, learnt and preferred in this conversation"
        return (
            f"Remember {subject}.\n"
            "Call memory_add once for each fact, in full sentences that can be understood without this conversation, "
            "with names and dates. First use memory_search to see what is already known: correct a note that is no "
            "longer true with "
            "memory_update, and do not add what memory itself returned. Leave out secrets. Then say in one line what "
            "you remembered."
        )
