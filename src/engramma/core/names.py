"""Finds what a caller names: conversations and sessions under the names they are stored by, segments by their ids."""

from __future__ import annotations

from typing import Any, Literal

from ..errors import BadInput
from ..language.handles import parse_handle, place_hash
from ..language.text import parse_segment_id, segment_id
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


def user_name(core: Core) -> str:
    """What the user is called, as `me` was told; empty where nobody has said."""
    row = core.store.one("entity_me")
    return "" if row is None else str(row["name"])


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


def segment_key(core: Core, id: str) -> int | None:
    """The key of a segment by its id or its short handle, whatever its state; None if there is none."""
    if not isinstance(id, str):
        return None
    if (place := parse_segment_id(id)) is not None:
        conversation, session = session_place(core, *place[:2])
    elif (place := handle_place(core, id)) is not None:
        conversation, session = place[:2]
    else:
        return None
    row = core.store.one("segment_key", conversation=conversation, session=session, idx=place[2])
    return None if row is None else int(row["key"])


def handle_place(core: Core, handle: str) -> tuple[str, str, int] | None:
    """(conversation, session, index) that a short handle means; refused where it could mean two."""
    if (wanted := parse_handle(handle)) is None:
        return None
    named = ((row["conversation"], row["id"]) for row in core.store.all("session_names"))
    places = [(*place, wanted[1]) for place in named if place_hash(*place) == wanted[0]]
    if len(places) > 1:
        ids = ", ".join(repr(segment_id(*place)) for place in places[:5])
        raise BadInput(f"{handle} could mean several segments: give one of these ids instead: {ids}.")
    return places[0] if places else None


def known_key(core: Core, id: str) -> int:
    """The key of a segment that has to be there."""
    if (key := segment_key(core, id)) is None:
        raise BadInput(f"There is no segment {id!r:.200} in this memory.")
    return key
