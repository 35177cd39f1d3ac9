"""A sum, an average or a difference of amounts that were each said: every part is looked for by itself and quoted.

Nothing is worked out unless each thing has one amount of the kind that is asked for, said of that thing; two amounts
that fit it as well as each other leave the question open.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...language.amounts import Amount, find_amounts, write_amount
from ...language.lexical import stems
from ..questions.calculation import Calculation
from .first_of_two import Find, Rare, turns_about
from .sentences import TurnSentence, find_content_stems, split_turn
from .turns import RecalledTurn

NAMED_ENOUGH = 0.6  # share of a thing's words, by rarity, that the sentence or the one before it has to have
CONTEXT = 0.5  # worth of the question's other words beside the thing's own
ALIKE = 0.1  # two amounts of a thing whose worth differs by less: neither is taken
FAR = 100.0  # characters from a thing's words at which an amount is worth DISTANT less
DISTANT = 0.2
LATER_PLACE = 0.02  # what each place in recall's order costs
NEAR = 30  # characters around an amount that tell what it is
SIGNS = {"sum": " + ", "average": " and ", "difference": " − ", "saving": " − "}
_USED_TO_COST = re.compile(
    r"\b(?:original(?:ly)?|retail(?:s|ed|ing)?|regular(?:ly)?|normal(?:ly)?|usual(?:ly)?|(?:full|list) price|msrp"
    r"|worth)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedAmount:
    """A thing, the amount that was said of it, and where."""

    thing: str
    amount: Amount
    turn: RecalledTurn
    sentence: str
    worth: float

    @property
    def shown(self) -> str:
        return write_amount(self.amount.value, self.amount.kind, self.amount.unit)


@dataclass(frozen=True, slots=True)
class CalculatedAmount:
    """What comes out, the way it was worked out, and its parts."""

    short: str  # "$140"
    text: str  # "$140 ($120 + $20)"
    parts: tuple[StatedAmount, ...]


@dataclass(frozen=True, slots=True)
class WantedAmount:
    """A thing whose amount is looked for: its words and those around it, by rarity, and which amounts may be it."""

    thing: str
    own: Mapping[str, float]
    context: Mapping[str, float]
    may_be: Callable[[Amount, TurnSentence], bool]
    asked: str  # the words beside the thing's that it is looked for with


def calculate(asked: Calculation, find: Find, rare: Rare) -> CalculatedAmount | None:
    """The sum, average or difference; None where a part of it was not said, or not clearly."""
    parts: list[StatedAmount] = []
    for wanted in _wanted(asked, rare):
        stated = _stated(wanted, turns_about(wanted.thing, wanted.asked, find), parts)
        if stated is None:
            return None
        parts.append(stated)
    kinds = {(one.amount.kind, one.amount.unit if not one.amount.kind else "") for one in parts}
    return _worked_out(asked, tuple(parts)) if len(kinds) == 1 else None


def _wanted(asked: Calculation, rare: Rare) -> list[WantedAmount]:
    context = {stem: weight for stem, weight in rare(asked.context).items() if weight}
    words = {thing: rare(thing) for thing in asked.things}

    def fits(amount: Amount, sentence: TurnSentence) -> bool:
        return _fits(asked, amount, sentence)

    if asked.operation == "saving":
        (thing,) = asked.things
        own = words[thing]
        before = WantedAmount(thing, own, context, lambda a, s: fits(a, s) and _is_of_before(a, s), "original price")
        paid = WantedAmount(thing, own, context, lambda a, s: fits(a, s) and not _is_of_before(a, s), "bought for")
        return [before, paid]
    shared = frozenset.intersection(*(frozenset(one) for one in words.values()))
    found = []
    for number, (thing, said) in enumerate(words.items()):
        own = {stem: weight for stem, weight in said.items() if stem not in shared} or said
        is_short = asked.operation == "difference" and number > 0
        around = context | (_words_beside(thing, words) if is_short else {})
        found.append(WantedAmount(thing, own, around, fits, asked.context))
    return found


def _words_beside(thing: str, words: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """What is said only of the first thing holds for both: "the train from the airport instead of a taxi"."""
    return {
        stem: weight
        for other, own in words.items()
        for stem, weight in own.items()
        if other != thing and stem not in words[thing]
    }


def _stated(wanted: WantedAmount, turns: Sequence[RecalledTurn], taken: Sequence[StatedAmount]) -> StatedAmount | None:
    """The amount that was said of a thing, if it is clear which."""
    used = {(one.turn.conversation, one.turn.turn_id, one.sentence, one.amount.start) for one in taken}
    found = [
        one
        for place, turn in enumerate(turns)
        for one in _amounts_of(wanted, turn, LATER_PLACE * place)
        if (turn.conversation, turn.turn_id, one.sentence, one.amount.start) not in used
    ]
    if not found:
        return None
    best = max(found, key=lambda one: one.worth)
    rivals = [one for one in found if one.amount.value != best.amount.value and best.worth - one.worth < ALIKE]
    return None if rivals else best


def _amounts_of(wanted: WantedAmount, turn: RecalledTurn, less: float) -> list[StatedAmount]:
    """The amounts that a turn says of a thing, each with what speaks for it."""
    total, around = math.fsum(wanted.own.values()), math.fsum(wanted.context.values())
    if not total:
        return []
    parts = split_turn(turn.text)
    close = _sum_of(wanted.context, find_content_stems(turn.text)) / around if around else 0.0
    found = []
    for number, part in enumerate(parts):
        near = parts[number - 1].stems | part.stems if number else part.stems
        share = _sum_of(wanted.own, near) / total
        if share < NAMED_ENOUGH:
            continue
        here = _sum_of(wanted.own, part.stems) / total
        for amount in find_amounts(part.text):
            if wanted.may_be(amount, part) and not _is_asked(part, amount):
                far = min(1.0, _distance(part, amount, wanted.own) / FAR)
                worth = (share + here) / 2 + CONTEXT * close - DISTANT * far - less
                found.append(StatedAmount(wanted.thing, amount, turn, part.text, worth))
    return found


def _sum_of(weights: Mapping[str, float], said: frozenset[str]) -> float:
    return math.fsum(weight for stem, weight in weights.items() if stem in said)


def _is_asked(sentence: TurnSentence, amount: Amount) -> bool:
    """Whether an amount stands in a question, not in a statement before it: "It is $6. Is that much?" """
    return sentence.asks and re.search(r"[.!;]\s|\s[-–—]\s", sentence.text[amount.end :]) is None


def _is_of_before(amount: Amount, sentence: TurnSentence) -> bool:
    """Whether an amount is what a thing used to cost, not what was paid."""
    return _USED_TO_COST.search(sentence.text[max(0, amount.start - NEAR) : amount.end + NEAR]) is not None


def _fits(asked: Calculation, amount: Amount, sentence: TurnSentence) -> bool:
    """Whether an amount measures what is asked for."""
    if amount.rate and re.search(rf"\b{amount.rate}", asked.context, re.IGNORECASE) is None:
        return False  # "one episode a week" is no number of episodes
    if asked.measure == "money":
        return amount.kind in ("$", "€", "£", "¥")
    if asked.measure == "count":
        wanted = {stem for word in asked.counted.split() for stem in stems(word.casefold())}
        told = amount.nouns | (find_content_stems(sentence.text[: amount.start]) if amount.is_bare else frozenset())
        return not amount.kind and not wanted.isdisjoint(told)
    if asked.measure in ("distance", "weight"):
        return amount.kind in (asked.measure, f"metric {asked.measure}")
    if asked.measure:
        return amount.kind == asked.measure
    return not amount.kind and not find_content_stems(asked.context).isdisjoint(sentence.stems)


def _distance(sentence: TurnSentence, amount: Amount, own: Mapping[str, float]) -> float:
    """Characters from an amount to the nearest of a thing's words in its sentence."""
    text, gaps, start = sentence.text, [], 0
    for word in text.split():
        start = text.index(word, start)
        if not find_content_stems(word).isdisjoint(own):
            gaps.append(start - amount.end if start >= amount.end else max(0, amount.start - start - len(word)))
        start += len(word)
    return float(min(gaps, default=FAR))


def _worked_out(asked: Calculation, parts: tuple[StatedAmount, ...]) -> CalculatedAmount:
    values = [one.amount.value for one in parts]
    value = math.fsum(values)
    if asked.operation == "average":
        value /= len(values)
    if asked.operation in ("difference", "saving"):
        parts = tuple(sorted(parts, key=lambda one: -one.amount.value))
        value = max(values) - min(values)
    first = min(parts, key=lambda one: _grain(one)).amount
    short = write_amount(value, first.kind, first.unit)
    if asked.measure == "count":
        short = f"{short} {asked.counted}"
    if any(one.amount.is_about for one in parts):
        short = f"about {short}"
    shown = SIGNS[asked.operation].join(one.shown for one in parts)
    return CalculatedAmount(short, f"{short} ({shown})", parts)


def _grain(stated: StatedAmount) -> float:
    """Of two units the finer one is written: minutes rather than hours."""
    amount = stated.amount
    written = float(write_amount(amount.value, "", amount.unit).split()[0].replace(",", ""))
    return amount.value / written if written else 0.0
