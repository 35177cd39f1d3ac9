"""Typed links as rows, and read as records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..language.text import segment_id
from ..language.times import from_micros
from ..records import Link
from .database import Row
from .store import FORGOTTEN, Store, encode_keys


def remove_link(store: Store, src: int, kind: str, dst: int) -> None:
    """Take a typed link away, inside the caller's transaction."""
    store.run("edge_delete", src=src, kind=kind, dst=dst)
    store.run("link_delete", src=src, kind=kind, dst=dst)


def values_of(row: Row) -> dict[str, Any]:
    """What an act keeps of a link."""
    names = ("label", "author", "provenance", "made_at")
    return {"weight": row["first_weight"], **{name: row[name] for name in names}}


def read_links(store: Store, rows: Sequence[Row]) -> list[Link]:
    """Rows as links, those whose ends are not forgotten."""
    ids = list_visible_ids(store, {row[end] for row in rows for end in ("src", "dst")})
    return [link_of(row, ids[row["src"]], ids[row["dst"]]) for row in rows if row["src"] in ids and row["dst"] in ids]


def list_visible_ids(store: Store, keys: Iterable[int]) -> dict[int, str]:
    """The ids of some segments, without those that are forgotten."""
    return {
        row["key"]: segment_id(row["conversation"], row["session_id"], row["idx"])
        for row in store.all("segments_by_keys", keys=encode_keys(keys))
        if not row["state"] & FORGOTTEN
    }


def link_of(row: Row, source: str, target: str) -> Link:
    return Link(
        source,
        row["kind"],
        target,
        row["weight"],
        row["first_weight"],
        row["label"],
        row["author"],
        row["provenance"],
        from_micros(row["made_at"]),
    )
