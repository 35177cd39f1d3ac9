"""Tombstones: what was purged does not come back. A keyed hash says which turn it was, and nothing about it.

A turn may have been stored with its secrets and come back without, or the other way round. So a purge buries it
as it is stored and as it is masked, and what comes is looked up in both forms as well.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from ..language.text import chunk_hash, digest, fit_title, spaced_text
from ..language.times import format_time
from ..records import Turn
from ..redaction import redact
from .keys import FINGERPRINTS, TOMBSTONES, own_key
from .masks import Mask, masked_name, unmasked
from .store import Store

BATCH = 10_000
MADE_OF_WORDS = re.compile(r"(?:t-|c-|note_)[0-9a-f]{16}(?:-\d+)?")  # an id that another form of the words changes
# Ids that stand for one turn of a conversation, in whatever session: made of its content, or Telegram's own.
OF_CONTENT = re.compile(r"[0-9a-f]{24}")
TELEGRAM = re.compile(r"telegram-(?:user|chat|channel)-?[0-9]+")
TELLING = 3  # words of a title that tell what was said; a shorter one ("New chat") may be any conversation's


def names_one(conversation: str, id: str) -> bool:
    """Whether an id stands for one turn of the whole conversation, so that its session and its zone do not matter."""
    return bool(OF_CONTENT.fullmatch(id) or TELEGRAM.fullmatch(conversation))


def hashes(key: bytes, conversation: str, session: str, turn: Turn) -> tuple[str, ...]:
    """A turn by its place, by its words and, where its id is enough, by that: one of them is the same wherever it is
    imported from. The first is its place."""
    assert turn.id is not None and turn.said_at is not None
    parts: list[tuple[str, ...]] = [
        ("place", conversation, session, turn.id),
        ("words", turn.speaker, format_time(turn.said_at), turn.text),
    ]
    if names_one(conversation, turn.id):
        parts.append(("id", conversation, turn.id, turn.speaker, turn.text))
    return tuple(hmac.digest(key, digest(*part), "sha256")[:16].hex() for part in parts)


def masked_hashes(key: bytes, conversation: str, session: str, turn: Turn, mask: Mask) -> tuple[str, ...]:
    """The same of the turn as masking would store it."""
    assert turn.id is not None
    speaker, text, id = masked_name(turn.speaker, mask), mask(turn.text).text, masked_name(turn.id, mask)
    if turn.id == chunk_hash(turn.speaker, turn.text):
        id = chunk_hash(speaker, text)  # a chunk's time is its file's: only its id is the same after a change of that
    clean = replace(turn, speaker=speaker, text=text, id=id)
    return hashes(key, masked_name(conversation, mask), masked_name(session, mask), clean)


def bury_ids(store: Store, conversation: str, session: str, turns: Iterable[Turn]) -> None:
    """Keep turns from coming back under these ids, inside the caller's transaction; their words may, under others."""
    key = own_key(store, TOMBSTONES)
    store.many("tombstone_add", ({"hash": hashes(key, conversation, session, turn)[0]} for turn in turns))


def bury(store: Store, conversation: str, session: str, turns: Iterable[Turn], mask: Mask = unmasked) -> None:
    """Keep turns from coming back, inside the caller's transaction: as they are, and masked by these rules or ours."""
    key = own_key(store, TOMBSTONES)
    usual = partial(redact, key=own_key(store, FINGERPRINTS))
    found: set[str] = set()
    for turn in turns:
        found.update(hashes(key, conversation, session, turn))
        for rules in (mask, usual):
            found.update(masked_hashes(key, conversation, session, turn, rules))
    store.many("tombstone_add", ({"hash": hash} for hash in sorted(found)))


def buried(store: Store, conversation: str, session: str, turns: Sequence[Turn]) -> set[str]:
    """The ids of those turns that were purged before."""
    if not turns or store.one("tombstone_any") is None:
        return set()
    key = bytes(store.meta(TOMBSTONES))
    usual = partial(redact, key=bytes(store.meta(FINGERPRINTS) or b""))
    is_renamed = any(masked_name(name, usual) != name for name in (conversation, session))
    of: dict[str, str | None] = {}
    for turn in turns:
        forms = [*hashes(key, conversation, session, turn)]
        if is_renamed or MADE_OF_WORDS.fullmatch(turn.id or "") or masked_name(turn.id or "", usual) != turn.id:
            forms += masked_hashes(key, conversation, session, turn, usual)  # else its place is the same in both
        of |= dict.fromkeys(forms, turn.id)
    listed = sorted(of)
    found = set()
    for start in range(0, len(listed), BATCH):
        rows = store.all("tombstones_among", hashes=json.dumps(listed[start : start + BATCH]))
        found |= {of[row["hash"]] for row in rows}
    return {id for id in found if id is not None}


def title_hash(key: bytes, conversation: str, title: str) -> str:
    """A title by its words; a short one, which many conversations may have, with its conversation."""
    words = spaced_text(fit_title(title))
    place = () if len(words.split()) >= TELLING else (conversation,)
    return hmac.digest(key, digest("title", *place, words), "sha256")[:16].hex()


def bury_title(store: Store, conversation: str, title: str) -> None:
    """Keep a title from coming back, inside the caller's transaction: as it is, and masked by our rules."""
    key, usual = own_key(store, TOMBSTONES), partial(redact, key=own_key(store, FINGERPRINTS))
    found = {title_hash(key, conversation, form) for form in (title, usual(title).text)}
    store.many("tombstone_add", ({"hash": hash} for hash in sorted(found)))


def is_title_buried(store: Store, conversation: str, title: str) -> bool:
    """Whether a title went with what was purged, also without the project before it ("kites: The tail")."""
    if store.one("tombstone_any") is None:
        return False
    key, _, rest = bytes(store.meta(TOMBSTONES)), *title.partition(": ")[1:]
    hashes = sorted({title_hash(key, conversation, form) for form in (title, rest) if form})
    return bool(store.all("tombstones_among", hashes=json.dumps(hashes)))
