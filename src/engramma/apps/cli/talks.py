"""Commands that list and show what was said: sessions, show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import JsonOption, NamespaceOption, StoreOption, opened, out, say, wants_json

if TYPE_CHECKING:
    from ...memory import Memory

Row = Mapping[str, Any]  # of a session, with its conversation's title

TITLE = 60  # characters of a title in a list
NAMELESS = {"title": None, "source": None}
LISTED = 5  # of those that a name could mean


def register(app: typer.Typer) -> None:
    app.command("sessions")(sessions)
    app.command("show")(show)


def sessions(
    conversation: Annotated[
        str | None, typer.Option("--conversation", "-c", help="A part of the conversation's title or of an id.")
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """List the sessions, oldest first, with their conversation's title where it has one."""
    from ...errors import BadInput
    from ..render import as_json

    with opened(store, namespace) as memory:
        rows = titled_sessions(memory)
    if conversation is not None and not (rows := filtered(rows, conversation)):
        raise BadInput(f"No title or id contains {conversation!r:.200}. `engramma sessions` lists what is there.")
    if wants_json(json):
        out(as_json([session_data(row) for row in rows]))
        return
    for row in rows:
        out(session_line(row))
    if not rows:
        say("Nothing is remembered here yet.")


def show(
    what: Annotated[
        str,
        typer.Argument(help="A segment (seg_…, note_…, doc_…), CONVERSATION, SESSION or CONVERSATION/SESSION."),
    ],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show a segment with its edges, a session or a whole conversation, verbatim. The beginning of an id will do."""
    with opened(store, namespace) as memory:
        if what.startswith(("seg_", "note_", "doc_")) and show_segment(memory, what, wants_json(json)):
            return
        rows, is_whole = meant(titled_sessions(memory), what)
        if rows[0]["id"].startswith("note_") and show_segment(memory, rows[0]["id"], wants_json(json)):
            return
        show_talk(memory, rows, is_whole, wants_json(json))


# --- finding -----------------------------------------------------------------------------------


def titled_sessions(memory: Memory) -> list[Row]:
    told = {id: {"title": talk.title or None, "source": talk.source} for id, talk in memory.browse.threads().items()}
    return [{**row, **told.get(row["conversation"], NAMELESS)} for row in memory.sessions()]


def filtered(rows: Sequence[Row], part: str) -> list[Row]:
    """Those of the conversation with this very id, or else with this in their title, conversation or id."""
    wanted = part.casefold()
    same = [row for row in rows if row["conversation"] == part]
    return same or [row for row in rows if wanted in f"{row['title'] or ''}\n{full_id(row)}".casefold()]


def meant(rows: Sequence[Row], name: str) -> tuple[list[Row], bool]:
    """The sessions of the one conversation, or the one session, that a name stands for; whether it is the former.

    An id stands before the beginning of one, and the beginning of an id before a part of a title.
    """
    from ...errors import BadInput

    folded = name.casefold()
    ways = (
        ([row for row in rows if row["conversation"] == name], True),
        ([row for row in rows if name in (row["id"], full_id(row))], False),
        ([row for row in rows if row["conversation"].startswith(name)], True),
        ([row for row in rows if row["id"].startswith(name) or full_id(row).startswith(name)], False),
        ([row for row in rows if row["title"] and folded in row["title"].casefold()], True),
    )
    for found, is_conversation in ways:
        names = list(dict.fromkeys(row["conversation"] if is_conversation else full_id(row) for row in found))
        if len(names) == 1:
            return found, is_conversation
        if names:
            more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
            raise BadInput(f"{name!r:.200} may be any of {', '.join(names[:LISTED])}{more}. Say which.")
    raise BadInput(
        f"There is no segment, session or conversation {name!r:.200}. `engramma sessions` lists what is there."
    )


def full_id(row: Row) -> str:
    return f"{row['conversation']}/{row['id']}"


# --- showing -----------------------------------------------------------------------------------


def session_data(row: Row) -> dict[str, Any]:
    from ...language.times import format_time, from_micros

    return {
        "conversation": row["conversation"],
        "title": row["title"],
        "source": row["source"],
        "session": row["id"],
        "started_at": format_time(from_micros(row["started_at"])),
        "last_at": format_time(from_micros(row["last_at"])),
        "closed": bool(row["closed"]),
        "turns": row["turns"],
        "segments": row["segments"],
    }


def session_line(row: Row) -> str:
    from ...language.text import shorten
    from ...language.times import from_micros, readable
    from ..render import plural

    title = f'"{shorten(row["title"], TITLE)}"  ' if row["title"] else ""
    state = "" if row["closed"] else "  (open)"
    known = f"{title}{full_id(row)}  {plural(row['turns'], 'turn')}{state}{origin(row)}"
    return f"{readable(from_micros(row['started_at']))}  {known}"


def origin(row: Row) -> str:
    """Where a conversation came from, if its source said: an importer's name, or `proxy` for what was captured."""
    return f"  (from {row['source']})" if row["source"] else ""


def show_segment(memory: Memory, segment_id: str, json: bool) -> bool:
    from ...language.times import readable
    from ..render import as_json

    found = memory.segment(segment_id)
    if found is None:
        return False
    segment, links = found
    if json:
        edges = [{"kind": kind, "weight": weight, "segment": other} for kind, weight, other in links]
        out(as_json({"segment": segment, "edges": edges}))
        return True
    out(f"{segment.id}  {readable(segment.said_at)} UTC  turns {', '.join(segment.turn_ids)}")
    out(segment.text if len(segment.turn_ids) > 1 else f"{segment.speakers[0]}: {segment.text}")
    for kind, weight, other in links:
        out(f"  {kind:<8} {weight:.2f}  {other}")
    return True


def show_talk(memory: Memory, rows: Sequence[Row], is_whole: bool, json: bool) -> None:
    """A whole conversation, or a session of it, with every turn."""
    from ...language.times import readable
    from ..render import as_json

    talks = [(row, memory.turns(row["conversation"], row["id"])) for row in rows]
    conversation, title = rows[0]["conversation"], rows[0]["title"]
    if json:
        told = [{"session": row["id"], "turns": turns} for row, turns in talks]
        out(
            as_json(
                {
                    "conversation": conversation,
                    "title": title,
                    "source": rows[0]["source"],
                    **({"sessions": told} if is_whole else told[0]),
                }
            )
        )
        return
    for number, (row, turns) in enumerate(talks):
        state = "closed" if row["closed"] else "open"
        heading = f"{full_id(row)}  {state}" + (f'  "{title}"' if title else "") + origin(row)
        out(("\n" if number else "") + heading)
        for turn in turns:
            assert turn.said_at is not None
            out(f"[{readable(turn.said_at)}] {turn.speaker}: {turn.text}")
