"""Selects the turns that a request to forget covers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..core.core import Core
from ..core.names import segment_key, turn_keys
from ..core.speakers import stored_speakers
from ..errors import BadInput
from ..language.text import fold_text
from ..language.times import check_moment, to_micros
from ..store.store import Store, encode_keys

CHUNK = 20_000  # turns whose words are read at a time


@dataclass(frozen=True, slots=True)
class Selection:
    """What to forget: everything that meets all of the bounds given."""

    ids: Sequence[str] | None = None
    query: str | None = None
    speaker: str | None = None
    conversation: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def bounded(self) -> bool:
        """Whether turns are chosen by who, where and when."""
        given = (self.speaker, self.conversation, self.session, self.since, self.until)
        return any(value is not None for value in given)


def checked_wish(wish: Selection) -> Selection:
    """Refuse a wish that means nothing, or everything."""
    if wish.ids is None and wish.query is None and not wish.bounded:
        raise BadInput(
            "Give what to forget: ids, a query, a speaker, a conversation, a session or a time range. "
            "To forget everything, delete the namespace."
        )
    if wish.ids is not None and (isinstance(wish.ids, str) or not all(isinstance(id, str) for id in wish.ids)):
        raise BadInput("ids must be a list of segment or turn ids.")
    if wish.query is not None and not (isinstance(wish.query, str) and fold_text(wish.query)):
        raise BadInput("The query is empty. Give words contained in what you want to forget.")
    if wish.query is not None and not any(sign.isalnum() for sign in wish.query):
        raise BadInput(
            f"{wish.query!r:.80} stands in nearly everything. Give words contained in what you want to forget."
        )
    for name, value in (("since", wish.since), ("until", wish.until)):
        if value is not None:
            check_moment(name, value)
    return wish


def chosen_turns(core: Core, wish: Selection) -> set[int]:
    """The keys of the turns meant."""
    found: set[int] | None = None
    store = core.store
    if wish.bounded:
        rows = store.keys(
            "turns_by_place",
            conversation=wish.conversation,
            session=wish.session,
            speaker=None if wish.speaker is None else json.dumps(stored_speakers(store, wish.speaker)),
            since=None if wish.since is None else to_micros(wish.since),
            until=None if wish.until is None else to_micros(wish.until),
        )
        found = set(rows.tolist())
    if wish.ids is not None:
        named = turns_named(core, wish)
        found = named if found is None else found & named
    if wish.query is not None:
        found = saying(store, fold_text(wish.query), found)
    assert found is not None
    return found


def turns_named(core: Core, wish: Selection) -> set[int]:
    """The turns of segments, or turns themselves, by their ids."""
    assert wish.ids is not None
    segments, turns = set[int](), set[int]()
    for id in wish.ids:
        if (key := segment_key(core, id)) is not None:
            segments.add(key)
            continue
        found = turn_keys(core, id, wish.conversation, wish.session)
        if not found:
            raise BadInput(f"There is no segment or turn {id!r:.200} in this memory. Nothing was forgotten.")
        if len(found) > 1:
            raise BadInput(
                f"{len(found)} turns have the id {id!r:.200}. Nothing was forgotten: give the conversation and the "
                "session."
            )
        turns.update(found)
    return turns | set(core.store.keys("turns_in_segments", keys=encode_keys(sorted(segments))).tolist())


def saying(store: Store, phrase: str, among: set[int] | None) -> set[int]:
    """The turns that have the phrase in them, however it is spaced, capitalised and accented."""
    found, after = set[int](), -1
    while rows := store.all("turn_texts", after=after, limit=CHUNK):
        found |= {row["key"] for row in rows if phrase in fold_text(row["text"])}
        after = rows[-1]["key"]
    return found if among is None else found & among


def repeats_saying(store: Store, phrase: str) -> list[tuple[int, str]]:
    """Repeats of notes that have the phrase in them, as (the note's key, the repeat's id)."""
    return [(row["key"], row["id"]) for row in store.all("repeat_texts") if phrase in fold_text(row["text"])]
