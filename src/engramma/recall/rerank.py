"""Reranks the top segments with a model that reads the query and a segment together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..language.text import labelled
from ..records import Standing
from ..store.store import Store
from .fuse import Ranked

if TYPE_CHECKING:  # its runtime must not cost those who never rerank
    from ..models.rerank import Reranker

CHANNEL = "rerank"


def reranked(store: Store, reranker: Reranker, query: str, ranked: Sequence[Ranked], first: int) -> list[Ranked]:
    """The first ones in the reranker's order, equals as they stood; the rest stays behind them.

    The scores keep their values and change hands, so that they still fall along the list: what comes after goes by
    them (age and diversity, the worth of neighbours). What the reranker itself said is the candidate's standing.
    """
    head, rest = ranked[:first], ranked[first:]
    texts = _spoken(store, [found.key for found in head])
    logits = reranker.scores(query, texts)
    order = sorted(range(len(head)), key=lambda place: -logits[place])
    worth = sorted((found.score for found in head), reverse=True)
    moved = [
        replace(head[place], score=score, standings={**head[place].standings, CHANNEL: Standing(rank, logits[place])})
        for rank, (place, score) in enumerate(zip(order, worth, strict=True), 1)
    ]
    return [*moved, *rest]


def _spoken(store: Store, keys: Sequence[int]) -> list[str]:
    """The segments' texts with their speakers, as the context shows them."""
    segments = store.hydrate(keys)
    return [
        labelled([(segments[key].speakers[0], segments[key].text)])
        if len(segments[key].turn_ids) == 1
        else segments[key].text
        for key in keys
    ]
