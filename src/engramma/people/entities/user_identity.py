"""Me: the user of the chats is one person, whatever exports call the one who writes: "user", "You", "me"."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import BadInput
from ...language.text import GENERIC_SPEAKERS
from ...store.acts import add_act
from ...store.store import Store, encode_keys
from .entities import Resolver, keys_named
from .name_forms import split_name
from .short_names import OWN_NAMES, talk_together
from .similar_names import MOST, Called, shortened_pairs
from .user_words import ACT, join_entities, spoken


@dataclass(frozen=True, slots=True)
class Me:
    """Who the user is: the name, whether the user said so (else it is inferred), and the act that did.

    `joined` are those who speak by the user's first name and were taken for the user by the same act; `perhaps` those
    who may be the user or somebody else of that first name, or who speak by a longer name that begins with it.
    """

    name: str
    said: bool
    act: int | None = None
    joined: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()


def find_me(store: Store) -> Me | None:
    """Who the user is, by the user's own word; else what the user of the chats says to be called."""
    if (row := store.one("entity_me")) is not None:
        return Me(row["name"], True, int(row["act"]))
    for key in generic_keys(store):
        told = [row["value"] for row in store.all("claims_of_own_name", key=key) if row["value"][:1].isupper()]
        if len({one.split()[0].casefold() for one in told}) == 1:  # one name alone
            return Me(max(told, key=len), False)
    return None


def put_me(store: Store, name: str) -> Me:
    """Make everybody whom exports call "user" one with somebody of a name, inside the caller's transaction."""
    own = generic_keys(store)
    named = [key for key in keys_named(store, name, ("person",)) if key not in own]
    if not own and not named:
        raise BadInput(f"Nobody here is called {name!r:.80}, and nobody speaks as user, You or me.")
    if len(named) > 1:
        raise BadInput(f"{len(named)} people are called {name!r:.80}. Merge them first, or rename one.")
    if (row := store.one("entity_me")) is not None and named != [row["key"]] and row["name"] != name:
        raise BadInput(f"You are {row['name']} here. `engramma undo {row['act']}` takes that back first.")
    into = named[0] if named else own[0]
    act = add_act(store, ACT, f"the user is entity {into}", {"entities": [*own, into], "what": "me"})
    spoken(store, act, into, [("me", ""), ("name", name)])
    # Who was known by the whole name already is joined with the short one by rule (short_names.py).
    short, perhaps = (
        ([], first_name_speakers(store, name, into)[1]) if named else first_name_speakers(store, name, into)
    )
    perhaps += [] if named else longer_named_speakers(store, name, into)
    join_entities(store, act, [key for key in own if key != into] + [one.key for one in short], into)
    return Me(name, True, act, tuple(one.name for one in short), tuple(one.name for one in perhaps))


def first_name_speakers(store: Store, name: str, into: int) -> tuple[list[Called], list[Called]]:
    """Those who speak by the first word of a name: who is nobody else, and who may be somebody else of that name.

    Who talks with the user is neither.
    """
    rows = store.all("persons_most_named", limit=MOST)
    known = [Called(row["key"], "person", row["name"], 0, row["mentions"]) for row in rows if row["key"] != into]
    words = split_name(name, "person")
    if len(words) < 2:
        return [], []
    speaking = [
        one
        for one in known
        if split_name(one.name, "person") == words[:1] and len(store.keys("keys_of_speaker", speaker=one.name, limit=1))
        if not talk_together(store, [name, *OWN_NAMES], [one.name])
    ]
    pairs = {pair.other.key: pair for pair in shortened_pairs([*known, Called(into, "person", name, 0, 0)])}
    items = encode_keys([pairs[one.key].item for one in speaking if one.key in pairs])
    decided = {row["item"] for row in store.all("reviewed_among", items=items)}
    rows = store.all("names_shown", keys=encode_keys([one.key for one in speaking]))
    others = {row["entity"] for row in rows if split_name(row["name"], "person") not in (words, words[:1])}
    sure = [
        one
        for one in speaking
        if one.key in pairs and pairs[one.key].item not in decided and one.key not in others
        if pairs[one.key].kept.key == into
    ]
    return sure, [one for one in speaking if one not in sure]


def longer_named_speakers(store: Store, name: str, into: int) -> list[Called]:
    """Those who speak by a longer name that begins with a name of one word: "Dilys" may be Dilys Pritchard.

    Who talks with the user is not.
    """
    words = split_name(name, "person")
    if len(words) != 1:
        return []
    return [
        Called(row["key"], "person", row["name"], 0, row["mentions"])
        for row in store.all("persons_most_named", limit=MOST)
        if row["key"] != into and len(called := split_name(row["name"], "person")) > 1 and called[:1] == words
        if len(store.keys("keys_of_speaker", speaker=row["name"], limit=1))
        if not talk_together(store, [name, *OWN_NAMES], [row["name"]])
    ]


def generic_keys(store: Store) -> list[int]:
    """Those who speak under a name that is none."""
    found = dict.fromkeys(Resolver(store).known(name) for name in GENERIC_SPEAKERS)
    return [key for key in found if key]


def is_me_open(store: Store) -> bool:
    """Whether somebody speaks under a name that is none and nobody has said who it is."""
    if store.one("entity_me") is not None:
        return False
    return any(len(store.keys("keys_of_speaker", speaker=name, limit=1)) for name in GENERIC_SPEAKERS)
