"""Finds what a caller names: conversations and sessions as they are stored, segments and turns by their ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from ..errors import BadInput
from ..language.handles import parse_handle, place_hash
from ..language.text import parse_segment_id, segment_id
from ..store.masks import Mask, masked_name
from ..store.store import SessionRow, encode_keys
from .core import Core

SHOWN = 10  # turns that an id could mean
MAX_NAME = 1_000  # characters of a name that are looked for places to cut it
MOST_CUTS = 24  # such places: each two of them are a question to the database


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
    asked = json.dumps([name]) if what == "speaker" else name
    return name if len(core.store.keys("turns_by_place", **{**bounds, what: asked})) else clean


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


# Between a conversation and a turn, as commands print the two: talk/t3, "talk t3", "talk, turn t3".
_BEFORE_TURN = re.compile(r"/|, turn | ")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # in no id


def turn_keys(core: Core, name: str, conversation: str | None = None, session: str | None = None) -> list[int]:
    """The keys of the turns that a name means: their id, alone or behind the conversation, or that and the session.

    Several where the id is that of turns in several sessions, or where the name can be read in several ways: no turn is
    forgotten for another. `conversation` and `session` are bounds, as stored.
    """
    found = dict[int, None]()
    for talk, place, id in turn_names(name):
        if talk is not None and conversation not in (None, talk := conversation_name(core, talk)):
            continue
        if place is not None and session not in (None, place):
            continue
        bounds = {
            "conversation": conversation if talk is None else talk,
            "session": session if place is None else place,
        }
        found |= dict.fromkeys(map(int, core.store.keys("turns_with_id", id=id, **bounds).tolist()))
    return list(found)


def key_by_turn(core: Core, name: str) -> int | None:
    """The key of the segment with the turn that a name means; None without one, refused where it could mean several."""
    if _UNSTORABLE.search(name):
        return None
    turns = encode_keys(turn_keys(core, name))
    rows = [row for row in core.store.all("turns_by_keys", keys=turns) if not row["hidden"]]
    if len(rows) > 1:
        ids = "\n".join(f"  {row['conversation']}/{row['session_id']}/{row['id']}" for row in rows[:SHOWN])
        raise BadInput(f"{name!r:.200} is the id of {len(rows):,} turns. Give one of these instead:\n{ids}")
    segments = core.store.all("segments_of_turns", keys=encode_keys([row["key"] for row in rows]))
    return next((int(row["key"]) for row in segments), None)


def turn_names(name: str) -> Iterator[tuple[str | None, str | None, str]]:
    """Each (conversation, session, id of a turn) that a name may be, the plain id first: ids may hold any sign."""
    yield None, None, name
    found = islice(_BEFORE_TURN.finditer(name[:MAX_NAME]), MOST_CUTS)
    cuts = [(name[: cut.start()], name[cut.end() :]) for cut in found]
    for talk, id in cuts:
        yield talk, None, id
    for talk, rest in cuts:
        for cut in islice(_BEFORE_TURN.finditer(rest[:MAX_NAME]), MOST_CUTS):
            yield talk, rest[: cut.start()], rest[cut.end() :]


def known_key(core: Core, id: str) -> int:
    """The key of a segment that has to be there."""
    if (key := segment_key(core, id)) is None:
        raise BadInput(f"There is no segment {id!r:.200} in this memory.")
    return key
