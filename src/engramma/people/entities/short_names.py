"""Joins a person's first name with the whole one where it can be nobody else: notes by "Nora" are Nora Lindqvist's.

One whole name alone begins with it, and the two take part in the same memory: both speak, or both are named in one
conversation. Who speak in one session are two people. Everything else waits in the review queue (`similar_names`).
Each join is an act that can be undone, and what was undone or refused is not joined again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...language.text import GENERIC_SPEAKERS
from ...store.acts import add_act
from ...store.store import Store, encode_keys
from .similar_names import MOST, Called, Pair, shortened_pairs
from .user_words import ACT, join_entities, spoken

SHORTEST = 3  # letters of a short form
# What exports call the one who writes, as they write it.
OWN_NAMES = tuple(dict.fromkeys(form for name in GENERIC_SPEAKERS for form in (name, name.capitalize())))


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
    return [
        pair
        for pair in pairs
        if pair.item not in decided and are_together(store, [pair.kept.key, pair.other.key])
        if not any(_is_short_for(one.name, pair.other.name) for one in known)  # "Declan" may be Dec
        if not talk_together(store, names_to_speak_by(store, pair.kept), names_to_speak_by(store, pair.other))
    ]


def _is_short_for(short: str, name: str) -> bool:
    """Whether a single name of three letters or more is how a longer one begins: Dec and Declan."""
    one = next(iter(short.casefold().split()), "")
    is_single = not any(map(str.isalnum, short.casefold().removeprefix(one)))
    return is_single and len(one) >= SHORTEST and name.casefold().startswith(one) and name.casefold() != one


def are_together(store: Store, keys: Sequence[int]) -> bool:
    """Whether two people speak in this memory, or are named in one conversation."""
    row = store.one("persons_together", one=keys[0], two=keys[1])
    return row is not None and bool(row["speaks"] or row["shared"])


def names_to_speak_by(store: Store, one: Called) -> list[str]:
    """The names under which somebody may speak; the user's, where this is the user, are also those of exports."""
    shown = [str(row["name"]) for row in store.all("names_shown", keys=encode_keys([one.key]))]
    me = store.one("entity_me")
    own = OWN_NAMES if me is not None and me["key"] == one.key else ()
    return list(dict.fromkeys((one.name, *shown, *own)))


def talk_together(store: Store, one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether somebody who speaks by one of these names talks with somebody of the others, and so is another."""
    names = {"people": sorted({*one} - {*other}), "called": sorted({*other} - {*one})}
    return store.one("speak_together", **{side: json.dumps(own) for side, own in names.items()}) is not None
