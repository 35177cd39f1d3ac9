"""Puts the first hits in order once more, with a model that reads the query and a segment together."""

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
READ_ON = 30  # segments that the packaged reader reads at most where `rerank` are not enough to tell the first ones


def reranked(store: Store, reranker: Reranker, query: str, ranked: Sequence[Ranked], first: int) -> list[Ranked]:
    """The first ones in the reranker's order; the rest stays behind them."""
    logits = reranker.scores(query, _spoken(store, [found.key for found in ranked[:first]]))
    return in_new_order(ranked, logits, logits)


def in_new_order(ranked: Sequence[Ranked], worth: Sequence[float], logits: Sequence[float]) -> list[Ranked]:
    """The first of the ranked, as many as have a worth, by that worth, equals as they stood; the rest behind them.

    The scores keep their values and change hands, so that they still fall along the list: what comes after goes by
    them (age and diversity, the worth of neighbours). What the model itself said is the candidate's standing.
    """
    head, rest = ranked[: len(worth)], ranked[len(worth) :]
    order = sorted(range(len(head)), key=lambda place: -worth[place])
    scores = sorted((found.score for found in head), reverse=True)
    moved = [
        replace(head[place], score=score, standings={**head[place].standings, CHANNEL: Standing(rank, logits[place])})
        for rank, (place, score) in enumerate(zip(order, scores, strict=True), 1)
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
