"""How sure an answer is, and what is made of it: answered, unsure or not known.

`known` says how likely the asked thing was said of the asked person at all; `confidence` how likely the quote answers.
Where a question names one of several who talk, it matters most whose it is: what is known of them is answered. Else, as
in chats with an assistant, it matters whether the words found are an answer: there the confidence decides. Fitted on
the development halves of five sets by evaluate/bench/verdict_fit.py, each left out once (docs/log/answers.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...language.unspaced import is_spelled
from ...recall.read_again import logit_of
from ...records.people import Verdict
from ..questions.question_form import QuestionForm, has_shape
from .attribution import Attributed, AttributedQuestion, features
from .read_turns import ReadTurn, bounded_null
from .sentences import LOOKED_AT, QUESTION_MARKS, find_content_stems, lacks_part, share_of_words

KNOWN = {"about": 6.7, "near": 0.49, "missing": -1.2, "told": 0.25}
KNOWN_BIAS = -5.8
# The same where the reader was also asked of others and without the words that the turn lacks; `gained` is what the
# latter brings, as far as these words are nowhere near what the person said.
KNOWN_OTHERWISE = {"about": 2.24, "told": 0.28, "others": -0.31, "lead": -0.37, "recalled": 0.32, "gained": -0.48}
KNOWN_OTHERWISE_BIAS = 1.73
IN_TALK = {"about": 1.438, "own": 1.265, "null": -0.243, "lead": 0.181, "recalled": 0.169, "unsaid": -0.211}
IN_TALK_BIAS = -2.165
IN_CHAT = {"relevance": 0.007, "null": -0.301, "recalled": 0.448, "unsaid": -0.157, "share": 0.388}
IN_CHAT_BIAS = 0.721
LEAST_KNOWN = 0.46  # below it, it was somebody else or nobody
LEAST_KNOWN_OTHERWISE = 0.4  # the same by the reader's other readings: 3 % of LoCoMo's answerable questions are below
LEAST_TOLD = 0.07  # confidence in what the person named said, below which not even a guess is told
LEAST_TOLD_WORDLESS = 0.1  # the same where it has no word of the question
SURELY_KNOWN = 0.7  # of the person named, from which on a quote of another matter is told as a guess
LEAST_OWN = 0.3  # of a turn: what is less about the people asked for is somebody else's
ANSWERED = 0.55  # confidence from which on a quote is an answer, where the question names nobody
SHOWN = 0.15  # and from which on it is shown as unsure
DOUBTED = 0.2  # confidence at most in a doubtful quote of the person named, which is told with a "Perhaps"
LEAST_SHARED = 0.34  # of the words of a question in another language, from which on a quote is an answer
LEAST_PARTS = 0.55  # the same for scripts without spaces, of whose parts half is often met by chance
LEAST_SPELLED = 0.75  # and for those with letters for sounds, where น้องสาว and น้องชาย share more than half
HALF = 0.5  # of them, with which a quote is shown, however sure it is otherwise
HARDLY_SHARED = 0.1  # and below which it has nothing to do with the question: pairs of characters meet by chance
ANSWERED_ACROSS = 0.75  # confidence from which on a quote in another language than the question's is an answer
SHOWN_ACROSS = 0.1  # and from which on it is shown
HINTED_ACROSS = 0.03  # the same where recall finds it clearly: short messages seldom have the words of the question
CLEARLY_RECALLED = 1.0  # recall's own logit
CLEAR = 6.0  # a lead over the next turn that is as good as any
NOTHING_READ = -10.0


def measure_quote(
    form: QuestionForm,
    asked: AttributedQuestion,
    found: Sequence[Attributed],
    read: Sequence[ReadTurn],
    best: ReadTurn,
) -> dict[str, float]:
    """What both are made of.

    Of attribution: `about`, `near` and `missing`, and `own`: how far the quoted turn is about whom the question asks.
    Of the reader: the quote's `relevance`, the `null` of its turn, its `lead` over the next turn, and `told`: the
    relevance of the best turn that is about the person. `recalled` is recall's own logit, `share` the part of the
    question's words that the turn has, `unsaid` how rare the rarest one is that neither it nor the turn before has.
    `shapeless`: the quote lacks words of the type that is asked for.

    A quote that is taken because it is newer stands for the best turn, too, which says the same of before: what the
    confidence is made of is half of each.
    """
    measured = _measure_turn(form, asked, found, read, best)
    if best.turn is read[0].turn:
        return measured
    first = _measure_turn(form, asked, found, read, read[0])
    return measured | {name: (measured[name] + first[name]) / 2 for name in IN_CHAT}


def _measure_turn(
    form: QuestionForm,
    asked: AttributedQuestion,
    found: Sequence[Attributed],
    read: Sequence[ReadTurn],
    best: ReadTurn,
) -> dict[str, float]:
    said = find_content_stems(best.turn.text[:LOOKED_AT]) | find_content_stems(best.turn.before)
    others = [one.score for one in read if one.turn is not best.turn]
    own = {id(one.said): one.own for one in found}
    theirs = [one.relevance for one in read if not asked.people or own.get(id(one.turn), 0.5) >= 0.5]
    return features(asked, found) | {
        "relevance": best.relevance,
        "null": bounded_null(best.null),
        "recalled": logit_of(best.turn.score),
        "lead": min(CLEAR, max(-CLEAR, best.score - max(others, default=best.score - CLEAR))),
        "share": best.share,
        "unsaid": max((rare for stem, rare in asked.rarity.items() if stem not in said), default=0.0),
        "own": own.get(id(best.turn), 1.0),
        "told": max(theirs, default=NOTHING_READ),
        "shapeless": float(not has_shape(form.wants, best.sentence.text)),
    }


def known(measured: Mapping[str, float]) -> float:
    """How likely the asked thing was said of the asked person: 0 to 1."""
    if "others" not in measured:
        return _likely(KNOWN, KNOWN_BIAS, measured)
    gained = {"gained": measured["missing"] * measured["changed"]}
    return _likely(KNOWN_OTHERWISE, KNOWN_OTHERWISE_BIAS, {**measured, **gained})


def confidence(measured: Mapping[str, float], is_chat: bool) -> float:
    """How likely the quote answers the question as it is asked: 0 to 1."""
    if is_chat:
        return _likely(IN_CHAT, IN_CHAT_BIAS, measured)
    return _likely(IN_TALK, IN_TALK_BIAS, measured)


def _likely(weights: Mapping[str, float], bias: float, measured: Mapping[str, float]) -> float:
    total = bias + math.fsum(weight * measured[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-total))


def judge(form: QuestionForm, measured: Mapping[str, float], sure: float, names_people: bool) -> Verdict:
    """The verdict over a quote. `names_people`: the question names somebody of those who talk to each other."""
    if names_people:
        if measured["own"] < LEAST_OWN:
            return "not known"
        if known(measured) < least_known(measured):
            is_near = form.wants == "yes_no" and measured.get("others", 0.0) < 0  # their own words come nearest: shown
            return "unsure" if is_near else "not known"
    elif sure < SHOWN:
        return "not known"
    if form.is_worked_out:
        return "unsure"
    if names_people and "changed" in measured:
        return "answered" if sure >= (LEAST_TOLD if measured["share"] else LEAST_TOLD_WORDLESS) else "unsure"
    return "unsure" if measured["shapeless"] or sure < (DOUBTED if names_people else ANSWERED) else "answered"


def least_known(measured: Mapping[str, float]) -> float:
    """What has to be known of the person named: below it, it was somebody else or nobody."""
    return LEAST_KNOWN_OTHERWISE if "others" in measured else LEAST_KNOWN


def doubted(
    sure: float, measured: Mapping[str, float], is_open: bool, is_doubtful: bool, lacks_name: bool
) -> tuple[Verdict, float]:
    """The verdict over the quote of a person named of whom the reader tells that it was said, and how sure it is.

    What leaves the question open is only shown, and so is what is of another matter unless it surely was said of them;
    that, what lacks a name of the question, and what lacks words of the type asked for, is told as a guess.
    """
    if is_open or (is_doubtful and known(measured) < SURELY_KNOWN):
        return "unsure", sure
    is_guess = is_doubtful or lacks_name or measured["shapeless"]
    return "answered", min(sure, DOUBTED) if is_guess else sure


def judge_across(form: QuestionForm, measured: Mapping[str, float], sure: float, names_people: bool) -> Verdict:
    """The verdict over a quote in another language than the question's."""
    least = HINTED_ACROSS if measured["recalled"] >= CLEARLY_RECALLED else SHOWN_ACROSS
    if sure < least or (names_people and measured["own"] < LEAST_OWN):
        return "not known"
    if form.is_worked_out or measured["shapeless"] or measured["hardly_shared"] or sure < ANSWERED_ACROSS:
        return "unsure"
    return "answered"


def verdict_by_words(verdict: Verdict, shared: float, is_across: bool, least: float = LEAST_SHARED) -> Verdict:
    """The verdict over a quote where the question is in another language than English, which the reader was not trained
    to read: the words that both have must bear it out. A quote in a language of its own (`is_across`) has none of them,
    and may still be what was asked for."""
    if shared >= least:
        return verdict
    return "unsure" if shared >= HARDLY_SHARED or is_across else "not known"


def verdict_by_parts(
    verdict: Verdict, question: str, people: Sequence[str], said: str, before: str, is_theirs: bool, is_across: bool
) -> Verdict:
    """The verdict over a quote for a question in a script without spaces. What was measured is a guess there, since the
    reader was not trained to read them: parts of the question that the quote has may show it, and one that it lacks
    raises doubt. What was asked just before, and the quote answers, is not said again in it."""
    shared = share_of_words(question, people, said)
    if verdict == "answered" and lacks_part(question, people, said):
        verdict = "unsure"
    is_shown = shared >= HALF
    if not is_shown and before.rstrip().endswith(QUESTION_MARKS):
        is_shown = share_of_words(question, people, f"{before}\n{said}") >= HALF
    if verdict == "not known":
        return "unsure" if is_shown and is_theirs else verdict
    least = LEAST_SPELLED if is_spelled(question) else LEAST_PARTS
    if is_shown and shared < least:
        return "unsure"
    return verdict_by_words(verdict, shared, is_across, least)
