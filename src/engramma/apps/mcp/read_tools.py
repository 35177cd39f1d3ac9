"""The tools that only read: memory_search, memory_context, memory_get, memory_timeline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from ...language.fence import fenced
from ...language.graphemes import first_characters
from ...language.handles import handle_of
from ...language.quoting import name_line
from ...language.text import estimate_tokens
from ...recall.across_namespaces import Together, recall_together, write_namespace_head
from ...recall.assemble import Entry, entries_within
from ...records import Candidate, Recall
from ...records import Query as Asking
from .args import Day, Id, Name, Offset, Query, Tokens
from .facts import answer_to, cost, facts_to, room_beside
from .get_tool import get_result
from .models import Answered, Brief, Found, Hit, Shown, Timeline
from .token_budget import DEFAULT_TOKENS, FRAME, UNKNOWN, Thing, block_text, entry_hit, fit_hits
from .tool_context import READS, ToolContext, helped, parse_moment, tell_result

Namespaces = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=200)]] | None,
    Field(max_length=100, description='Search several at once: their names, or "*" for all.'),
]
BEST = "best"  # who asks for one fact can wait a quarter of a second for the right order
SPARE = 4  # hits found beyond the limit: they take the place of repeats and of fragments
LEAST_ROOM = 80  # tokens of the hits
AROUND_CONTEXT = 40  # tokens of what stands around a context
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
        speaker: Name | None = None,
        since: Day | None = None,
        until: Day | None = None,
        tag: Name | None = None,
        source: Name | None = None,
    ) -> Annotated[CallToolResult, Found]:
        """Find what was said, noted or read before: verbatim, best first, each hit with its date, title and id.

        Use it before answering anything about the user, earlier conversations, decisions, names, dates or documents.
        `found: false` means that memory does not know: say so, do not guess. For more than single facts use
        memory_context; for what was said when or by whom, memory_timeline.
        """
        begin, end = parse_moment("since", since), parse_moment("until", until, end=True)
        asked = Asking(query, limit, conversation=conversation, archived=include_archived)
        asked = replace(asked, speaker=speaker, since=begin, until=end, tag=tag, source=source)
        if namespaces:
            several = desk.several(namespaces)
            wide = recall_together(several, asked)
            return tell_result(*wide_result(wide, max_tokens, next(iter(several.values())).fence_key), lean=True)
        memory, room = desk.memory(), room_beside(max_tokens, FRAME)
        recalled = memory.recall(replace(asked, k=limit + SPARE), recipe=BEST)
        if any((speaker, since, until, tag, source)):  # an answer and facts may rest on what is outside of them
            return tell_result(*search_result(recalled, limit, max_tokens, memory.fence_key), lean=True)
        answer = answer_to(memory, query, conversation, room) if recalled.candidates else None
        facts = facts_to(memory, recalled, conversation, room - (cost(answer[0]) if answer else 0))
        return tell_result(*search_result(recalled, limit, max_tokens, memory.fence_key, answer, facts), lean=True)

    @server.tool("memory_context", "Brief from memory", annotations=READS)
    @helped
    def memory_context(
        query: Query,
        max_tokens: Tokens = DEFAULT_TOKENS,
        conversation: Name | None = None,
        as_of: Annotated[Day | None, Field(description="With what was known then.")] = None,
    ) -> Annotated[CallToolResult, Brief]:
        """Context for a question within a token budget: what matters, best first, with what was said around it.

        Use it at the start of a task or before a longer answer; for one fact, memory_search. `found: false` means that
        memory does not know.
        """
        memory, at = desk.memory(), parse_moment("as_of", as_of, end=True)
        budget = max_tokens - AROUND_CONTEXT - max_tokens // 20
        while True:
            recalled = memory.recall(query, conversation=conversation, budget_tokens=budget, as_of=at)
            model, text = brief_result(recalled)
            used = max(estimate_tokens(text), tokens_of(model))
            if used <= max_tokens or budget < 80:
                return tell_result(model, text, lean=True)
            budget = max(79, budget - (used - max_tokens) - 20)

    @server.tool("memory_get", "Get one memory", annotations=READS)
    @helped
    def memory_get(
        id: Id,
        around: Annotated[int, Field(ge=0, le=20, description="How many memories before and after it.")] = 0,
        offset: Annotated[Offset, Field(description="Character to start at.")] = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, Shown]:
        """Get one memory by its id, in full, with its source, links and tags; `around`: what was said before and after.

        Use it to read what was cut (at […]), or more of the conversation.
        """
        return tell_result(*get_result(desk.memory(), id, around, offset, max_tokens))

    @server.tool("memory_timeline", "Timeline of what was said", annotations=READS)
    @helped
    def memory_timeline(
        about: Query | None = None,
        person: Annotated[Name | None, Field(description="Only what this speaker said.")] = None,
        since: Day | None = None,
        until: Annotated[Day | None, Field(description="A bare date includes that day.")] = None,
        conversation: Name | None = None,
        newest_first: bool = False,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, Timeline]:
        """What was said, in chronological order: about something, by a person, between two dates, or all of these.

        Use it for "what changed", "what did Ana say in March", "what happened last" (newest_first). Pass next_offset
        as offset for the next page.
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
        found = {c.conversation_id: c.title for c in things if isinstance(c, Candidate)}
        named = {s.conversation_id for s in things} - found.keys()
        threads = {name: memory.browse.thread(name) for name in named}
        titles = found | {name: None if thread is None else thread.title for name, thread in threads.items()}
        hits, blocks = fit_hits(things[:limit], max_tokens, key, titles)
        more = len(things) > len(hits)
        model = Timeline(items=hits, next_offset=offset + len(hits) if more else None, notes=notes)
        rest = f"\nThere is more: ask again with offset {model.next_offset}." if more else ""
        return tell_result(model, block_text(blocks, key) + rest, lean=True)


def search_result(
    recalled: Recall,
    limit: int,
    max_tokens: int,
    key: bytes,
    answer: tuple[Answered, str] | None = None,
    facts: Sequence[str] = (),
) -> tuple[Found, str]:
    """A recall as ranked hits, under its answer and the facts beside it."""
    shown, notes = first_characters(recalled.query, 300), list(recalled.trace.notes)
    if not recalled.candidates and not facts:
        return Found(query=shown, found=False, hits=[], notes=notes), UNKNOWN
    known = fenced("\n\n".join(facts), key) if facts else None
    beside = (cost(answer[0]) if answer else 0) + (estimate_tokens(known) + 4 if known else 0)
    wanted = len(entries_hits(entries_within(recalled.candidates, None, most=limit)[0], key))
    room = max_tokens - FRAME // 2 - beside
    while True:
        entries, _ = entries_within(recalled.candidates, max(1, room), most=limit) if recalled.candidates else ([], 0)
        hits = entries_hits(entries, key)
        left_out = wanted - len(hits)
        model = Found(
            query=shown,
            found=True,
            hits=hits,
            answer=answer[0] if answer else None,
            facts=known,
            left_out=left_out,
            notes=notes,
        )
        told = [answer[1]] if answer else []
        text = block_text([*told, *facts, *(entry.text for entry in entries)], key) + _rest(left_out)
        over = max(estimate_tokens(text), tokens_of(model)) - max_tokens
        if over <= 0 or (room <= LEAST_ROOM and not beside):
            return model, text
        if room <= LEAST_ROOM:  # long names leave no room beside them
            return search_result(recalled, limit, max_tokens, key, answer if facts else None)
        room = max(LEAST_ROOM, room - over - 4)


def entries_hits(entries: Sequence[Entry], key: bytes) -> list[Hit]:
    """Each entry with what belongs to it as one hit."""
    own = list[tuple[Entry, list[Entry]]]()
    for entry in entries:
        if entry.head.role == "entry" or not own:
            own.append((entry, []))
        else:
            own[-1][1].append(entry)
    return [entry_hit(entry, beside, key) for entry, beside in own]


def _rest(left_out: int) -> str:
    return f"\n{left_out} more did not fit in max_tokens." if left_out else ""


def tokens_of(model: Found | Brief) -> int:
    return estimate_tokens(json.dumps(model.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False))


def wide_result(found: Together, max_tokens: int, key: bytes) -> tuple[Found, str]:
    """A recall over several namespaces as ranked hits, each with its namespace."""
    shown, notes = (
        first_characters(found.query, 300),
        [f"searched the namespaces {', '.join(map(name_line, found.namespaces))}"],
    )
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
        text = block_text(lines, key) + _rest(left_out)
        if len(hits) == 1 or max(estimate_tokens(text), tokens_of(model)) <= max_tokens:
            return model, text
        hits, blocks = hits[:-1], blocks[:-1]  # their namespaces take room, too


def brief_result(recalled: Recall) -> tuple[Brief, str]:
    """A recall as one block with its sources."""
    shown, notes = first_characters(recalled.query, 300), list(recalled.trace.notes)
    if not recalled.candidates:
        model = Brief(query=shown, found=False, context="", citations=[], tokens=0, notes=notes)
        return model, UNKNOWN
    left_out = recalled.trace.counts.get("left_out_of_context", 0)
    model = Brief(
        query=shown,
        found=True,
        context=recalled.context,
        citations=list(map(handle_of, recalled.shown)),
        tokens=recalled.tokens,
        left_out=left_out,
        notes=notes,
    )
    return model, recalled.context + _rest(left_out)
