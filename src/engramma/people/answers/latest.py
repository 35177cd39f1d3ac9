"""The newer statement wins: of turns that speak of the same, the one that was said last."""

from __future__ import annotations

from collections.abc import Sequence

from ..questions.question_form import SHAPES, QuestionForm, has_shape
from .read_turns import ReadTurn

WITHIN = 8.0  # of the best score: what lies further back speaks of something else
ASKED = 80  # characters of a question by which the turn after it is known
ALIKE = 0.15  # of the question's words that a later turn may have less than the best one


def first_statement(read: Sequence[ReadTurn]) -> ReadTurn:
    """The best turn that tells something: where the best one asks, what was answered to it, or what is near to it."""
    best = read[0]
    if not best.sentence.asks:
        return best
    asked = " ".join(best.turn.text.split())[-ASKED:]
    told = [one for one in read if not one.sentence.asks]
    answer = next((one for one in told if one.turn.before.endswith(asked)), None)
    return answer or next((one for one in told if best.score - one.score <= WITHIN), best)


def latest_of(read: Sequence[ReadTurn], form: QuestionForm) -> ReadTurn:
    """The turn to quote: the best; for a number, a time or the like that holds now, the latest that says as much.

    A code is quoted where one stands: who asks to book a table does not know it yet.
    """
    best = read[0]
    if form.wants == "code":
        coded = (one for one in read if best.score - one.score <= WITHIN and has_shape("code", one.sentence.text))
        best = next(coded, best)
    if not form.of_now or form.of_assistant or not (form.wants in SHAPES or form.says_now):
        return best
    rivals = [
        one
        for one in read
        if best.score - one.score <= WITHIN
        and one.turn.speaker == best.turn.speaker
        and one.share >= best.share - ALIKE
        and has_shape(form.wants, one.sentence.text)
    ]
    return max(rivals, key=lambda one: (one.turn.said_at, one.score), default=best)
