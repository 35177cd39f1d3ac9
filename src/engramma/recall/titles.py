"""Finds talk by what it is called: a word of the query that nobody said may stand in a conversation's title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.distinct import distinct
from ..language.lexical import stems, telling_terms
from ..records import Standing
from ..store.store import Store
from .fuse import Ranked, taken_in_turn
from .search import SearchBounds, semantic

if TYPE_CHECKING:
    from .pipeline import Looking

SHORTEST = 3  # letters of a word that is looked for
MOST_WORDS = 8  # of a query
MOST_CALLED = 20  # conversations: a word in more titles does not tell which is meant


def titles_with(store: Store, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The conversations whose titles have each of the words, in any form; words that no title has are left out."""
    found = dict[str, tuple[str, ...]]()
    for word in words:
        stem = stems(word)
        rows = store.all("titles_with", beginning=stem[0] if stem and word.startswith(stem[0]) else word)
        called = tuple(row["id"] for row in rows if set(stem) <= set(stems(row["title"])))
        if called:
            found[word] = called
    return found


def with_titled(at: Looking, entries: Sequence[Ranked], most: int) -> list[Ranked]:
    """The entries, and in turn with them what is nearest to the query in talk that is called by a word nobody said."""
    words = [word for word in telling_terms(at.query.text) if len(word) >= SHORTEST][:MOST_WORDS]
    counts = at.store.document_counts(words) if words else {}
    titled = titles_with(at.store, [word for word in words if not counts[word]])
    called = sorted({one for listed in titled.values() for one in listed if len(listed) <= MOST_CALLED})
    if not called:
        return list(entries)
    allowed = _keys_of(at.store, called, at.bounds)
    hits = semantic(at.store, at.index, at.vector, most, SearchBounds(allowed, at.bounds.excluded, at.bounds.apart))
    shown = at.may([hit.key for hit in hits])
    first = entries[0].score if entries else 1.0
    ranked = [
        Ranked(hit.key, min(first, max(hit.score, 0.0)), {"semantic": Standing(hit.rank, hit.score)})
        for hit in hits
        if hit.key in shown
    ]
    if ranked:
        listed = ", ".join(repr(word) for word in titled)
        at.watch.notes.append(f"{listed} stands in a title only: looked in the conversations that are called so")
    return taken_in_turn([ranked, entries])[:most]


def _keys_of(store: Store, conversations: Sequence[str], bounds: SearchBounds) -> NDArray[np.int64]:
    """The segments of some conversations, within the bounds."""
    keys = [store.keys("keys_of_conversation", conversation=one) for one in conversations]
    inside = distinct(np.concatenate(keys))
    return inside if bounds.allowed is None else np.intersect1d(inside, bounds.allowed)
