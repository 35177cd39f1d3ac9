"""Joins a person's first name with the whole one where it can be nobody else: notes by "Nora" are Nora Lindqvist's.

One whole name alone begins with it, and the two take part in the same memory: both speak, or both are named in one
conversation. Everything else waits in the review queue (`similar_names`). Each join is an act that can be undone, and
what was undone or refused is not joined again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...store.acts import add_act
from ...store.store import Store, encode_keys
from .similar_names import MOST, Called, Pair, shortened_pairs
from .user_words import ACT, join_entities, spoken


def join_short_names(store: Store) -> list[Pair]:
    """Join what can be joined; returns what was."""
    with store.snapshot():
        pairs = open_pairs(store)
    done = list[Pair]()
    for pair in pairs:
        with store.transaction():
            if any(store.one("entity_free", key=one.key) is None for one in (pair.kept, pair.other)):
                continue  # somebody was faster
            reason = f"joined by rule: entity {pair.other.key} is short for {pair.kept.key}"
            act = add_act(
                store, ACT, reason, {"entities": [pair.other.key, pair.kept.key], "what": "short", "item": pair.item}
            )
            spoken(store, act, pair.kept.key, [("kept", "")])
            join_entities(store, act, [pair.other.key], pair.kept.key)
        done.append(pair)
    return done


def open_pairs(store: Store) -> list[Pair]:
    """First names with the one whole name that each may be short for, of those who take part together."""
    rows = store.all("persons_most_named", limit=MOST)
    known = [Called(row["key"], "person", row["name"], 0, row["mentions"]) for row in rows]
    pairs = shortened_pairs(known)
    items = encode_keys([pair.item for pair in pairs])
    decided = {row["item"] for row in store.all("reviewed_among", items=items)}
    return [pair for pair in pairs if pair.item not in decided and are_together(store, [pair.kept.key, pair.other.key])]


def are_together(store: Store, keys: Sequence[int]) -> bool:
    """Whether two people speak in this memory, or are named in one conversation."""
    row = store.one("persons_together", one=keys[0], two=keys[1])
    return row is not None and bool(row["speaks"] or row["shared"])
