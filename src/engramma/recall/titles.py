"""Finds talk by what it is called: a word of the query that nobody said may stand in a conversation's title."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..language.lexical import stems, telling_terms
from ..records import Standing
from ..store.database import Row
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
        called = (row["id"] for row in _titles_like(store, word) if _has_word(row["title"], word))
        if listed := tuple(islice(called, MOST_CALLED + 1)):
            found[word] = listed
    return found


def _titles_like(store: Store, word: str) -> list[Row]:
    """Conversations whose titles hold a piece of a word."""
    piece = _piece_of(word)
    written = word if piece == word.lower() else piece
    forms = (None, None) if piece.isascii() else (written.capitalize(), written.upper())  # SQL has no "Ä" for "ä"
    return store.all("titles_with", piece=piece, capital=forms[0], upper=forms[1], most=MOST_READ)


def _has_word(title: str, word: str) -> bool:
    """Whether a title has a word in any form. Only its words that hold a piece of it are stemmed: stemming is dear."""
    piece = _piece_of(word)
    near = " ".join(part for part in title.lower().split() if piece in part)
    return set(stems(word)) <= set(stems(near))


def _piece_of(word: str) -> str:
    low = word.lower()
    return next((one for one in sorted(stems(word), key=len)[-1:] if one in low), low)


def unsaid_in_titles(store: Store, text: str) -> dict[str, tuple[str, ...]]:
    """The words of a query that nobody said, with the few conversations that are called by them."""
    words = [word for word in telling_terms(text) if len(word) >= SHORTEST][:MOST_WORDS]
    counts = store.document_counts(words) if words else {}
    titled = titles_with(store, [word for word in words if not counts[word]])
    return {word: listed for word, listed in titled.items() if len(listed) <= MOST_CALLED}


def called_by_all(store: Store, text: str) -> tuple[str, ...]:
    """The few conversations whose titles have every word of a query of two words and more: "Sunday phone calls"."""
    words = [word for word in telling_terms(text) if len(word) >= SHORTEST]
    if not 2 <= len(words) <= MOST_WORDS:
        return ()
    rows = _titles_like(store, max(words, key=len))
    called = (row["id"] for row in rows if all(_has_word(row["title"], word) for word in words))
    found = tuple(islice(called, MOST_CALLED + 1))
    return found if len(found) <= MOST_CALLED else ()


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
    inside = store.keys("keys_of_conversations", conversations=json.dumps(list(conversations)))
    return inside if bounds.allowed is None else np.intersect1d(inside, bounds.allowed)
