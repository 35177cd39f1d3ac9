"""Commands that list and show what was said: sessions, show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import BadInput
from ...language.handles import parse_handle
from ...language.text import DOCUMENTS, NOTES, file_title, fold_text, short_title, speaker_name
from ...language.times import HERE, format_time, local_minute, zoned_minute
from ..conversation_names import TITLE, document_file, may_mean, near_or_all
from ..styled import Styled
from .common import command, open_memory, tell

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import SessionInfo, Turn

KEPT = {NOTES: "note", DOCUMENTS: "document"}


@command("sessions")
def _sessions(
    conversation: Annotated[
        str | None, typer.Option("--conversation", "-c", help="Part of the conversation's title or of an id.")
    ] = None,
) -> None:
    """List the sessions, oldest first, with their conversation's title if it has one."""

    with open_memory() as memory:
        rows = memory.sessions()
    if conversation is not None and not (rows := filtered(rows, conversation)):
        raise BadInput(f"No title or id contains {conversation!r:.200}. `engramma sessions` lists them.")
    shown = [row for row in rows if row.turns or not row.closed]  # all of the others is forgotten
    files = Counter(document_file(row) for row in shown if row.conversation == DOCUMENTS)
    lines = (session_line(row, files[document_file(row)] > 1) for row in shown)
    none = "Nothing is remembered here yet." if not rows else "All of it is forgotten; `engramma undo` brings it back."
    tell([session_data(row) for row in rows], lines, *([none] if not shown else []))


@command("show")
def _show(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT",
            help="A segment (its handle or id), CONVERSATION, SESSION or CONVERSATION/SESSION; of a turn, its "
            "id or CONVERSATION/TURN.",
        ),
    ],
) -> None:
    """Show a segment with its edges, a session or a whole conversation, verbatim. The beginning of an id will do."""
    what = " ".join(words)
    with open_memory() as memory:
        is_segment = what.startswith(("seg_", "note_", "doc_")) or parse_handle(what) is not None
        if is_segment and show_segment(memory, what):
            return
        known = memory.sessions()
        is_id = any(what in (row.conversation, row.id, full_id(row)) for row in known)
        if not is_id and show_segment(memory, what, by_turn=True):
            return
        rows, is_whole = meant(known, what)
        if rows[0].id.startswith("note_") and show_segment(memory, rows[0].id):
            return
        show_talk(memory, rows, is_whole)


# --- finding -----------------------------------------------------------------------------------


def filtered(rows: Sequence[SessionInfo], part: str) -> list[SessionInfo]:
    """Those of the conversation with this very id, or else with this in their title, conversation or id."""
    wanted = fold_text(part)
    same = [row for row in rows if row.conversation == part]
    return same or [row for row in rows if wanted in fold_text(f"{row.title or ''}\n{full_id(row)}")]


def meant(rows: Sequence[SessionInfo], name: str) -> tuple[list[SessionInfo], bool]:
    """The sessions of the one conversation, or the one session, that a name stands for; whether it is the former.

    An id stands before the beginning of one, the beginning of an id before a title, and that before a part of one. A
    document is found by its file's name, or by a part of its path.
    """

    folded = fold_text(name).rstrip("…") or name  # a long title is printed cut
    documents = [row for row in rows if row.conversation == DOCUMENTS]
    ways = (
        ([row for row in rows if row.conversation == name], True),
        ([row for row in rows if name in (row.id, full_id(row))], False),
        ([row for row in rows if row.conversation.startswith(name)], True),
        ([row for row in rows if row.id.startswith(name) or full_id(row).startswith(name)], False),
        ([row for row in rows if row.title and folded == fold_text(row.title)], True),
        ([row for row in documents if folded in (document_file(row), document_file(row).rpartition(".")[0])], False),
        ([row for row in rows if row.title and folded in fold_text(row.title)], True),
        ([row for row in documents if folded in fold_text(row.id)], False),
    )
    for found, is_conversation in ways:
        firsts: dict[str, SessionInfo] = {}
        for row in found:
            firsts.setdefault(row.conversation if is_conversation else full_id(row), row)
        if len(firsts) == 1:
            return found, is_conversation
        if firsts:
            raise BadInput("\n".join(may_mean(name, firsts)))
    raise BadInput(f"There is no segment, turn, session or conversation {name!r:.200}. {near_or_all(name, rows)}")


def full_id(row: SessionInfo) -> str:
    return f"{row.conversation}/{row.id}"


# --- showing -----------------------------------------------------------------------------------


def session_data(row: SessionInfo) -> dict[str, Any]:

    return {
        "conversation": row.conversation,
        "title": row.title,
        "source": row.source,
        "session": row.id,
        "started_at": format_time(row.started_at),
        "last_at": format_time(row.last_at),
        "closed": row.closed,
        "turns": row.turns,
        "segments": row.segments,
    }


def session_line(row: SessionInfo, with_path: bool = False) -> Styled:
    """A session with its title and id; a document by its file's name, with its path where others have that name."""
    from ..render import plural

    title = [(f'"{short_title(row.title, TITLE)}"', "title"), ("  ", "")] if row.title else []
    name = [(full_id(row), "dim" if title else "")]
    if row.conversation == DOCUMENTS:
        title, name = [(f'"{file_title(row.id)}"', "title")], [(f"  {row.id}", "dim")] if with_path else []
    elif row.conversation == NOTES:
        name = [(row.id, "")]
    state = "" if row.closed else "  (open)"
    rest = f"  {plural(row.turns, 'turn')}{state}{origin(row)}"
    return Styled((f"{local_minute(row.started_at)}  ", "dim"), *title, *name, (rest, ""))


def origin(row: SessionInfo) -> str:
    """Where a conversation came from, if its source said: an importer's name, or `proxy` for what was captured."""
    if row.conversation in KEPT:
        return f"  ({KEPT[row.conversation]})"
    return f"  (from {row.source})" if row.source else ""


def show_segment(memory: Memory, segment_id: str, by_turn: bool = False) -> bool:
    if (found := memory.segment(segment_id, by_turn=by_turn)) is None:
        return False
    from ..render import segment_text

    segment, links = found
    edges = [{"kind": kind, "weight": weight, "segment": other} for kind, weight, other in links]
    lines = [
        f"{segment.id}  {zoned_minute(segment.said_at)}  turns {', '.join(segment.turn_ids)}",
        segment_text(segment, memory.user_name),
        *(f"  {kind:<8} {weight:.2f}  {other}" for kind, weight, other in links),
    ]
    tell({"segment": segment, "edges": edges}, lines)
    return True


def show_talk(memory: Memory, rows: Sequence[SessionInfo], is_whole: bool) -> None:
    """A whole conversation, or a session of it, with every turn."""
    talks = [(row, memory.turns(row.conversation, row.id)) for row in rows]
    about = {"conversation": rows[0].conversation, "title": rows[0].title, "source": rows[0].source}
    told = [{"session": row.id, "turns": turns} for row, turns in talks]
    me = memory.user_name
    lines = (line for number, talk in enumerate(talks) for line in talk_lines(*talk, me, is_first=not number))
    empty = [turns for _, turns in talks if not turns]  # hidden: what was purged is no session any more
    which = "All of it" if len(empty) == len(talks) else "Every session without a turn here"
    back = f"{which} is forgotten. `engramma acts` shows by which act; `engramma undo` with its number brings it back."
    tell({**about, **({"sessions": told} if is_whole else told[0])}, lines, *([back] if empty else []))


def talk_lines(row: SessionInfo, turns: Sequence[Turn], me: str, *, is_first: bool) -> Iterator[str]:
    state = "closed" if row.closed else "open"
    title = f'  "{row.title}"' if row.title else ""
    name = row.id if row.conversation in KEPT else full_id(row)
    zone = f"  (times in {row.started_at.astimezone(HERE).tzname()})"
    yield Styled(("" if is_first else "\n", ""), (f"{name}  {state}{title}{origin(row)}", "title"), (zone, "dim"))
    for turn in turns:
        assert turn.said_at is not None
        who = speaker_name(turn.speaker, me)
        yield Styled((f"[{local_minute(turn.said_at)}] ", "dim"), (f"{who}: ", "speaker"), (turn.text, ""))
