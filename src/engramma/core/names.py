"""Finds what a caller names: conversations and sessions under the names they are stored by, segments by their ids."""

from __future__ import annotations

from typing import Any, Literal

from ..errors import BadInput
from ..language.text import parse_segment_id
from ..store.masks import Mask, masked_name
from ..store.store import SessionRow
from .core import Core


def session_place(core: Core, conversation: str, session: str, mask: Mask | None = None) -> tuple[str, str]:
    """Where a session is kept: under its masked names, or, until a scan, under those it was stored with before."""
    talk = conversation_name(core, conversation, mask)
    name = masked_name(session, mask or core.look)
    return (talk, session) if name != session and core.store.session(talk, session) else (talk, name)


def conversation_name(core: Core, conversation: str, mask: Mask | None = None) -> str:
    """The name a conversation is kept under: masked, or, until a scan, as it was stored before."""
    name = masked_name(conversation, mask or core.look)
    if name != conversation and core.store.one("conversation_get", id=conversation) is not None:
        return conversation
    return name


def find_stored_name(core: Core, what: Literal["conversation", "session", "speaker"], name: str) -> str:
    """A name that something is looked for by: as it was stored before masking, if it was, or masked."""
    clean = masked_name(name, core.look) if isinstance(name, str) else name
    if clean == name:
        return name
    bounds: dict[str, Any] = dict.fromkeys(("conversation", "session", "speaker", "since", "until"))
    return name if len(core.store.keys("turns_by_place", **{**bounds, what: name})) else clean


def find_session(core: Core, conversation: str, session: str) -> SessionRow:
    """A session that has to be there."""
    conversation, session = session_place(core, conversation, session)
    row = core.store.session(conversation, session)
    if row is None:
        raise BadInput(f"There is no session {session!r} in conversation {conversation!r}.")
    return row


def segment_key(core: Core, segment_id: str) -> int | None:
    """The key of a segment by its id, whatever its state; None if there is none."""
    place = parse_segment_id(segment_id) if isinstance(segment_id, str) else None
    if place is None:
        return None
    conversation, session = session_place(core, *place[:2])
    row = core.store.one("segment_key", conversation=conversation, session=session, idx=place[2])
    return None if row is None else int(row["key"])


def known_key(core: Core, segment_id: str) -> int:
    """The key of a segment that has to be there."""
    if (key := segment_key(core, segment_id)) is None:
        raise BadInput(f"There is no segment {segment_id!r:.200} in this memory.")
    return key
