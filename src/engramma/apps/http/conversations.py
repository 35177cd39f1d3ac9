"""Paths about conversations, sessions and turns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...memory import Memory
from ...recall.session_pages import Sitting
from ...records import RememberReport, SessionInfo, Turn
from .problems import RequestRefused
from .request import Asked, Limit, Offset, Where, Writing
from .request_models import Name, SessionIn, TurnsIn
from .response_models import ConversationOut, JsonAnswer, Page, SessionOut, SessionTurns, Told, page
from .write_turns import follow_live, remember_turns

paths = APIRouter(tags=["talk"])

ConversationParam = Annotated[Name, Query(description="The conversation's id.")]


@paths.get("/conversations", response_model=Page[ConversationOut], summary="List the conversations")
def list_conversations(where: Asked, offset: Offset = 0, limit: Limit = 100) -> JsonAnswer:
    """Every conversation with its size, most recent first."""
    memory = where.memory
    named = memory.browse.threads()
    found: dict[str, list[SessionInfo]] = {}
    for row in memory.sessions():
        found.setdefault(row.conversation, []).append(row)
    listed = [
        ConversationOut(
            conversation=id,
            title=named[id].title if id in named else None,
            source=named[id].source if id in named else None,
            started_at=min(row.started_at for row in rows),
            last_at=max(row.last_at for row in rows),
            sessions=len(rows),
            turns=sum(row.turns for row in rows),
        )
        for id, rows in found.items()
    ]
    listed.sort(key=lambda one: (one.last_at, one.conversation), reverse=True)
    return JsonAnswer(page(listed, offset, limit))


@paths.get("/sessions", response_model=Page[SessionOut], summary="List the sessions")
def list_sessions(
    where: Asked,
    conversation: Annotated[Name | None, Query(description="Only this conversation.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> JsonAnswer:
    """Sessions with their times, state and size, oldest first."""
    listed = page(where.memory.sessions(conversation), offset, limit)
    return JsonAnswer(Page([session_out(row) for row in listed.items], listed.total, listed.next))


@paths.get("/session", response_model=SessionTurns, summary="Read a session")
def get_session(
    where: Asked,
    conversation: ConversationParam,
    session: Annotated[Name, Query(description="The session's id.")],
) -> JsonAnswer:
    """A session's turns, verbatim, in the order in which they came."""
    memory, row = found_session(where, conversation, session)
    return JsonAnswer(
        {
            "conversation": row.conversation,
            "session": row.id,
            "closed": row.closed,
            "turns": [turn_out(turn) for turn in memory.turns(row.conversation, row.id)],
        }
    )


@paths.post("/turns", response_model=Told, summary="Remember what was said")
def add_turns(where: Writing, told: TurnsIn) -> JsonAnswer:
    """Turns of a session, closed or still open. They can be recalled as soon as the response arrives.

    Turns with your own `id` or `said_at` are stored once, so a request may safely be repeated.
    """
    memory, now = where.memory, datetime.now(UTC)
    turns = [Turn(t.speaker, t.text, t.said_at or now, t.id, t.role) for t in told.turns]
    writes, session = where.face.writes, told.session
    if session is None:
        session, ids, report = follow_live(writes, memory, told.conversation, turns, close=told.close)
    else:
        ids, report = remember_turns(writes, memory, told.conversation, session, turns, close=told.close)
    return JsonAnswer(
        Told(memory.redactor.mask_name(told.conversation), memory.redactor.mask_name(session), ids, report)
    )


@paths.post("/sessions/close", name="close_session", response_model=RememberReport, summary="Close a session")
def post_session_close(where: Writing, named: SessionIn) -> JsonAnswer:
    """Ends a session: it enters the graph and the archive. Closing twice is fine."""
    memory, row = found_session(where, named.conversation, named.session)
    with where.face.writes.alone():
        return JsonAnswer(memory.close_session(row.conversation, row.id))


def found_session(where: Where, conversation: str, session: str) -> tuple[Memory, Sitting]:
    """A session by its names, or by what they are stored as if there is a secret in them."""
    memory = where.memory
    if (found := memory.browse.sitting(conversation, session)) is not None:
        return memory, found
    raise RequestRefused(
        404, f"There is no session {session!r:.200} in {conversation!r:.200}. GET /api/sessions lists them."
    )


def session_out(row: SessionInfo) -> SessionOut:
    return SessionOut(
        conversation=row.conversation,
        session=row.id,
        started_at=row.started_at,
        last_at=row.last_at,
        closed=row.closed,
        turns=row.turns,
        segments=row.segments,
    )


def turn_out(turn: Turn) -> dict[str, Any]:
    names = ("speaker", "text", "said_at", "id", "role")
    return {**{name: getattr(turn, name) for name in names}, "meta": dict(turn.meta)}
