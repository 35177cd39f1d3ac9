"""A page of entities, with the existing types and how many blocks still have to be read for names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.core import Core
from ...language.times import from_micros
from ...store.store import Store, encode_keys
from ..claims.store import waiting
from .entities import entity_page, given_names


@dataclass(frozen=True, slots=True)
class EntityListing:
    """A page of entities, how many there are in all, their types, and how many blocks of talk wait."""

    items: list[dict[str, Any]]
    total: int
    types: list[dict[str, Any]]
    waiting: int


def entity_listing(
    core: Core, type: str | None, search: str | None, sort: str, limit: int, offset: int
) -> EntityListing:
    """The page as the store is now; nothing is extracted first."""
    store = core.store
    with store.snapshot():
        keys, total = entity_page(store, type or None, search or None, sort, limit, offset)
        types = [dict(row) for row in store.all("entity_types", everything=0)]
        return EntityListing(entity_lines(store, keys), total, types, waiting(store))


def entity_lines(store: Store, keys: Sequence[int]) -> list[dict[str, Any]]:
    """Entities in the order of their keys; those of which nothing can be seen are not there."""
    listed, called = encode_keys(keys), dict[int, list[str]]()
    for row in store.all("names_shown", keys=listed):
        called.setdefault(row["entity"], []).append(row["name"])
    given = given_names(store, keys)
    seen = {row["key"]: row for row in store.all("entities_counted", keys=listed) if row["last_at"] is not None}
    return [
        {
            **dict(seen[key]),
            "last_at": from_micros(seen[key]["last_at"]),
            "aliases": [
                one for one in dict.fromkeys([*given.get(key, ()), *called.get(key, ())]) if one != seen[key]["name"]
            ],
        }
        for key in keys
        if key in seen
    ]
