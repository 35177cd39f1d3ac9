"""People by the beginning of their name: "Priya" is Priya Pivot where nobody else is called so, "Sian" Siân Slams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...language.folded_names import folded_words
from ...language.near_names import near_names
from ...store.store import Store
from .entities import keys_named

MOST = 10_000  # people whose names are looked at, those named most first


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """Somebody by key, with the name they go by."""

    key: int
    name: str


def people_first_named(store: Store, name: str) -> list[KnownPerson]:
    """People of whom a name begins with these words, whatever their case and accents, those named most first.

    Who is worth listing comes alone: the others are meant where there is nobody else.
    """
    asked = folded_words(name)
    return _whose_name(store, lambda words: words[: len(asked)] == asked) if asked else []


def people_with_words(store: Store, name: str) -> list[KnownPerson]:
    """People of whom a name has all these words, wherever they stand."""
    asked = set(folded_words(name))
    return _whose_name(store, lambda words: asked <= set(words)) if asked else []


def people_spelt_like(store: Store, name: str, limit: int) -> list[str]:
    """People whose names are spelt like another: Rhona, where Rona is asked for. Those worth listing come alone."""
    called: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for row in store.all("persons_called", limit=MOST):
        called[bool(row["listed"])] |= {row["name"]: row["name"], row["called"]: row["name"]}
    for names in called.values():
        if near := near_names(name, names):
            return list(dict.fromkeys(names[one] for one in near))[:limit]
    return []


def keys_meant(store: Store, name: str) -> list[int]:
    """The people and things that a name may mean; where nothing has it, the only person whose name begins so."""
    if keys := keys_named(store, name):
        return keys
    only = only_person_named(store, name)
    return [] if only is None else [only]


def only_person_named(store: Store, name: str) -> int | None:
    """The only person of this name but for its accents, else the only one whose name begins so."""
    found, asked = people_first_named(store, name), folded_words(name)
    whole = [one for one in found if folded_words(one.name) == asked]
    return (whole or found)[0].key if len(whole or found) == 1 else None


def _whose_name(store: Store, fits: Callable[[list[str]], bool]) -> list[KnownPerson]:
    found: dict[bool, dict[int, KnownPerson]] = {True: {}, False: {}}
    for row in store.all("persons_called", limit=MOST):
        if fits(folded_words(row["called"])) or fits(folded_words(row["name"])):
            found[bool(row["listed"])].setdefault(row["key"], KnownPerson(row["key"], row["name"]))
    return list((found[True] or found[False]).values())
