"""Finds talk by what it is called: a word of the query that nobody said may stand in a conversation's title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ..core.distinct import distinct
from ..index.vector_index import VectorIndex
from ..language.lexical import stems, telling_terms
from ..records import Standing
from ..store.store import Store
from .expand import May
from .fuse import Ranked
from .search import SearchBounds, semantic

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


def unsaid_in_titles(store: Store, text: str) -> dict[str, tuple[str, ...]]:
    """The words of a query that nobody said, with the few conversations that are called by them."""
    words = [word for word in telling_terms(text) if len(word) >= SHORTEST][:MOST_WORDS]
    counts = store.document_counts(words) if words else {}
    titled = titles_with(store, [word for word in words if not counts[word]])
    return {word: listed for word, listed in titled.items() if len(listed) <= MOST_CALLED}


def nearest_within(
    store: Store,
    index: VectorIndex,
    vector: NDArray[np.float16],
    conversations: Iterable[str],
    bounds: SearchBounds,
    may: May,
    most: int,
) -> list[Ranked]:
    """What is nearest to a query in some conversations, however far that is; scores from 0 to 1."""
    allowed = _keys_of(store, sorted(set(conversations)), bounds)
    hits = semantic(store, index, vector, most, SearchBounds(allowed, bounds.excluded, bounds.apart))
    shown = may([hit.key for hit in hits])
    return [
        Ranked(hit.key, max(hit.score, 0.0), {"semantic": Standing(hit.rank, hit.score)})
        for hit in hits
        if hit.key in shown
    ]


def _keys_of(store: Store, conversations: Sequence[str], bounds: SearchBounds) -> NDArray[np.int64]:
    """The segments of some conversations, within the bounds."""
    keys = [store.keys("keys_of_conversation", conversation=one) for one in conversations]
    inside = distinct(np.concatenate(keys))
    return inside if bounds.allowed is None else np.intersect1d(inside, bounds.allowed)
