"""Entities: which one a name means, how it is called most, and what becomes of one that nobody names any more.

All that writes works inside the caller's transaction, in which the store has one writer: of two processes that meet
a new name, the second finds the entity that the first made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ...language.times import from_micros
from ...records.people import UNKNOWN
from ...store.sqlite.database import Row
from ...store.store import Store, encode_keys
from ..claims.relations import relation
from .known_names import first_names
from .mail_senders import only_mails_as_nobody
from .name_forms import (
    EXACT,
    GENERIC,
    anybodys,
    best_name,
    fold_name,
    form_hash,
    forms_of,
    is_proper,
    is_same,
    same_type,
    stored_forms,
    type_of,
)
from .said_names import is_by_hand, name_left, words_left
from .worth_listing import is_listed

TOGETHER = 500  # loose entities tidied in one transaction
OWNED = frozenset({"has", "bought", "got", "sold", "lost", "gave", "made", "painted", "wrote"})  # what is one's own
POSSESSED = re.compile(r"(\S+(?: [A-Z]\S*)*)['’]s? ([a-z].*)")  # somebody's common noun
SURE_TYPES = frozenset({"place", "organisation", "project"})  # by the name itself, not by what was done with it
SELDOM = 2  # mentions of a thing that may still turn out to be a person
# How much a type says: nothing, that it has a name, what a relation expects of it, what it is by its own name.
_SAYS = {UNKNOWN: 0, "": 0, "text": 0, "thing": 1, "place": 3, "organisation": 3, "person": 4}
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

    def __init__(self, store: Store, session: int = 0) -> None:
        """`session`: in whose conversation somebody may be a namesake of whom the name means elsewhere."""
        self._store, self._session = store, session
        self._known: dict[tuple[str, str, int], int] = {}

    def person(self, name: str) -> int:
        """Somebody by the very name; 0 if nobody can tell who."""
        return 0 if name == UNKNOWN or not name.strip() else self.find(name, "person")

    def known(self, name: str) -> int:
        """Somebody of this name who is already known; 0 if there is none."""
        at = (name, "person", 0)
        if not self._known.get(at):
            self._known[at] = self._find(name, "person", 0, ())
        return self._known[at]

    def known_as(self, name: str, type: str, owner: int) -> int:
        """The entity of this name and type that somebody has already; 0 if there is none."""
        return self._find(name, type, owner, ())

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
        rows = self._store.all("forms_find", forms=encode_keys(sorted(forms)))
        fit = [row for row in rows if same_type(type, type_of(row)) or is_one_name(name, type, owner, row)]
        fit = [row for row in fit if row["owner"] == owner] or [row for row in fit if row["owner"] in near]
        fit = [row for row in fit if row["kind"] == EXACT or self._is_slip(name, row, type)]
        # The very form before a slip, the same type before one that says nothing, then the oldest.
        fit.sort(key=lambda row: (row["kind"], type_of(row) != type, row["key"]))
        if not fit:
            return 0
        if says_more(type, type_of(fit[0])):
            self._store.run("entity_typed" if fit[0]["base"] is None else "entity_based", key=fit[0]["key"], type=type)
        return self._apart(int(fit[0]["root"]))

    def _apart(self, key: int) -> int:
        """Who is meant in this conversation, where the user told two of one name apart."""
        if not self._session:
            return key
        rows = self._store.all("entities_apart", session=self._session, keys=encode_keys([key]))
        return int(rows[-1]["value"].partition(" ")[0]) if rows else key

    def _is_slip(self, name: str, row: Row, type: str) -> bool:
        """Whether a name is what an entity was called but for a slip; what the user calls it is no measure."""
        if not row["named"]:
            return is_same(name, row["name"], type)
        return any(is_same(name, kept["name"], type) for kept in self._store.all("names_kept", key=row["key"]))

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


def is_one_name(name: str, type: str, owner: int, row: Row) -> bool:
    """Whether a name of one type is that of an entity of another: what has a name and is nobody's is one thing.

    A person is what little was said of so far, or what nobody could tell; what was named as a thing again and again
    stays one, unless the name is a given name or has several words.
    """
    other = type_of(row)
    if row["kind"] != EXACT or owner or row["owner"] or "pet" in (type, other) or not name[:1].isupper():
        return False
    if not row["name"][:1].isupper():
        return False
    if "person" not in (type, other):
        return not {type, other} <= SURE_TYPES  # the Atlas mountains, and the project of that name
    if other == "person":
        return type in GENERIC
    first, *rest = name.split()
    told = bool(rest) or other == UNKNOWN or row["mentions"] <= SELDOM or first.casefold() in first_names()
    return other in GENERIC and told


def says_more(type: str, known: str) -> bool:
    """Whether a type says more than the one that an entity has."""
    return _SAYS.get(type, 2) > _SAYS.get(known, 2)


def called_anew(store: Store, key: int, name: str) -> None:
    """An entity was called by another name than it has: it is found by that, and has the one most used."""
    row = store.one("entity_get", key=key)
    assert row is not None
    best = best_name((kept["name"], int(kept["times"])) for kept in store.all("names_kept", key=key))
    words = [] if row["named"] else store.all("entity_words_of", key=key)
    if any((word["kind"], word["value"]) == ("name", name) for word in words):
        tidy(store, [key])  # what a merge kept is said again where it can be seen
    elif best != row["name"] and not row["named"]:
        store.run("entity_named", key=key, called=best)
    for type in {row["type"], type_of(row)}:
        add_forms(store, key, [name], type, row["owner"])


def tidy(store: Store, keys: Iterable[int]) -> None:
    """Name entities anew by what they are called now, inside the caller's transaction; those not named at all go.

    What the user said of one holds: it has that name and type, and it stays while the turns that named it are stored.
    """
    waiting = sorted(set(keys))
    for key in waiting:
        names = [(row["name"], int(row["times"])) for row in store.all("names_kept", key=key)]
        words = store.all("entity_words_of", key=key)
        store.run("loose_drop", key=key)
        if not names and not words:
            waiting += _removed(store, key)
        elif (row := store.one("entity_get", key=key)) is not None:
            renewed(store, row, names, words_left(store, key, (name for name, _ in names), words))


def _removed(store: Store, key: int) -> list[int]:
    """Take an entity away; returns those that are nobody's from now on, or not merged any more."""
    left: list[int] = store.keys("entities_of_owner", key=key).tolist()
    if merged := [int(row["entity"]) for row in store.all("entity_merges") if row["value"] == str(key)]:
        store.run("entity_merges_to", value=str(key))
        regroup(store)
    for name in ("entities_disown", "forms_drop", "entity_turns_drop", "entity_delete"):
        store.run(name, key=key)
    return left + merged


def renewed(store: Store, row: Row, names: Sequence[tuple[str, int]], words: Sequence[tuple[str, str]]) -> None:
    """Give an entity the name, type and forms that its names and the user's words make."""
    said, given = dict(words), [value for kind, value in words if kind in ("name", "alias")]
    base = type_of(row)
    called = said.get("name") or (best_name(names) if names else name_left(store, row))
    kind = said.get("type", base)
    flags = {"named": int("name" in said), "gone": int("gone" in said), "base": base if "type" in said else None}
    store.run("entity_put", key=row["key"], called=called, type=kind, **flags)
    if names:  # what is not named now is still found by what it was called
        store.run("forms_drop", key=row["key"])
    for type in {base, kind}:
        add_forms(store, row["key"], [*(name for name, _ in names), *given], type, row["owner"])
    relist_entities(store, [row["key"]])


def relist_entities(store: Store, keys: Iterable[int]) -> None:
    """Say anew which entities stand in lists, by what they are called and how often; what the user spoke of does."""
    rows = store.all("entities_to_list", keys=encode_keys(sorted(set(keys))))
    for row in rows:
        told = is_listed(row["name"], row["type"], row["owner"], row["mentions"], bool(row["speaks"]))
        if told and row["speaks"] and row["type"] == "person" and only_mails_as_nobody(store, row["name"]):
            told = False
        if (listed := int(bool(row["spoken"]) or told)) != row["listed"]:
            store.run("entity_list", key=row["key"], listed=listed)


def regroup(store: Store) -> None:
    """Point every entity that was merged at the one that stands for them all."""
    into = {int(row["entity"]): int(row["value"]) for row in store.all("entity_merges")}
    for key in {*into, *store.keys("entities_merged").tolist()}:
        root, seen = key, {key}
        while root in into and into[root] not in seen:
            root = into[root]
            seen.add(root)
        store.run("entity_merged", key=key, into=0 if root == key else root)


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
    rows = {row["key"]: row for row in store.all("entities_by_keys", keys=encode_keys(dict.fromkeys(keys)))}
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


def entity_page(
    store: Store, type: str | None, search: str | None, sort: str, limit: int, offset: int, everything: bool = False
) -> tuple[list[int], int]:
    """The keys of a page of entities (by name, mentions or type), and how many there are in all."""
    bounds = {"type": type, "limit": limit, "offset": offset, "everything": int(everything)}
    if search:
        rows = store.all("entities_with_letters", search=search, sort=sort, **bounds)
        return [row["key"] for row in rows], rows[0]["total"] if rows else 0
    counted = store.all("entity_types", everything=int(everything))
    total = sum(row["entities"] for row in counted if type in (None, row["type"]))
    return store.keys(f"entities_by_{sort}", **bounds).tolist(), total


def given_names(store: Store, keys: Sequence[int]) -> dict[int, list[str]]:
    """Further names that the user gave, also to those who are one with an entity."""
    found: dict[int, list[str]] = {}
    for row in store.all("names_given", keys=encode_keys(keys)):
        if row["kind"] == "alias" or is_by_hand(store, row["act"]):
            found.setdefault(row["entity"], []).append(row["value"])
    return {key: list(dict.fromkeys(names)) for key, names in found.items()}


def read_entity_names(store: Store, keys: Sequence[int]) -> dict[int, tuple[Named, ...]]:
    """What entities were called, the most used first, each with where it was so called first."""
    found: dict[int, list[Named]] = {}
    for row in store.all("names_of_entities", keys=encode_keys(keys)):
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
        for row in store.all("forms_find", forms=encode_keys([*forms_of(name, type), anybodys(name, type)])):
            exact = row["kind"] == EXACT and row["form"] in (form_hash(fold_name(name, type)), anybodys(name, type))
            kind, key = row["root_type"], row["root"]
            if row["gone"] or (types and kind not in types):
                continue
            if exact or is_same(name, row["name"], row["type"]):
                rank = (not exact, kind != "person", kind in GENERIC, key)
                rows[key] = min(rank, rows.get(key, rank))
    best = [key for key, rank in sorted(rows.items(), key=lambda pair: pair[1]) if not rank[0]]
    return best or [key for key, _ in sorted(rows.items(), key=lambda pair: pair[1])]


def with_aliases(row: EntityRow, names: Iterable[Named], given: Iterable[str] = ()) -> EntityRow:
    """With what else it was called, and with what the user calls it."""
    called = dict.fromkeys([*(named.name for named in names), *given])
    return replace(row, aliases=tuple(name for name in called if name != row.name))
