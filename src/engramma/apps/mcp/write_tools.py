"""The tools that write: memory_add, memory_update, memory_forget, memory_ingest, memory_link."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from ...language.fence import fenced, marked
from ...language.quoting import name_line, quoted
from ...records import Forgotten, Link
from .args import Day, Id, Name
from .documents import read_path, read_text
from .models import Added, Forgot, Linked, LinkInfo, Read, Updated
from .tool_context import ADDS, REMOVES, REPLACES, ToolContext, helped, parse_moment, tell_result

MAX_NOTE = 20_000
MAX_DOCUMENT = 4_000_000

Text = Annotated[str, Field(min_length=1, max_length=MAX_NOTE)]
Tags = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=50)]
Kind = Literal["related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after"]


def register(server: MCPServer, desk: ToolContext) -> None:
    @server.tool("memory_add", "Remember a note", annotations=ADDS)
    @helped
    def memory_add(
        text: Annotated[Text, Field(description="One fact in a full sentence.")],
        tags: Tags = [],  # noqa: B006  # pydantic copies it
        speaker: Annotated[Name, Field(description="Who said or decided it.")] = "user",
        source: Annotated[Name | None, Field(description="A file, a ticket, a URL.")] = None,
        ttl_days: Annotated[int | None, Field(ge=1, le=36_500, description="How long it is worth keeping.")] = None,
        strength: Annotated[float, Field(ge=0, le=1, description="How much it matters.")] = 0.5,
        meta: dict[str, str] = {},  # noqa: B006  # pydantic copies it
    ) -> Annotated[CallToolResult, Added]:
        """Store a note for later conversations: a preference, decision, fact, date, or how something was solved.

        Use it when the user says "remember" or states something that will matter again. One fact per note, names
        and dates spelled out. Do not store what memory itself returned. For long texts use memory_ingest; to correct
        a note, memory_update.
        """
        memory = desk.to_add("memory_add")
        own = memory.redactor.own_words(text)
        if not own.strip():
            raise ToolError("This text came from memory, so it is already stored. Use your own words.")
        ttl = None if ttl_days is None else timedelta(days=ttl_days)
        kept = memory.remember(own, speaker=speaker, tags=tags, ttl=ttl, source=source, strength=strength, meta=meta)
        masked = sorted({one.rule for one in memory.redactor.mask(own).redactions})
        model = Added(
            id=kept.note.id,
            is_new=kept.is_new,
            similarity=kept.similarity,
            tags=list(kept.note.tags),
            masked=masked,
            links=[link_info(link) for link in kept.links],
        )
        line = f"Remembered as {model.id}." if kept.is_new else f"Known already: counted as a repeat of {model.id}."
        line += f" Masked before storing: {', '.join(masked)}." if masked else ""
        return tell_result(model, line)

    @server.tool("memory_update", "Correct a note", annotations=REPLACES)
    @helped
    def memory_update(
        id: Annotated[Id, Field(description="The note's id (note_...).")],
        text: Annotated[Text | None, Field(description="What is true now; the old note is superseded.")] = None,
        tags: Annotated[Tags | None, Field(description="Its new tags, all of them.")] = None,
    ) -> Annotated[CallToolResult, Updated]:
        """Correct a note that is no longer true, or change its tags. memory_forget with undo undoes it.

        What was said in conversations and documents is never changed: add a note and link it with memory_link
        (contradicts).
        """
        if text is None and tags is None:
            raise ToolError("Give text, tags or both.")
        memory = desk.to_add("memory_update")
        if text is None:
            assert tags is not None
            note, act = memory.notes.retag(id, tags)
            model = Updated(id=note.id, tags=list(note.tags), act=act)
            return tell_result(
                model, f"{note.id} has the tags {', '.join(map(name_line, note.tags)) or '(none)'}." + undoing(act)
            )
        note, act = memory.notes.revise(id, memory.redactor.own_words(text), tags=tags)
        model = Updated(id=note.id, replaces=id, tags=list(note.tags), act=act)
        return tell_result(model, f"{note.id} replaces {id}." + undoing(act))

    @server.tool("memory_forget", "Forget", annotations=REMOVES)
    @helped
    def memory_forget(
        ids: Annotated[list[Id] | None, Field(max_length=200, description="Segment or turn ids.")] = None,
        query: Annotated[str | None, Field(max_length=1_000, description="What contains exactly these words.")] = None,
        person: Annotated[Name | None, Field(description="What this speaker said.")] = None,
        conversation: Name | None = None,
        session: Name | None = None,
        since: Day | None = None,
        until: Day | None = None,
        confirm: Annotated[bool, Field(description="False: only preview.")] = False,
        undo: Annotated[int | None, Field(ge=1, lt=2**63, description="Undo this act.")] = None,
    ) -> Annotated[CallToolResult, Forgot]:
        """Forget what matches all the given criteria. It is hidden, not deleted; undo it with the act returned.

        Only at the user's request. Call it without confirm first, show the user what would be forgotten, and call
        again with confirm=true.
        """
        memory = desk.to_write("memory_forget", "admin")
        if undo is not None:
            act = memory.undo(undo)
            return tell_result(Forgot(status="undone", act=act.id), f"Act {act.id} ({act.kind}) was undone.")
        done = memory.forget(
            ids,
            query=query,
            speaker=person,
            conversation=conversation,
            session=session,
            since=parse_moment("since", since),
            until=parse_moment("until", until, end=True),
            preview=not confirm,
        )
        return tell_result(*forget_result(done, memory.fence_key))

    @server.tool("memory_ingest", "Read a document", annotations=ADDS)
    @helped
    def memory_ingest(
        text: Annotated[str | None, Field(max_length=MAX_DOCUMENT, description="The document itself.")] = None,
        name: Annotated[Name | None, Field(description="A document of the same name is replaced.")] = None,
        path: Annotated[str | None, Field(max_length=4_096, description="A file or folder, on a local server.")] = None,
    ) -> Annotated[CallToolResult, Read]:
        """Read a document into memory: Markdown, text, HTML, PDF, code. For single facts use memory_add.

        Give `text` with a `name` (notes.md), or a `path` if this server runs on the user's machine.
        """
        if (text is None) == (path is None):
            raise ToolError("Give either text (with a name) or path.")
        memory = desk.to_add("memory_ingest")
        if path is not None:
            report = read_path(memory, path, name, desk.roots)
        elif not name:
            raise ToolError("A text needs a name that identifies the document, such as meeting-2026-03-01.md.")
        else:
            report = read_text(memory, memory.redactor.own_words(text or ""), name)
        problems = [f"{p.where}: {p.reason}" for p in report.problems[:10]]
        counted = {name: getattr(report, name) for name in Read.model_fields if name != "problems"}
        model = Read(**counted, problems=problems)
        line = f"Read {report.documents}: {report.added} parts added, {report.unchanged} unchanged"
        return tell_result(model, "\n".join([f"{line}, {report.removed} removed.", *problems]))

    @server.tool("memory_link", "Link two memories", annotations=ADDS)
    @helped
    def memory_link(
        source_id: Id,
        kind: Kind,
        target_id: Id,
        label: Annotated[str | None, Field(max_length=500, description="Your own label for it.")] = None,
        weight: Annotated[float, Field(gt=0, le=1)] = 1.0,
        remove: Annotated[bool, Field(description="Remove the link instead.")] = False,
    ) -> Annotated[CallToolResult, Linked]:
        """Link two memories that should be found together: a correction, a reason, the steps of a procedure.

        source_id `kind` target_id reads as a sentence: A contradicts B, A part_of B, A caused_by B.
        """
        memory = desk.to_write("memory_link")
        if remove:
            gone = memory.links.remove(source_id, kind, target_id)
            model = Linked(status="removed" if gone else "nothing")
            return tell_result(model, "Link removed." if gone else "There was no such link.")
        made = link_info(memory.links.add(source_id, kind, target_id, weight=weight, label=label, author="assistant"))
        return tell_result(Linked(status="linked", link=made), f"{made.source} {made.kind} {made.target}")


def link_info(link: Link) -> LinkInfo:
    return LinkInfo(
        **{**{name: getattr(link, name) for name in LinkInfo.model_fields}, "weight": round(link.weight, 3)}
    )


def forget_result(done: Forgotten, key: bytes) -> tuple[Forgot, str]:
    """What forgetting took or would take, with a sample of it."""
    from ..render import plural

    amount = f"{plural(done.turns, 'turn')} in {plural(done.sessions, 'session')}"
    if not (done.turns or done.repeats):
        return Forgot(status="nothing"), "Nothing matches these criteria, so nothing was forgotten."
    sample = fenced("\n".join(map(quoted, done.sample)), key)
    status: Literal["preview", "forgotten"] = "preview" if done.act is None else "forgotten"
    model = Forgot(
        status=status,
        act=done.act,
        turns=done.turns,
        segments=done.segments,
        sessions=done.sessions,
        sample=[marked(quoted(line), key) for line in done.sample],
    )
    if done.act is None:
        return model, f"This would forget {amount}, such as:\n{sample}\nCall again with confirm=true to do it."
    return model, f"Forgot {amount}.{undoing(done.act)}"


def undoing(act: int | None) -> str:
    return "" if act is None else f" memory_forget with undo={act} undoes it."
