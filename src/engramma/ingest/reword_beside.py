"""Masks secrets in what stands beside the turns: repeats, titles, typed links, and acts, which quote links."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..redaction import Redaction
from ..store.store import Store
from ..times import format_time, from_micros
from .notes import note_id
from .validate import Mask

QUOTED = ("label", "provenance")  # what an act keeps of a link in the caller's words


@dataclass(frozen=True, slots=True)
class Change:
    """One row to mask: the query that does it, and the segment it belongs to, if any."""

    what: Literal["repeats", "titles", "links", "acts"]
    redactions: tuple[Redaction, ...]
    query: str
    params: Mapping[str, Any]
    segment: int | None = None


def changes_beside(store: Store, mask: Mask) -> list[Change]:
    """Everything beside the turns that holds something to mask. Writes nothing."""
    with store.snapshot():
        return [*in_repeats(store, mask), *in_titles(store, mask), *in_links(store, mask), *in_acts(store, mask)]


def mask_beside(store: Store, mask: Mask) -> int:
    """Mask it all, inside the caller's transaction; returns how many rows changed."""
    changes = changes_beside(store, mask)
    for change in changes:
        store.run(change.query, **change.params)
    return len(changes)


# --- steps ---------------------------------------------------------------------------------------


def in_repeats(store: Store, mask: Mask) -> Iterator[Change]:
    """Repeats. One that says, masked, what another says at the same note is the same repeat."""
    rows = store.all("repeats_all")
    taken = {(row["key"], row["id"]) for row in rows}
    for row in rows:
        clean = mask(row["text"])
        if clean.text == row["text"]:
            continue
        key, before = row["key"], row["id"]
        said_at = format_time(from_micros(row["said_at"]))
        old, new = (
            note_id(row["speaker"], said_at, text, row["source"], row["session"]) for text in (row["text"], clean.text)
        )
        id = new if before == old else before
        if id != before and (key, id) in taken:
            yield Change("repeats", clean.redactions, "repeat_delete", {"key": key, "before": before}, key)
            continue
        taken.add((key, id))
        params = {"key": key, "before": before, "id": id, "text": clean.text}
        yield Change("repeats", clean.redactions, "repeat_reword", params, key)


def in_titles(store: Store, mask: Mask) -> Iterator[Change]:
    for row in store.all("conversations"):
        if row["title"] and (clean := mask(row["title"])).text != row["title"]:
            yield Change("titles", clean.redactions, "conversation_retitle", {"id": row["id"], "title": clean.text})


def in_links(store: Store, mask: Mask) -> Iterator[Change]:
    for row in store.all("links_all"):
        found = {name: mask(row[name]) for name in QUOTED if row[name]}
        if any(clean.text != row[name] for name, clean in found.items()):
            texts = {name: found[name].text if name in found else row[name] for name in QUOTED}
            params = {"src": row["src"], "kind": row["kind"], "dst": row["dst"], **texts}
            finds = tuple(one for clean in found.values() for one in clean.redactions)
            yield Change("links", finds, "link_reword", params, row["src"])


def in_acts(store: Store, mask: Mask) -> Iterator[Change]:
    """Ids in an act stay as they are, or it could not be undone."""
    for row in store.all("acts_latest", limit=-1):
        finds: list[Redaction] = []
        detail = json.loads(row["detail"])
        masked = quotes_masked(detail, mask, finds)
        if masked != detail:
            written = json.dumps(masked, ensure_ascii=False, sort_keys=True)
            params = {"id": row["id"], "reason": row["reason"], "detail": written}
            yield Change("acts", tuple(finds), "act_scrub", params)


def quotes_masked(detail: Any, mask: Mask, finds: list[Redaction], name: str = "") -> Any:
    """An act's detail with what it quotes masked, however deep; what is found goes to `finds`."""
    if isinstance(detail, dict):
        return {name: quotes_masked(part, mask, finds, name) for name, part in detail.items()}
    if isinstance(detail, list):
        return [quotes_masked(part, mask, finds, name) for part in detail]
    if not (isinstance(detail, str) and name in QUOTED):
        return detail
    clean = mask(detail)
    finds.extend(clean.redactions)
    return clean.text
