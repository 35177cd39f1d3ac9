"""The newer statement wins: of turns that answer about equally well, the one that was said last."""

from __future__ import annotations

from collections.abc import Sequence

from ..questions.question_form import QuestionForm, has_shape
from .reading import ReadTurn

WITHIN = 1.5  # of the best score: what is nearer than this answers about as well


def latest_of(read: Sequence[ReadTurn], form: QuestionForm) -> ReadTurn:
    """The turn to quote; questions about what was before take the best as it is."""
    best = read[0]
    if form.of_before or form.of_assistant or not has_shape(form.wants, best.sentence.text):
        return best
    rivals = [
        one
        for one in read
        if best.score - one.score <= WITHIN
        and one.turn.speaker == best.turn.speaker
        and has_shape(form.wants, one.sentence.text)
    ]
    return max(rivals, key=lambda one: (one.turn.said_at, one.score))
