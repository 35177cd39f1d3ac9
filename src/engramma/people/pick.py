"""Picking the piece of the found turns that answers a question."""

from __future__ import annotations

from collections.abc import Sequence

from .attribution import Asked, Attributed
from .spans import Span, spans


def best_spans(question: str, kind: str, asked: Asked, turns: Sequence[Attributed]) -> list[tuple[Span, Attributed]]:
    """The pieces of the turns that may be the answer, the best first."""
    found = [
        (Span(span.text, span.score * turn.weight), turn)
        for turn in turns
        for span in spans(turn.sentence.text, asked.rarity)
    ]
    return sorted(found, key=lambda pair: -pair[0].score)
