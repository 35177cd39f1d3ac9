"""Cuts a session's turns into segments: an exchange with an assistant, or one utterance of a talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..records import SegmentKind, Turn

ANSWERS = ("assistant", "tool")  # belong to the turn they answer


@dataclass(frozen=True, slots=True)
class Span:
    """The turns first..last (both included) of a session, as one segment."""

    kind: SegmentKind
    first: int
    last: int


def segment(turns: Sequence[Turn], kind: SegmentKind | None = None) -> list[Span]:
    """Every turn in exactly one span, in order; each on its own where all are of one kind (notes, documents).

    The rule looks back one turn only, so a session that grows keeps all its spans but the last:
    an answer joins what it answers, anything else begins anew. A system text is nobody's question.
    """
    if kind is not None:
        return [Span(kind, position, position) for position in range(len(turns))]
    spans: list[Span] = []
    for position, turn in enumerate(turns):
        joins = turn.role in ANSWERS and spans and turns[spans[-1].first].role != "system"
        if joins:
            spans[-1] = Span("exchange", spans[-1].first, position)
        else:
            spans.append(Span("utterance" if turn.role is None else "exchange", position, position))
    return spans
