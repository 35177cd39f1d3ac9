"""LangGraph's `BaseStore` over a memory: `pip install 'engramma[langgraph]'`.

An item is a version in one conversation of the memory's namespace (slots.py). Its value stands beside the words as
JSON and comes back as it was; the words, which recall and search find, are the texts in the value or the fields
that `index` names.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from ...memory import Memory
from ...recall.query import MAX_K
from . import packing, slots
from .langgraph_match import meets, named_by

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
    )
except ImportError as error:
    raise ImportError("This needs LangGraph. Install it with: pip install 'engramma[langgraph]'") from error

Namespace = tuple[str, ...]

CONVERSATION = "langgraph"
NO_WORDS = "(not searchable)"  # the words of an item that has none, or that is kept out of search
MADE = "created_at"  # in a turn's meta: when the item was first put
FIRST_LOOK = 50  # candidates asked for at first; four times as many while too few of them are in the namespace
DECODER = json.JSONDecoder()


class EngrammaStore(BaseStore):
    """A LangGraph store that lives in one namespace of a memory, and that the memory's own recall searches, too.

    `fields` says which parts of a value are searched, as in LangGraph's own index settings; without it all texts.
    """

    __slots__ = ("conversation", "fields", "memory")

    def __init__(
        self, memory: Memory, *, fields: Sequence[str] | None = None, conversation: str = CONVERSATION
    ) -> None:
        self.memory = memory
        self.fields = None if fields is None else list(fields)
        self.conversation = conversation

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Everything that is asked sees what was there before; then what is put is written, the last of each key."""
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[tuple(op.namespace), op.key] = op
                results.append(None)
            elif isinstance(op, GetOp):
                results.append(self._get(tuple(op.namespace), op.key))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        for (namespace, key), put in puts.items():
            self._put(namespace, key, put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    # --- steps ---------------------------------------------------------------------------------

    def _get(self, namespace: Namespace, key: str) -> Item | None:
        version = slots.get(self.memory, self.conversation, _name_of(namespace, key))
        if version is None:
            return None
        return Item(
            value=_value_of(version), key=key, namespace=namespace, created_at=_made(version), updated_at=version.at
        )

    def _put(self, namespace: Namespace, key: str, op: PutOp) -> None:
        name = _name_of(namespace, key)
        if op.value is None:
            slots.forget_versions(
                self.memory, self.conversation, slots.versions_of(self.memory, self.conversation, name)
            )
            return
        if op.ttl is not None:
            raise NotImplementedError(
                "Engramma does not expire items: put without ttl, and delete what is no longer needed."
            )
        before = slots.get(self.memory, self.conversation, name)
        value = dict(op.value)
        meta = packing.pack_value(value, self.memory.redactor.mask, self.memory.config.max_turn_bytes)
        if before is not None:
            meta[MADE] = _made(before).isoformat()
        words = "" if op.index is False else self.memory.redactor.own_words(_words_of(value, op.index or self.fields))
        text = packing.make_storable(words) if words.strip() else NO_WORDS
        slots.store_version(self.memory, self.conversation, name, text, speaker="/".join((*namespace, key)), meta=meta)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix, depth = self._stored(op.namespace_prefix), len(op.namespace_prefix)
        start = packing.encode_json(list(prefix)).removesuffix("]")
        there = slots.current(self.memory, self.conversation, start).values()
        items = {version.session: item for version in there if (item := _item_of(version))}
        found = {
            session: item
            for session, item in _in_order(items)
            if item.namespace[:depth] == prefix and meets(item.value, op.filter)
        }
        shown = list(found.values())
        if op.query and op.query.strip() and found:
            silent = {version.session for version in there if version.text == NO_WORDS}
            shown = self._ranked(op.query, found, silent, op.offset + op.limit)
        return shown[op.offset : op.offset + op.limit]

    def _stored(self, namespace: Sequence[str]) -> Namespace:
        """A namespace's labels as they are kept: without their secrets."""
        return tuple(json.loads(slots.mask_slot_name(self.memory, packing.encode_json(list(namespace)))))

    def _ranked(self, query: str, found: dict[str, SearchItem], silent: set[str], wanted: int) -> list[SearchItem]:
        """The nearest in meaning first, each once; those with no words last, without a score."""
        rest, ranked, k = dict(found), list[SearchItem](), FIRST_LOOK
        while True:
            asked = min(k, MAX_K)
            entries = self.memory.recall(query, asked, "vector", conversation=self.conversation).entries
            for entry in entries:
                if entry.session_id not in silent and (item := rest.pop(entry.session_id, None)) is not None:
                    ranked.append(_scored(item, entry.score))
            if len(ranked) >= wanted or len(entries) < asked or asked == MAX_K:
                return [*ranked, *rest.values()]
            k *= 4

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        there = {
            place[0]
            for name in slots.current(self.memory, self.conversation)
            if (place := _place_of(name)) and all(named_by(c, place[0]) for c in op.match_conditions or ())
        }
        shown = sorted(there if op.max_depth is None else {namespace[: op.max_depth] for namespace in there})
        return shown[op.offset : op.offset + op.limit]


def _name_of(namespace: Sequence[str], key: str) -> str:
    """What an item is kept under: `["users","ann"]"theme"`."""
    return packing.encode_json(list(namespace)) + packing.encode_json(key)


def _place_of(name: str) -> tuple[Namespace, str] | None:
    """The namespace and the key that a name says."""
    with suppress(ValueError):
        namespace, end = DECODER.raw_decode(name)
        return tuple(namespace), json.loads(name[end:])
    return None


def _value_of(version: slots.Version) -> dict[str, Any]:
    """An item's value; its words, where a later scan for secrets has broken the JSON."""
    with suppress(ValueError):
        value = packing.unpack_value(version.meta)
        if isinstance(value, dict):
            return value
    return {"text": version.text}


def _made(version: slots.Version) -> datetime:
    return datetime.fromisoformat(version.meta[MADE]) if MADE in version.meta else version.at


def _item_of(version: slots.Version) -> SearchItem | None:
    place = _place_of(version.name)
    if place is None:
        return None
    return SearchItem(
        namespace=place[0], key=place[1], value=_value_of(version), created_at=_made(version), updated_at=version.at
    )


def _scored(item: SearchItem, score: float) -> SearchItem:
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _in_order(items: dict[str, SearchItem]) -> list[tuple[str, SearchItem]]:
    """Namespace by namespace, the one that came first first, and within it as the items came."""
    by_age = sorted(items.items(), key=lambda pair: pair[1].created_at)
    first: dict[Namespace, int] = {}
    for _, item in by_age:
        first.setdefault(item.namespace, len(first))
    return sorted(by_age, key=lambda pair: first[pair[1].namespace])


def _words_of(value: dict[str, Any], fields: Sequence[str] | None) -> str:
    """What of a value is searched: the texts at these paths, or everything, a line each under its key."""
    if fields is None:
        return "\n".join(lines_of(value))
    return "\n".join(text for path in fields for text in get_text_at_path(value, path))


def lines_of(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from lines_of(part, str(name))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from lines_of(part, key)
    elif value is not None:
        yield f"{key}: {value}" if key else str(value)
