"""Entities: which one a name means, how it is called most, and what becomes of one that nobody names any more.

All that writes works inside the caller's transaction, in which the store has one writer: of two processes that meet
a new name, the second finds the entity that the first made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..records.people import UNKNOWN
from ..store.store import Store, as_json
from ..times import from_micros
from .forms import (
    EXACT,
    GENERIC,
    anybodys,
    best_name,
    folded,
    form_hash,
    forms_of,
    is_proper,
    is_same,
    same_type,
    stored_forms,
)
from .relations import relation

TOGETHER = 500  # loose entities tidied in one transaction
OWNED = frozenset({"has", "bought", "got", "sold", "lost", "gave", "made", "painted", "wrote"})  # what is one's own
POSSESSED = re.compile(r"(\S+(?: [A-Z]\S*)*)['’]s? ([a-z].*)")  # somebody's common noun
LOOKED_UP_AS = ("person", "thing", "organisation")  # a name in a question does not say of what type it is


@dataclass(frozen=True, slots=True)
class Named:
    """How an entity was called: how often, and where first."""

    name: str
    times: int
    conversation: str
    turn_id: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity as it is stored, with how often it was named where it can be seen."""

    key: int
    name: str
    type: str
    owner: str | None
    mentions: int
    conversations: int
    first_at: datetime
    last_at: datetime
    aliases: tuple[str, ...] = ()  # what else it was called


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in a turn."""

    entity: int
    turn: int
    name: str


class Resolver:
    """Which entity a name means, inside one transaction; unknown ones are made."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, str, int], int] = {}

    def person(self, name: str) -> int:
        """Somebody by the very name; 0 if nobody can tell who."""
        return 0 if name == UNKNOWN or not name.strip() else self.find(name, "person")

    def known(self, name: str) -> int:
        """Somebody of this name who is known already; 0 if there is none."""
        at = (name, "person", 0)
        if not self._known.get(at):
            self._known[at] = self._find(name, "person", 0, ())
        return self._known[at]

    def owner_of(self, name: str, type: str, relation_name: str, subject: int) -> int:
        """Whose a value is: common nouns are told apart by who has them, pets by whose they are."""
        told = relation(relation_name)
        if type == "pet" or (not is_proper(name) and (told.kind == "relation" or relation_name in OWNED)):
            return subject
        return 0

    def find(self, name: str, type: str, owner: int = 0, near: Collection[int] = ()) -> int:
        """The entity that a name of a type means. `near`: whose things it may be as well, as of pets in a talk."""
        at = (name, type, owner)
        if not self._known.get(at):
            self._known[at] = self._find(name, type, owner, near) or self._make(name, type, owner)
        return self._known[at]

    def _find(self, name: str, type: str, owner: int, near: Collection[int]) -> int:
        forms = {form for one in {owner, *near} for form in stored_forms(name, type, one)} - {anybodys(name, type)}
        rows = self._store.all("forms_find", forms=as_json(sorted(forms)))
        fit = [row for row in rows if same_type(type, row["type"])]
        fit = [row for row in fit if row["owner"] == owner] or [row for row in fit if row["owner"] in near]
        fit = [row for row in fit if row["kind"] == EXACT or is_same(name, row["name"], type)]
        # The very form before a slip, the same type before one that says nothing, then the oldest.
        fit.sort(key=lambda row: (row["kind"], row["type"] != type, row["key"]))
        if not fit:
            return 0
        if fit[0]["type"] in GENERIC and type not in GENERIC:
            self._store.run("entity_typed", key=fit[0]["key"], type=type)
        return int(fit[0]["key"])

    def _make(self, name: str, type: str, owner: int) -> int:
        row = self._store.one("entity_next")
        assert row is not None
        key = int(row[0])
        self._store.run("entity_add", key=key, type=type, called=name, owner=owner)
        add_forms(self._store, key, [name], type, owner)
        return key


def add_forms(store: Store, key: int, names: Iterable[str], type: str, owner: int) -> None:
    for name in names:
        forms = stored_forms(name, type, owner).items()
        store.many("form_add", ({"form": form, "kind": kind, "entity": key} for form, kind in forms))


def called_anew(store: Store, key: int, name: str) -> None:
    """An entity was called by another name than it has: it is found by that, and has the one most used."""
    row = store.one("entity_get", key=key)
    assert row is not None
    best = best_name((kept["name"], int(kept["times"])) for kept in store.all("names_kept", key=key))
    if best != row["name"]:
        store.run("entity_named", key=key, called=best)
    add_forms(store, key, [name], row["type"], row["owner"])


def tidy(store: Store, keys: Iterable[int]) -> None:
    """Name entities anew by what they are called now, inside the caller's transaction; those not named at all go."""
    waiting = sorted(set(keys))
    for key in waiting:
        names = [(row["name"], int(row["times"])) for row in store.all("names_kept", key=key)]
        store.run("forms_drop", key=key)
        store.run("loose_drop", key=key)
        if not names:
            waiting += store.keys("entities_of_owner", key=key).tolist()  # nobody's from now on
            store.run("entities_disown", key=key)
            store.run("entity_delete", key=key)
            continue
        row = store.one("entity_get", key=key)
        assert row is not None
        store.run("entity_named", key=key, called=best_name(names))
        add_forms(store, key, (name for name, _ in names), row["type"], row["owner"])


def tidy_loose(store: Store) -> int:
    """Tidy entities whose mentions went with their turns; returns how many. Nothing of a purged name stays."""
    count = 0
    while store.one("loose_any") is not None:
        with store.transaction():
            keys = store.keys("loose_entities", limit=TOGETHER).tolist()
            tidy(store, keys)
        count += len(keys)
    return count


# --- reading -------------------------------------------------------------------------------------


def entities_by_keys(store: Store, keys: Sequence[int]) -> list[EntityRow]:
    """Entities in the order of their keys as given; those of which nothing can be seen are not there."""
    rows = {row["key"]: row for row in store.all("entities_by_keys", keys=as_json(dict.fromkeys(keys)))}
    return [
        EntityRow(
            row["key"],
            row["name"],
            row["type"],
            row["owner_name"],
            row["mentions"],
            row["conversations"],
            from_micros(row["first_at"]),
            from_micros(row["last_at"]),
        )
        for row in (rows[key] for key in dict.fromkeys(keys) if key in rows)
    ]


def names_of(store: Store, keys: Sequence[int]) -> dict[int, tuple[Named, ...]]:
    """What entities were called, the most used first, each with where it was so called first."""
    found: dict[int, list[Named]] = {}
    for row in store.all("names_of_entities", keys=as_json(keys)):
        named = Named(row["name"], row["times"], row["conversation"], row["turn_id"], from_micros(row["first_at"]))
        found.setdefault(row["entity"], []).append(named)
    return {key: tuple(names) for key, names in found.items()}


def keys_named(store: Store, name: str, types: Collection[str] = ()) -> list[int]:
    """The entities that a name may mean, the best fit first: by the very form, else by a slip or its words turned."""
    if (found := POSSESSED.fullmatch(name)) and (owners := keys_named(store, found[1], ("person",))):
        things = {row.key: row for row in entities_by_keys(store, keys_named(store, found[2]))}
        owned = [key for key in things if store.one("entity_get", key=key)["owner"] in owners]  # type: ignore[index]
        if owned:
            return owned
    rows: dict[int, tuple[bool, bool, bool, int]] = {}
    for type in LOOKED_UP_AS:
        for row in store.all("forms_find", forms=as_json([*forms_of(name, type), anybodys(name, type)])):
            exact = row["kind"] == EXACT and row["form"] in (form_hash(folded(name, type)), anybodys(name, type))
            if (exact or is_same(name, row["name"], row["type"])) and (not types or row["type"] in types):
                rank = (not exact, row["type"] != "person", row["type"] in GENERIC, row["key"])
                rows[row["key"]] = min(rank, rows.get(row["key"], rank))
    best = [key for key, rank in sorted(rows.items(), key=lambda pair: pair[1]) if not rank[0]]
    return best or [key for key, _ in sorted(rows.items(), key=lambda pair: pair[1])]
