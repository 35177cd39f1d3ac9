"""Masks secrets outside the turns: in repeats, titles, entity names, links, and acts, which quote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..ingest.note_repeats import note_id
from ..ingest.validate import Mask
from ..language.times import format_time, from_micros
from ..redaction import Redaction
from ..store.masks import MARK, masked_name
from ..store.store import Store

QUOTED = ("label", "provenance")  # what an act keeps of a link in the caller's words
QUERY = "query"  # and of what was to be forgotten


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row to mask: the query that does it, and the segment it belongs to, if any."""

    what: Literal["repeats", "titles", "links", "acts"]
    redactions: tuple[Redaction, ...]
    query: str
    params: Mapping[str, Any]
    segment: int | None = None


def changes_beside(store: Store, mask: Mask) -> list[RowChange]:
    """Everything beside the turns that holds something to mask. Writes nothing."""
    with store.snapshot():
        found = (look(store, mask) for look in (in_repeats, in_titles, in_entities, in_links, in_acts))
        return [change for changes in found for change in changes]


def mask_beside(store: Store, mask: Mask) -> int:
    """Mask it all, inside the caller's transaction; returns how many rows changed."""
    changes = changes_beside(store, mask)
    for change in changes:
        store.run(change.query, **change.params)
    return len(changes)


# --- steps ---------------------------------------------------------------------------------------


def in_repeats(store: Store, mask: Mask) -> Iterator[RowChange]:
    """Repeats. One that says, masked, what another says at the same note is the same repeat."""
    rows = store.all("repeats_all")
    taken = {(row["key"], row["id"]) for row in rows}
    for row in rows:
        clean = mask(row["text"])
        names = {name: row[name] and masked_name(row[name], mask) for name in ("id", "speaker", "source", "session")}
        if clean.text == row["text"] and all(row[name] == masked for name, masked in names.items()):
            continue
        key, before = row["key"], row["id"]
        said_at = format_time(from_micros(row["said_at"]))
        old = note_id(row["speaker"], said_at, row["text"], row["source"], row["session"])
        new = note_id(names["speaker"], said_at, clean.text, names["source"], names["session"])
        id = new if before == old else names["id"]
        named = (one for name in names if row[name] for one in mask(row[name]).redactions)
        finds = (*clean.redactions, *named)
        if id != before and (key, id) in taken:
            yield RowChange("repeats", finds, "repeat_delete", {"key": key, "before": before}, key)
            continue
        taken.add((key, id))
        params = {**names, "key": key, "before": before, "id": id, "text": clean.text}
        yield RowChange("repeats", finds, "repeat_reword", params, key)


def in_titles(store: Store, mask: Mask) -> Iterator[RowChange]:
    """Titles of conversations and where they are from."""
    for row in store.all("conversations"):
        title = row["title"] and mask(row["title"]).text
        source = row["source"] and masked_name(row["source"], mask)
        if (title, source) != (row["title"], row["source"]):
            finds = tuple(one for text in (row["title"], row["source"]) if text for one in mask(text).redactions)
            yield RowChange(
                "titles", finds, "conversation_retitle", {"id": row["id"], "title": title, "source": source}
            )


def in_entities(store: Store, mask: Mask) -> Iterator[RowChange]:
    """Names that the user gave to entities, and the names of those that stay for the user's word alone."""
    for row in store.all("entity_words_named"):
        if (value := masked_name(row["value"], mask)) != row["value"]:
            params = {**{name: row[name] for name in ("entity", "act", "kind")}, "before": row["value"], "value": value}
            yield RowChange("titles", mask(row["value"]).redactions, "entity_word_reword", params)
    for row in store.all("entities_spoken_of"):
        if (name := masked_name(row["name"], mask)) != row["name"]:
            yield RowChange("titles", mask(row["name"]).redactions, "entity_named", {"key": row["key"], "called": name})


def in_links(store: Store, mask: Mask) -> Iterator[RowChange]:
    for row in store.all("links_all"):
        texts = {name: row[name] and mask(row[name]).text for name in QUOTED}
        texts["author"] = masked_name(row["author"], mask)
        if any(text != row[name] for name, text in texts.items()):
            params = {"src": row["src"], "kind": row["kind"], "dst": row["dst"], **texts}
            finds = tuple(one for name in texts if row[name] for one in mask(row[name]).redactions)
            yield RowChange("links", finds, "link_reword", params, row["src"])


def in_acts(store: Store, mask: Mask) -> Iterator[RowChange]:
    """Acts. Ids in them were masked with what they name, or it could not be undone; what is left names nothing."""
    for row in store.all("acts_latest", limit=-1):
        finds: list[Redaction] = list(mask(row["reason"]).redactions)
        detail = json.loads(row["detail"])
        masked = quotes_masked(detail, mask, finds)
        if masked != detail or finds:
            written = json.dumps(masked, ensure_ascii=False, sort_keys=True)
            params = {"id": row["id"], "reason": mask(row["reason"]).text, "detail": written}
            yield RowChange("acts", tuple(finds), "act_scrub", params)


def quotes_masked(detail: Any, mask: Mask, finds: list[Redaction], name: str = "") -> Any:
    """An act's detail with what it quotes and names masked, however deep; what is found goes to `finds`."""
    if isinstance(detail, dict):
        return {quotes_masked(key, mask, finds): quotes_masked(part, mask, finds, key) for key, part in detail.items()}
    if isinstance(detail, list):
        return [quotes_masked(part, mask, finds, name) for part in detail]
    if not isinstance(detail, str) or (MARK in detail and detail.startswith(("seg_", "doc_"))):
        return detail
    clean = mask(detail)
    finds.extend(clean.redactions)
    if name == QUERY and clean.redactions:
        return None  # a phrase to look for; masked, it would be found where other secrets stood
    return clean.text if name in QUOTED else masked_name(detail, mask)
