"""How sure an answer is: one confidence, fitted over kinds of talk, and the two places where it cuts.

Fitted by evaluate/bench/verdict_fit.py on the development halves of five sets, each left out once; figures and the
reliability table are in docs/log/answers.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..questions.question_form import QuestionForm, has_shape
from .attribution import Attributed, AttributedQuestion, features
from .reading import ReadTurn, logit
from .sentences import LOOKED_AT, find_content_stems

WEIGHTS = {
    "about": 6.7,
    "near": 0.49,
    "missing": -1.2,
    "relevance": 0.25,
}
BIAS = -5.8
ANSWERED = 0.59  # from here on it answers
KNOWN = 0.4  # from here on it shows what it found, and says that it is not sure
CLEAR = 6.0  # a lead over the next turn that is as good as any


def measure(
    form: QuestionForm,
    asked: AttributedQuestion,
    found: Sequence[Attributed],
    read: Sequence[ReadTurn],
    best: ReadTurn,
) -> dict[str, float]:
    """What the confidence is made of.

    Of attribution: `about`, `near` and `missing`. Of the reader: the quote's `relevance`, the `null` of its turn, its
    `lead` over the next turn. `recalled` is recall's own logit; `unsaid` how rare the rarest word of the question is
    that the quoted turn does not have; `shapeless` that the quote lacks words of the wanted type, `shaped` that it has
    them; `worked_out` that nobody can have said it; `own` how far the turn is about whom the question asks.
    """
    told = find_content_stems(best.turn.text[:LOOKED_AT]) | find_content_stems(best.turn.before)
    others = [one.score for one in read if one.turn is not best.turn]
    own = next((one.own for one in found if one.said is best.turn), 1.0)
    is_typed = form.wants not in ("", "date", "yes_no")
    fits = has_shape(form.wants, best.sentence.text)
    return features(asked, found) | {
        "relevance": best.relevance,
        "null": min(12.0, max(-12.0, best.null)),
        "recalled": logit(best.turn.score),
        "lead": min(CLEAR, max(-CLEAR, best.score - max(others, default=best.score - CLEAR))),
        "unsaid": max((rare for stem, rare in asked.rarity.items() if stem not in told), default=0.0),
        "own": own,
        "shapeless": float(is_typed and not fits),
        "shaped": float(is_typed and fits),
        "worked_out": float(form.is_worked_out),
        "asks": float(best.sentence.asks),
    }


def confidence(measured: Mapping[str, float]) -> float:
    """How likely the quote answers the question as it is asked: 0 to 1."""
    total = BIAS + math.fsum(weight * measured[name] for name, weight in WEIGHTS.items())
    return 1 / (1 + math.exp(-total))
