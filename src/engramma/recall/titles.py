"""Finds talk by what it is called: a word of the query that nobody said may stand in a conversation's title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
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
MOST_READ = 2_000  # titles with a piece of a word: keeps a word that every title has cheap


def titles_with(store: Store, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The conversations whose titles have each of the words, in any form; words that no title has are left out.

    No more than one too many to tell which is meant. What is forgotten is called nothing.
    """
    found = dict[str, tuple[str, ...]]()
    for word in words:
        stem, low = stems(word), word.lower()
        piece = next((one for one in sorted(stem, key=len)[-1:] if one in low), low)
        other = (None, None) if piece.isascii() else (piece.capitalize(), piece.upper())  # SQL knows no "Ä" for "ä"
        rows = store.all("titles_with", piece=piece, capital=other[0], upper=other[1], most=MOST_READ)
        called = (row["id"] for row in rows if set(stem) <= _stems_near(row["title"], piece))
        if listed := tuple(islice(called, MOST_CALLED + 1)):
            found[word] = listed
    return found


def _stems_near(title: str, piece: str) -> set[str]:
    """The stems of those words of a title that hold a piece: a title may be long, and stemming is dear."""
    return set(stems(" ".join(part for part in title.lower().split() if piece in part)))


def with_titled(at: Looking, entries: Sequence[Ranked], most: int) -> list[Ranked]:
    """The entries, and in turn with them what is nearest to the query in talk that is called by a word nobody said."""
    words = [word for word in telling_terms(at.query.text) if len(word) >= SHORTEST][:MOST_WORDS]
    counts = at.store.document_counts(words) if words else {}
    titled = titles_with(at.store, [word for word in words if not counts[word]])
    titled = {word: listed for word, listed in titled.items() if len(listed) <= MOST_CALLED}
    called = sorted({one for listed in titled.values() for one in listed})
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
