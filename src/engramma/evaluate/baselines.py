"""BM25 and plain cosine over turns, computed here in numpy: what any memory has to beat.

Both rank turns ("speaker: text"); a session has the rank of its best turn.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..language.text import labelled
from ..models.embed import Embedder
from .porter import stem
from .task import BenchmarkStore

K1, B = 1.2, 0.75  # the usual ones
BASELINES = ("bm25", "cosine")
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here hers
    herself him himself his how i if in into is it its itself just me more most my myself no nor not now of off on
    once only or other our ours ourselves out over own s same she should so some such t than that the their theirs
    them themselves then there these they this those through to too under until up very was we were what when
    where which while who whom why will with would you your yours yourself yourselves
    """.split()  # noqa: SIM905
)

Ranker = Callable[[str], list[tuple[str, str]]]  # a question -> (turn id, session id), best first


def ranker(name: str, store: BenchmarkStore, embedder: Embedder, depth: int) -> Ranker:
    """A baseline over one store, as deep as the memory is asked."""
    places, texts = _turns_of(store)
    score = bm25(texts) if name == "bm25" else cosine(texts, embedder)

    def rank(question: str) -> list[tuple[str, str]]:
        scores = score(question)
        best = np.argsort(-scores, kind="stable")[:depth]
        return [places[place] for place in best if name != "bm25" or scores[place] > 0]

    return rank


def _turns_of(store: BenchmarkStore) -> tuple[list[tuple[str, str]], list[str]]:
    """(turn id, session id) and "speaker: text" of every turn."""
    places, texts = [], []
    for talk in store.conversations:
        for session in talk.sessions:
            for turn in session.turns:
                places.append((str(turn.id), session.id))
                texts.append(labelled([(turn.speaker, turn.text)]))
    return places, texts


def _words(text: str) -> list[str]:
    """Stems of a text's words, without stop words."""
    found = re.findall(r"[^\W_]+", text.lower().replace("'", "").replace("’", ""))
    return [stem(word) for word in found if word not in STOP_WORDS]


def bm25(texts: Sequence[str]) -> Callable[[str], NDArray[np.float64]]:
    """Okapi BM25 with the idf that is never negative."""
    counts = [Counter(_words(text)) for text in texts]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-9))
    postings: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for place, count in enumerate(counts):
        for word, times in count.items():
            postings[word][0].append(place)
            postings[word][1].append(times)
    arrays = {word: (np.array(at), np.array(times, dtype=np.float64)) for word, (at, times) in postings.items()}

    def score(question: str) -> NDArray[np.float64]:
        total = np.zeros(len(texts))
        for word in sorted(set(_words(question)) & arrays.keys()):
            at, times = arrays[word]
            idf = np.log(1 + (len(texts) - len(at) + 0.5) / (len(at) + 0.5))
            total[at] += idf * times * (K1 + 1) / (times + norm[at])
        return total

    return score


def cosine(texts: Sequence[str], embedder: Embedder) -> Callable[[str], NDArray[np.float64]]:
    """The packaged encoder's similarity and nothing else."""
    documents = embedder.embed(texts, "document").astype(np.float64)

    def score(question: str) -> NDArray[np.float64]:
        found = documents @ embedder.embed([question], "query")[0].astype(np.float64)
        return np.asarray(found)

    return score
