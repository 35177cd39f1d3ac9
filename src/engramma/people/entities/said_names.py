"""Names that the talk gave: each goes with the last stored turn that says it, also where a merge keeps it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...language.text import fold_text
from ...store.acts import get_act
from ...store.sqlite.database import Row
from ...store.store import Store
from .name_forms import exact_forms

BY_HAND = frozenset({"change", "me", "apart"})  # acts whose names are given, not taken from the talk


def words_left(store: Store, key: int, shown: Iterable[str], words: Sequence[Row]) -> list[tuple[str, str]]:
    """The user's words about an entity, less the names that no stored turn says any more, which go.

    A merge keeps the name that an entity had. While only hidden turns say it, it finds the entity, which has another.
    """
    names, left = set(shown), list[tuple[str, str]]()
    for word in words:
        kind, value = str(word["kind"]), str(word["value"])
        if kind == "name" and value not in names and not is_by_hand(store, word["act"]):
            if not is_said(store, key, value):
                store.run("entity_word_drop", entity=key, act=word["act"], kind=kind, value=value)
                continue
            kind = "alias"
        left.append((kind, value))
    return left


def name_left(store: Store, row: Row) -> str:
    """How to call an entity that nothing that can be seen names: as it was, where a stored turn still says so."""
    if row["merged"]:
        own = set(store.keys("forms_exact", key=row["key"]).tolist())
        names = [str(kept["name"]) for kept in store.all("names_kept", key=row["merged"])]
        fit = [name for name in names if name == row["name"] or own & exact_forms(name, row)]
        if fit:
            return str(row["name"]) if row["name"] in fit else fit[0]
    known = [row["name"], *(one["name"] for one in store.all("entity_merged_names", key=row["key"]))]
    return next((str(name) for name in known if is_said(store, row["key"], name)), str(row["type"]))


def is_said(store: Store, key: int, name: str) -> bool:
    """Whether a stored turn that named an entity, hidden or not, says a name as words of their own."""
    words = re.compile(rf"(?<!\w){re.escape(fold_text(name))}(?!\w)")
    return any(words.search(fold_text(f"{row['speaker']}\n{row['text']}")) for row in store.all("entity_said", key=key))


def is_by_hand(store: Store, act: int) -> bool:
    """Whether an act's names are the user's own, not those of the talk."""
    done = get_act(store, act)
    return done is not None and done.detail.get("what") in BY_HAND
