"""How sure an answer is, and what is made of it: answered, unsure or not known.

`known` says how likely the asked thing was said of the asked person at all; `confidence` how likely the quote answers.
In talk between people the question is mostly whose it is: what is known is answered. In chats with an assistant the
question is whether the words found are an answer: there the confidence decides. Fitted on the development halves of five
sets by evaluate/bench/verdict_fit.py, each left out once; the figures are in docs/log/answers.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...records.people import Verdict
from ..questions.question_form import QuestionForm
from .attribution import Attributed, AttributedQuestion, features
from .reading import ReadTurn, logit
from .sentences import LOOKED_AT, find_content_stems

KNOWN = {"about": 5.121, "near": 0.208, "missing": -0.514, "told": 0.544}
KNOWN_BIAS = -2.574
IN_TALK = {"about": 1.577, "own": 1.12, "null": -0.216, "lead": 0.233, "recalled": 0.067, "unsaid": -0.353}
IN_TALK_BIAS = -2.059
IN_CHAT = {"relevance": 0.007, "null": -0.161, "recalled": 0.448, "unsaid": -0.157, "share": 0.388}
IN_CHAT_BIAS = 0.721
LEAST_KNOWN = 0.55  # below it, it was somebody else or nobody: 6 % of LoCoMo's answerable questions are below
ANSWERED = 0.5  # confidence from which on a chat's quote is an answer
SHOWN = 0.25  # confidence from which on a chat's quote is shown as unsure
CLEAR = 6.0  # a lead over the next turn that is as good as any
FURTHEST = 12.0  # of the null's logit either way
NOTHING_READ = -10.0


def measure(
    asked: AttributedQuestion, found: Sequence[Attributed], read: Sequence[ReadTurn], best: ReadTurn
) -> dict[str, float]:
    """What both are made of.

    Of attribution: `about`, `near` and `missing`, and `own`: how far the quoted turn is about whom the question asks.
    Of the reader: the quote's `relevance`, the `null` of its turn, its `lead` over the next turn, and `told`: the
    relevance of the best turn that is about the person. `recalled` is recall's own logit, `share` the part of the
    question's words that the turn has, `unsaid` how rare the rarest one is that neither it nor the turn before has.
    """
    said = find_content_stems(best.turn.text[:LOOKED_AT]) | find_content_stems(best.turn.before)
    others = [one.score for one in read if one.turn is not best.turn]
    own = {id(one.said): one.own for one in found}
    theirs = [one.relevance for one in read if not asked.people or own.get(id(one.turn), 0.5) >= 0.5]
    return features(asked, found) | {
        "relevance": best.relevance,
        "null": min(FURTHEST, max(-FURTHEST, best.null)),
        "recalled": logit(best.turn.score),
        "lead": min(CLEAR, max(-CLEAR, best.score - max(others, default=best.score - CLEAR))),
        "share": best.share,
        "unsaid": max((rare for stem, rare in asked.rarity.items() if stem not in said), default=0.0),
        "own": own.get(id(best.turn), 1.0),
        "told": max(theirs, default=NOTHING_READ),
    }


def known(measured: Mapping[str, float]) -> float:
    """How likely the asked thing was said of the asked person: 0 to 1."""
    return _likely(KNOWN, KNOWN_BIAS, measured)


def confidence(measured: Mapping[str, float], is_chat: bool) -> float:
    """How likely the quote answers the question as it is asked: 0 to 1."""
    if is_chat:
        return _likely(IN_CHAT, IN_CHAT_BIAS, measured)
    return _likely(IN_TALK, IN_TALK_BIAS, measured)


def _likely(weights: Mapping[str, float], bias: float, measured: Mapping[str, float]) -> float:
    total = bias + math.fsum(weight * measured[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-total))


def judge(form: QuestionForm, measured: Mapping[str, float], sure: float, is_chat: bool) -> Verdict:
    """The verdict over a quote."""
    if not is_chat and known(measured) < LEAST_KNOWN:
        return "not known"
    if is_chat and sure < SHOWN:
        return "not known"
    if form.is_worked_out or (is_chat and sure < ANSWERED):
        return "unsure"
    return "answered"
