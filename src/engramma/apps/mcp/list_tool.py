"""The tool memory_list: what there is, without a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult
from pydantic import Field

from ...language.fence import fenced, marked, unfenced
from ...language.quoting import ID_CHARACTERS, name_line, quoted
from ...language.text import estimate_tokens, shorten
from ...language.times import format_time
from .args import Name, Offset, Tokens
from .models import Item, Listed
from .token_budget import DEFAULT_TOKENS, FRAME
from .tool_context import READS, ToolContext, helped, tell_result

if TYPE_CHECKING:
    from ...memory import Memory

Kind = Literal["notes", "conversations", "sessions", "documents", "people", "topics", "acts"]
LONGEST = 140  # characters of a note in a list


def register(server: MCPServer, desk: ToolContext) -> None:
    @server.tool("memory_list", "List what is remembered", annotations=READS)
    @helped
    def memory_list(
        kind: Kind = "notes",
        tag: Annotated[Name | None, Field(description="Only notes with this tag.")] = None,
        conversation: Annotated[Name | None, Field(description="Only sessions of this conversation.")] = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 30,
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, Listed]:
        """List what there is. To find something by what it is about, use memory_search.

        Use it to find ids and names for the other tools, or acts that memory_forget can undo. Pass next_offset as
        offset for the next page.
        """
        every = LISTS[kind](desk.memory(), tag, conversation)
        return tell_result(*_page(kind, every, limit, offset, max_tokens, desk.memory().fence_key))


def _page(kind: str, every: Sequence[Item], limit: int, offset: int, max_tokens: int, key: bytes) -> tuple[Listed, str]:
    """So many items as fit, from an offset on."""
    left, items, lines = max_tokens - FRAME, list[Item](), list[str]()
    for item in every[offset : offset + limit]:
        line = _line_of(item, has_words=kind == "notes")
        used = max(estimate_tokens(item.model_dump_json()), estimate_tokens(line)) + 2
        if used > left and items:
            break
        left -= used
        items.append(item)
        lines.append(line)
    end = offset + len(items)
    model = Listed(kind=kind, items=items, total=len(every), next_offset=end if end < len(every) else None)
    if not items:
        nothing = f"There are no {kind} here." if not every else f"There are only {len(every)} {kind}."
        return model, nothing
    rest = f"\n{len(every) - end} more: ask again with offset {end}." if model.next_offset is not None else ""
    return model, fenced("\n".join(lines), key) + rest


def _line_of(item: Item, *, has_words: bool) -> str:
    """An item in one line, its names as they can be shown; a note's words, which we quoted, stand below it.

    Whether they are quoted is told by the kind of list, never by the text: a title may look like our marks.
    """
    quoted_text = item.text if has_words else None
    text = None if item.text is None or has_words else name_line(item.text, 240)
    counted = None if item.count is None else f"{item.count:,} parts"
    parts = [name_line(item.id, ID_CHARACTERS), text, counted, item.last_at or item.first_at]
    parts += [" ".join(f"#{name_line(tag)}" for tag in item.tags) or None, item.state]
    line = " | ".join(part for part in parts if part)
    return line if quoted_text is None else f"{line}\n{unfenced(quoted_text)}"


def _notes(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    key = memory.fence_key
    return [
        Item(
            id=note.id,
            text=marked(quoted(shorten(note.text, LONGEST)), key),
            first_at=format_time(note.created),
            tags=list(note.tags),
        )
        for note in reversed(memory.notes.all(tag))
    ]


def _conversations(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    titles = {id: thread.title for id, thread in memory.browse.threads().items()}
    found: dict[str, Item] = {}
    for one in reversed(_sessions(memory, tag, conversation)):
        name = one.id.partition("/")[0] if one.text is None else one.text
        item = found.setdefault(name, Item(id=name, text=titles.get(name), count=0, first_at=one.first_at))
        item.count = (item.count or 0) + (one.count or 0)
        item.last_at = max(item.last_at or "", one.last_at or "")
    return sorted(found.values(), key=lambda item: item.last_at or "", reverse=True)


def _sessions(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    """Newest first; `text` is the conversation, the id is session and conversation together."""
    from ...language.text import DOCUMENTS, NOTES

    return [
        Item(
            id=f"{row.conversation}/{row.id}",
            text=row.conversation,
            count=row.turns,
            first_at=format_time(row.started_at),
            last_at=format_time(row.last_at),
            state="closed" if row.closed else "open",
        )
        for row in reversed(memory.sessions(conversation))
        if row.conversation not in (NOTES, DOCUMENTS) and row.turns
    ]


def documents(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    return [Item(id=name, count=chunks) for name, chunks in memory.documents.all()]


def _people(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    return [Item(id=one.name, count=one.turns, **_first_and_last(one)) for one in memory.browse.people()]


def _topics(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    return [
        Item(id=f"topic:{topic.id}", text=topic.name, count=topic.size, **_first_and_last(topic))
        for topic in memory.topics.all(strongest=0)
    ]


def _first_and_last(one: Any) -> dict[str, Any]:
    """When a thing was first spoken of, and when last."""
    return {"first_at": format_time(one.first_said_at), "last_at": format_time(one.last_said_at)}


def _acts(memory: Memory, tag: str | None, conversation: str | None) -> list[Item]:
    return [
        Item(
            id=str(act.id),
            text=f"{act.kind}: {shorten(act.reason, 200)}",
            last_at=format_time(act.at),
            state="undone" if act.undone_at else "stands",
        )
        for act in memory.acts.all(1_000)
    ]


LISTS: dict[str, Callable[[Memory, str | None, str | None], list[Item]]] = {
    "notes": _notes,
    "conversations": _conversations,
    "sessions": _sessions,
    "documents": documents,
    "people": _people,
    "topics": _topics,
    "acts": _acts,
}
