"""The tools that only read: memory_search, memory_context, memory_get, memory_timeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from ...language.fence import fenced
from ...language.quoting import ID_CHARACTERS, name_line
from ...language.text import estimate_tokens
from ...memory import recall_together
from ...recall.across_namespaces import Together, write_namespace_head
from ...records import Candidate, Recall
from ...records import Query as Asking
from .args import Day, Id, Name, Offset, Query, Tokens
from .facts import answer_line, answer_to, cost, facts_to, room_beside
from .get_tool import get_result
from .models import Answered, Brief, Found, Shown, Timeline
from .token_budget import DEFAULT_TOKENS, FRAME, UNKNOWN, Thing, block_text, citation, fit_hits
from .tool_context import READS, ToolContext, helped, parse_moment, tell_result

Namespaces = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=200)]] | None,
    Field(max_length=100, description='Several at once, shared and private: their names, or "*" for all you may read.'),
]
RANKED = 200  # matches among which a timeline about something looks


def register(server: MCPServer, desk: ToolContext) -> None:
    @server.tool("memory_search", "Search memory", annotations=READS)
    @helped
    def memory_search(
        query: Query,
        limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of hits.")] = 8,
        conversation: Name | None = None,
        include_archived: bool = False,
        max_tokens: Tokens = DEFAULT_TOKENS,
        namespaces: Namespaces = None,
    ) -> Annotated[CallToolResult, Found]:
        """Find what was said, noted or read before, best match first, verbatim and with sources.

        Use it before answering anything about the user, earlier conversations, decisions, names, dates or documents.
        Ask in full sentences. `found: false` means that memory does not know: say so, do not guess. For a ready block
        to answer from, use memory_context; for what was said when or by whom, memory_timeline. A question ("Where does
        Ana work?") also gets an `answer`, or why there is none, and `facts` where the graph has them.
        """
        asked = Asking(query, limit, conversation=conversation, archived=include_archived)
        if namespaces:
            several = desk.several(namespaces)
            wide = recall_together(several, asked)
            return tell_result(*wide_result(wide, max_tokens, next(iter(several.values())).fence_key))
        memory, room = desk.memory(), room_beside(max_tokens, FRAME)
        recalled = memory.recall(asked)
        answer = answer_to(memory, query, conversation, room) if recalled.candidates else None
        facts = facts_to(memory, query, conversation, room - (cost(answer) if answer else 0))
        return tell_result(*search_result(recalled, max_tokens, memory.fence_key, answer, facts))

    @server.tool("memory_context", "Brief from memory", annotations=READS)
    @helped
    def memory_context(
        query: Query,
        max_tokens: Tokens = DEFAULT_TOKENS,
        conversation: Name | None = None,
        as_of: Annotated[Day | None, Field(description="Answer with what was known at that time.")] = None,
    ) -> Annotated[CallToolResult, Brief]:
        """Context for a question within a token budget: the turns that matter and those around them, in time order.

        Use it to get up to speed at the start of a task or before a longer answer. memory_search is the better choice
        for one fact with its score. `found: false` means that memory does not know.
        """
        memory, at = desk.memory(), parse_moment("as_of", as_of, end=True)
        budget = int((max_tokens - FRAME) * 0.75)
        while True:
            recalled = memory.recall(query, 12, conversation=conversation, budget_tokens=budget, as_of=at)
            model, text = brief_result(recalled)
            used = max(estimate_tokens(text), estimate_tokens(model.model_dump_json()))
            if used <= max_tokens or budget < 80:
                return tell_result(model, text)
            budget = max(79, budget - (used - max_tokens) - 20)

    @server.tool("memory_get", "Get one memory", annotations=READS)
    @helped
    def memory_get(
        id: Id,
        around: Annotated[int, Field(ge=0, le=20, description="How many segments before and after it to show.")] = 0,
        offset: Annotated[Offset, Field(description="Character to start at, for a text that was cut.")] = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, Shown]:
        """Get one memory by its id, in full, with its links, tags and, with `around`, what was said before and after.

        Use it on an id from another tool's result: to read a text that was cut, or to see more of the conversation.
        """
        return tell_result(*get_result(desk.memory(), id, around, offset, max_tokens))

    @server.tool("memory_timeline", "Timeline of what was said", annotations=READS)
    @helped
    def memory_timeline(
        about: Query | None = None,
        person: Annotated[Name | None, Field(description="Only what this speaker said.")] = None,
        since: Day | None = None,
        until: Annotated[Day | None, Field(description="A date without a time includes that day.")] = None,
        conversation: Name | None = None,
        newest_first: bool = False,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, Timeline]:
        """What was said, in chronological order: about something, by a person, between two dates, or all of these.

        Use it for "when", "what changed", "what did Ana say in March", "what happened last" (newest_first). Without
        `about` it lists everything that matches. Use next_offset for the next page.
        """
        memory = desk.memory()
        begin, end = parse_moment("since", since), parse_moment("until", until, end=True)
        names = None if person is None else memory.browse.spellings(person)
        if names == []:
            raise ToolError(f"Nobody named {person!r:.100} spoke here. memory_list with kind people lists who did.")
        notes = list[str]()
        things: list[Thing]
        if about is None:
            things = list(
                memory.browse.segments(
                    since=begin,
                    until=end,
                    speaker=person,
                    conversation=conversation,
                    newest_first=newest_first,
                    limit=limit + 1,
                    offset=offset,
                )
            )
        else:
            matches = memory.recall(about, RANKED, conversation=conversation).entries
            inside = [
                c
                for c in matches
                if (begin is None or c.said_at >= begin)
                and (end is None or c.said_at < end)
                and (names is None or set(names) & set(c.speakers))
            ]
            ordered = sorted(inside, key=lambda c: (c.said_at, c.conversation_id, c.session_id))
            things = list((ordered[::-1] if newest_first else ordered)[offset : offset + limit + 1])
            notes = [f"the {len(matches)} best matches were considered"] if len(matches) == RANKED else []
        if not things:
            return tell_result(Timeline(items=[], notes=notes), f"{UNKNOWN} Nothing matches these filters.")
        key = memory.fence_key
        hits, blocks = fit_hits(things[:limit], max_tokens, key)
        more = len(things) > len(hits)
        model = Timeline(items=hits, next_offset=offset + len(hits) if more else None, notes=notes)
        rest = f"\nThere is more: ask again with offset {model.next_offset}." if more else ""
        return tell_result(model, block_text(blocks, key) + rest)


def search_result(
    recalled: Recall, max_tokens: int, key: bytes, answer: Answered | None = None, facts: Sequence[str] = ()
) -> tuple[Found, str]:
    """A recall as ranked hits, under its answer and the facts beside it."""
    shown = recalled.query[:300]
    if not recalled.candidates and not facts:
        return Found(query=shown, found=False, hits=[], notes=list(recalled.trace.notes)), UNKNOWN
    known = fenced("\n\n".join(facts), key) if facts else None
    beside = (cost(answer) if answer else 0) + (estimate_tokens(known) + 4 if known else 0)
    hits, blocks = fit_hits(list(recalled.candidates), max_tokens - beside, key)
    left_out = len(recalled.candidates) - len(hits)
    notes = list(recalled.trace.notes)
    model = Found(query=shown, found=True, hits=hits, answer=answer, facts=known, left_out=left_out, notes=notes)
    blocks = [*([answer_line(answer)] if answer else []), *facts, *blocks]
    rest = f"\n{left_out} more did not fit: use a larger max_tokens or a more specific query." if left_out else ""
    text = block_text(blocks, key) + rest
    if beside and max(estimate_tokens(text), estimate_tokens(model.model_dump_json())) > max_tokens:
        return search_result(recalled, max_tokens, key, answer if facts else None)  # long ids leave no room beside them
    return model, text


def wide_result(found: Together, max_tokens: int, key: bytes) -> tuple[Found, str]:
    """A recall over several namespaces as ranked hits, each with its namespace."""
    shown, notes = found.query[:300], [f"searched the namespaces {', '.join(map(name_line, found.namespaces))}"]
    if not found.candidates:
        return Found(query=shown, found=False, hits=[], notes=notes), UNKNOWN
    hits, blocks = fit_hits([one.candidate for one in found.candidates], max_tokens, key)
    while True:
        named = [
            one.model_copy(update={"namespace": placed.namespace})
            for one, placed in zip(hits, found.candidates, strict=False)
        ]
        left_out = len(found.candidates) - len(hits)
        model = Found(query=shown, found=True, hits=named, left_out=left_out, notes=notes)
        lines = [
            f"{write_namespace_head(one.namespace or '')}\n{text}" for one, text in zip(named, blocks, strict=True)
        ]
        rest = f"\n{left_out} more did not fit: use a larger max_tokens or a more specific query." if left_out else ""
        text = block_text(lines, key) + rest
        if len(hits) == 1 or max(estimate_tokens(text), estimate_tokens(model.model_dump_json())) <= max_tokens:
            return model, text
        hits, blocks = hits[:-1], blocks[:-1]  # their namespaces take room, too


def brief_result(recalled: Recall) -> tuple[Brief, str]:
    """A recall as one block with its sources."""
    shown, notes = recalled.query[:300], list(recalled.trace.notes)
    if not recalled.candidates:
        model = Brief(query=shown, found=False, context="", citations=[], tokens=0, notes=notes)
        return model, UNKNOWN
    left_out = recalled.trace.counts.get("left_out_of_context", 0)
    used = in_context(recalled)
    model = Brief(
        query=shown,
        found=True,
        context=recalled.context,
        citations=[citation(c) for c in used],
        tokens=recalled.tokens,
        left_out=left_out,
        notes=notes,
    )
    sources = ", ".join(name_line(c.segment_id, ID_CHARACTERS) for c in used)
    lines = [recalled.context, f"Sources, for memory_get: {sources}"]
    if left_out:
        lines.append(f"{left_out} more did not fit: use a larger max_tokens or a more specific query.")
    return model, "\n".join(lines)


def in_context(recalled: Recall) -> list[Candidate]:
    """The candidates that the context shows, in its order; of one that was cut, the first."""
    from ...recall.assemble import block

    places = [(recalled.context.find(block(c)), c) for c in recalled.candidates]
    shown = [c for at, c in sorted(((at, c) for at, c in places if at >= 0), key=lambda pair: pair[0])]
    return shown or list(recalled.candidates[:1])
