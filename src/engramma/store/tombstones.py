"""Tombstones: what was purged does not come back. A keyed hash says which turn it was, and nothing about it."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Iterable, Sequence

from ..records import Turn
from ..text import digest
from ..times import format_time
from .store import Store

KEY = "tombstone_key"  # in meta: made with the first tombstone; without it nobody can test what a hash stands for
BATCH = 10_000


def hashes(key: bytes, conversation: str, session: str, turn: Turn) -> tuple[str, str]:
    """A turn by its place and by its words: one of them is the same wherever it is imported from."""
    assert turn.id is not None and turn.said_at is not None
    parts = (("place", conversation, session, turn.id), ("words", turn.speaker, format_time(turn.said_at), turn.text))
    place, words = (hmac.digest(key, digest(*part), "sha256")[:16].hex() for part in parts)
    return place, words


def own_key(store: Store) -> bytes:
    """The key of the store's tombstones, made with the first, inside the caller's transaction."""
    if (key := store.meta(KEY)) is None:
        key = secrets.token_bytes(32)
        store.put_meta(KEY, key)
    return bytes(key)


def bury_ids(store: Store, conversation: str, session: str, turns: Iterable[Turn]) -> None:
    """Keep turns from coming back under these ids, inside the caller's transaction; their words may, under others."""
    key = own_key(store)
    store.many("tombstone_add", ({"hash": hashes(key, conversation, session, turn)[0]} for turn in turns))


def bury(store: Store, conversation: str, session: str, turns: Iterable[Turn]) -> None:
    """Keep turns from coming back, inside the caller's transaction."""
    key = own_key(store)
    found = [hash for turn in turns for hash in hashes(key, conversation, session, turn)]
    store.many("tombstone_add", ({"hash": hash} for hash in found))


def buried(store: Store, conversation: str, session: str, turns: Sequence[Turn]) -> set[str]:
    """The ids of those turns that were purged before."""
    if not turns or store.one("tombstone_any") is None:
        return set()
    key = store.meta(KEY)
    of = {hash: turn.id for turn in turns for hash in hashes(key, conversation, session, turn)}
    listed = sorted(of)
    found = set()
    for start in range(0, len(listed), BATCH):
        rows = store.all("tombstones_among", hashes=json.dumps(listed[start : start + BATCH]))
        found |= {of[row["hash"]] for row in rows}
    return {id for id in found if id is not None}
