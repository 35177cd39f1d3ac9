"""The user's changes to entities: rename, retype, add aliases, merge, hide.

Each act is some rows beside the entities (migration 010). They stay whatever is extracted later, `undo` takes them
back in any order, and they go with the last turn that named their entity. Everything here works inside the caller's
transaction; no text of the user or of the talk is written into an act, so a purge finds nothing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ...errors import BadInput
from ...records import Act
from ...store.acts import add_act
from ...store.sqlite.database import Row
from ...store.store import Store
from ..claims.store import fact_number
from .entities import Resolver, add_forms, regroup, says_more, tidy
from .name_forms import exact_forms, type_of

ACT = "entity"  # acts.kind
Kind = Literal["name", "alias", "type", "into", "kept", "owner", "gone", "me", "apart"]


def change(store: Store, key: int, name: str | None, aliases: Iterable[str], type: str | None) -> int:
    """Give an entity another name, further names, another type; returns the act."""
    said: list[tuple[Kind, str]] = [("alias", alias) for alias in aliases]
    said += [("name", name)] if name is not None else []
    said += [("type", type)] if type is not None else []
    act = add_act(store, ACT, f"entity {key} changed", {"entities": [key], "what": "change"})
    spoken(store, act, key, said)
    tidy(store, [key])
    return act


def delete(store: Store, keys: Sequence[int]) -> int:
    """Take entities out of sight with what was said of them; what was said itself stays. Returns the act."""
    named = ", ".join(map(str, keys))
    act = add_act(store, ACT, f"deleted: entity {named}", {"entities": list(keys), "what": "delete"})
    for key in keys:
        spoken(store, act, key, [("gone", "")])
    tidy(store, keys)
    return act


def merge(store: Store, keys: Sequence[int], into: int) -> int:
    """Make several entities one; returns the act."""
    named = ", ".join(map(str, keys))
    act = add_act(store, ACT, f"merged: entity {named} into {into}", {"entities": [*keys, into], "what": "merge"})
    kept = store.one("entity_get", key=into)
    assert kept is not None
    spoken(store, act, into, [("name", kept["name"])])  # however often the others are named
    if (type := _telling_type(store, keys, kept["type"])) != kept["type"]:
        spoken(store, act, into, [("type", type)])  # a person stays one under the name of a "thing"
    join_entities(store, act, keys, into)
    return act


def _telling_type(store: Store, keys: Sequence[int], known: str) -> str:
    """The type that says most, of an entity and of those that become one with it."""
    for row in (store.one("entity_get", key=key) for key in keys):
        known = row["type"] if row is not None and says_more(row["type"], known) else known
    return known


def join_entities(store: Store, act: int, keys: Sequence[int], into: int) -> None:
    """Make entities one by an act."""
    for key in keys:
        _join(store, act, key, into)
    regroup(store)
    tidy(store, [*keys, into])


def _join(store: Store, act: int, key: int, into: int) -> None:
    """One entity becomes another, with its mentions, its claims and its things; a thing that both have is one, too."""
    spoken(store, act, into, [("kept", "")])
    spoken(store, act, key, [("into", str(into))])
    _moved(store, key, into, store.all("claim_ends", key=key))
    store.run("mentions_copy", key=key, into=into, called=None)
    store.run("mentions_drop", key=key, called=None)
    for owned in store.keys("entities_of_owner", key=key).tolist():
        row = store.one("entity_get", key=owned)
        assert row is not None
        twin = Resolver(store).known_as(row["name"], type_of(row), into)
        if twin and twin != owned:
            _join(store, act, owned, twin)
            continue
        spoken(store, act, owned, [("owner", str(key))])
        store.run("entity_owned_by", key=owned, owner=into)
        names = [kept["name"] for kept in store.all("names_kept", key=owned)]
        add_forms(store, owned, [row["name"], *names], type_of(row), into)


def undo_word(store: Store, act: Act) -> None:
    """Take an act back: what it said is unsaid, and what was merged by it is told apart by its names again."""
    words = store.all("entity_words_of_act", act=act.id)
    if not words:
        raise BadInput(f"Act {act.id} cannot be undone: its subject was purged.")
    store.run("entity_words_take_back", act=act.id)
    if act.detail.get("what") == "apart":
        for key in {int(word["entity"]) for word in words}:
            store.run("mention_blocks_wait", key=key)
    if "item" in act.detail:  # joined by a rule: not once more
        store.run("reviewed_put", item=int(act.detail["item"]), act=0)
    for word in words:
        if word["kind"] == "owner":
            store.run("entity_owned_by", key=word["entity"], owner=int(word["value"]))
    merged = [(int(w["entity"]), root_of(store, int(w["entity"]))) for w in words if w["kind"] == "into"]
    for word in words:
        if word["kind"] == "into":
            store.run("forms_shed", key=int(word["value"]), other=word["entity"])
    regroup(store)
    for key, root in merged:
        if (row := store.one("entity_get", key=key)) is not None and not row["merged"]:
            _part(store, row, root)
    tidy(store, {int(word["entity"]) for word in words} | {root for _, root in merged})


def _part(store: Store, row: Row, root: int) -> None:
    """Give an entity back what it was called by, and what was said of it; the rules read those turns once more, which
    tells apart what names alone do not."""
    key, own = row["key"], set(store.keys("forms_exact", key=row["key"]).tolist())
    for kept in store.all("names_kept", key=root):
        if own & exact_forms(kept["name"], row):
            store.run("mentions_copy", key=root, into=key, called=kept["name"])
            store.run("mentions_drop", key=root, called=kept["name"])
    here, there = (set(store.keys("mention_turns", key=one).tolist()) for one in (key, root))
    alone = here - there
    _moved(store, root, key, [claim for claim in store.all("claim_ends", key=root) if claim["turn"] in alone])
    for one in (key, root):
        store.run("mention_blocks_wait", key=one)


# --- steps ---------------------------------------------------------------------------------------


def spoken(store: Store, act: int, key: int, said: Sequence[tuple[Kind, str]]) -> None:
    """Write words down, with the turns that they rest on."""
    for kind, value in said:
        store.run("entity_word_add", entity=key, act=act, kind=kind, value=value)
    store.run("entity_turns_fill", key=key)


def _moved(store: Store, key: int, into: int, claims: Sequence[Row]) -> None:
    """Claims about one entity are about another from now on."""
    rows = []
    for claim in claims:
        subject, value = (into if claim[end] == key else int(claim[end]) for end in ("subject", "object"))
        said = (claim["relation"], claim["value"], "text", bool(claim["negated"]), claim["modality"])
        fact = fact_number(subject, value, claim["turn"], *said)
        rows.append({"key": claim["key"], "subject": subject, "object": value, "fact": fact})
    store.many("claim_moved", rows)


def root_of(store: Store, key: int) -> int:
    row = store.one("entity_get", key=key)
    return key if row is None or not row["merged"] else int(row["merged"])
