"""A sum, an average or a difference of amounts that were each said: every part is looked for by itself and quoted.

Nothing is worked out unless each thing has one amount of the kind that is asked for, said of that thing; two amounts
that fit it as well as each other leave the question open.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

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
MOST_AMOUNTS = 30  # of a sentence, and of a turn: a pasted price list is none of one thing
CURRENCIES = ("$", "€", "£", "¥")
NEAR = 30  # characters around an amount that tell what it is
SIGNS = {"sum": " + ", "average": " and ", "difference": " − ", "saving": " − "}
_USED_TO_COST = re.compile(
    r"\b(?:original(?:ly)?|retail(?:s|ed|ing)?|regular(?:ly)?|normal(?:ly)?|usual(?:ly)?|(?:full|list) price|msrp"
    r"|worth)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^\W*(?:(?:and|but|so|also|by the way|anyway|actually),?\s+)*(?:it|they|that|this|these|those|mine)\b|^\W*[$€£]"
    r"|\b(?:it|they|them)(?:['’]s)?\s+(?:\w+\s+)?(?:cost|was|were|is|are|took|came|set)\b",
    re.IGNORECASE,
)
_NOT_PAID = re.compile(
    r"\b(?:didn['’]?t|did not|never|won['’]t|will not|wouldn['’]t|couldn['’]t|haven['’]t"
    r"|(?:almost|nearly) (?:bought|paid|got)|[Ii]f|want(?:ed)? to (?:spend|pay|buy)|budget(?:ed)?|quoted?|declined"
    r"|donated|borrowed|lent|insured|valued|appraised|would have)\b"
    r"|\b(?:my|our|his|her|their)\s+(?:\w+\s+){1,2}(?:paid|spent|bought)\b|\b(?!I\b)[A-Z][a-z]+\s+(?:paid|spent|bought)\b"
    r"|\d\s?% off\b",
)
_PAID_BACK = re.compile(
    r"\b(?:refund(?:ed|s)?|money back|paid back|(?:return|cancel)l?ed (?:it|them|the|my)|took it back)\b", re.IGNORECASE
)
_NO_PRICE = re.compile(
    r"\b(?:discount|voucher|coupon|deposit|down payment|gift card|rebate|tip|off the|off my)\b|\d off\b", re.IGNORECASE
)
_ENDS = re.compile(r"[.!?]\s+(?=[A-Z])")
_SOLD = re.compile(r"\b(?:sold|won|earned|raised)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatedAmount:
    """A thing, the amount that was said of it, and where."""

    thing: str
    amount: Amount
    turn: RecalledTurn
    sentence: str
    worth: float
    is_doubtful: bool = False  # "almost bought it for $600": not what is asked for, and nothing else is either

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
    is_earned: bool  # what was sold for it is asked for
    asked: str  # the words beside the thing's that it is looked for with


def calculate(asked: Calculation, find: Find, rare: Rare) -> CalculatedAmount | None:
    """The sum, average or difference; None where a part of it was not said, or not clearly."""
    parts: list[StatedAmount] = []
    for wanted in _wanted(asked, rare):
        stated = _stated(wanted, turns_about(wanted.thing, wanted.asked, find), parts)
        if stated is None:
            return None
        parts.append(stated)
    kinds = {(one.amount.kind, one.amount.rate, one.amount.unit if not one.amount.kind else "") for one in parts}
    if len(kinds) > 1 or len({one.turn.speaker for one in parts}) > 1 or _is_one_price(asked, parts, rare):
        return None
    return _worked_out(asked, tuple(parts))


def _is_one_price(asked: Calculation, parts: Sequence[StatedAmount], rare: Rare) -> bool:
    """Whether one amount was said of several things: "the tent and the stove were $100 together"."""
    for one, other in combinations(parts, 2):
        if one.amount.value == other.amount.value and asked.operation != "saving":
            words = (frozenset(rare(part.thing)) for part in (one, other))
            if all(not own.isdisjoint(find_content_stems(one.sentence)) for own in words):
                return True
    return False


def _wanted(asked: Calculation, rare: Rare) -> list[WantedAmount]:
    context = {stem: weight for stem, weight in rare(asked.context).items() if weight}
    words = {thing: rare(thing) for thing in asked.things}

    def fits(amount: Amount, sentence: TurnSentence) -> bool:
        return _fits(asked, amount, sentence)

    if asked.operation == "saving":
        (thing,) = asked.things
        own = words[thing]
        before = WantedAmount(
            thing, own, context, lambda a, s: fits(a, s) and _is_of_before(a, s), False, "original price"
        )
        paid = WantedAmount(
            thing, own, context, lambda a, s: fits(a, s) and not _is_of_before(a, s), False, "bought for"
        )
        return [before, paid]
    shared = frozenset.intersection(*(frozenset(one) for one in words.values()))
    found = []
    for number, (thing, said) in enumerate(words.items()):
        own = {stem: weight for stem, weight in said.items() if stem not in shared} or said
        is_short = asked.operation == "difference" and number > 0
        around = context | (_words_beside(thing, words) if is_short else {})
        found.append(WantedAmount(thing, own, around, fits, asked.is_earned, asked.context))
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
        for one in _amounts_of(wanted, turn, LATER_PLACE * place)[:MOST_AMOUNTS]
        if (turn.conversation, turn.turn_id, one.sentence, one.amount.start) not in used
    ]
    if not found:
        return None
    best = max(found, key=lambda one: one.worth)
    rivals = [one for one in found if one.amount.value != best.amount.value and best.worth - one.worth < ALIKE]
    return None if rivals or best.is_doubtful else best


def _amounts_of(wanted: WantedAmount, turn: RecalledTurn, less: float) -> list[StatedAmount]:
    """The amounts that a turn says of a thing, each with what speaks for it."""
    total, around = math.fsum(wanted.own.values()), math.fsum(wanted.context.values())
    if not total:
        return []
    parts = split_turn(turn.text)
    close = _sum_of(wanted.context, find_content_stems(turn.text)) / around if around else 0.0
    found = []
    for number, part in enumerate(parts):
        before = parts[number - 1].stems if number and _GOES_ON.search(part.text) else frozenset[str]()
        share = _sum_of(wanted.own, before | part.stems) / total
        if share < NAMED_ENOUGH:
            continue
        here = _sum_of(wanted.own, part.stems) / total
        places = _places_of(part, wanted.own)
        after = parts[number + 1].text if number + 1 < len(parts) else ""
        for amount in find_amounts(part.text)[:MOST_AMOUNTS]:
            if wanted.may_be(amount, part) and not _is_asked(part, amount):
                far = min(1.0, _distance(places, amount) / FAR)
                worth = (share + here) / 2 + CONTEXT * close - DISTANT * far - less
                doubtful = amount.kind in CURRENCIES and _is_not_paid(wanted, amount, part.text, after)
                found.append(StatedAmount(wanted.thing, amount, turn, part.text, worth, doubtful))
    return found


def _is_not_paid(wanted: WantedAmount, amount: Amount, sentence: str, after: str) -> bool:
    """Whether a price was not paid, was paid back, was somebody else's, or is no price but a discount."""
    beside = sentence[max(0, amount.start - 24) : amount.end + 24]
    begins = max((end.end() for end in _ENDS.finditer(sentence, 0, amount.start)), default=0)
    ends = _ENDS.search(sentence, amount.end)
    alone = sentence[begins : ends.start() if ends is not None else len(sentence)]
    if _NOT_PAID.search(alone) or _PAID_BACK.search(f"{sentence} {after}") or _NO_PRICE.search(beside):
        return True
    return not wanted.is_earned and _SOLD.search(sentence) is not None


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
        return amount.kind in CURRENCIES
    if asked.measure == "count":
        wanted = {stem for word in asked.counted.split() for stem in stems(word.casefold())}
        told = amount.nouns | (find_content_stems(sentence.text[: amount.start]) if amount.is_bare else frozenset())
        return not amount.kind and not wanted.isdisjoint(told)
    if asked.measure in ("distance", "weight"):
        return amount.kind in (asked.measure, f"metric {asked.measure}")
    if asked.measure:
        return amount.kind == asked.measure
    return not amount.kind and not find_content_stems(asked.context).isdisjoint(sentence.stems)


def _places_of(sentence: TurnSentence, own: Mapping[str, float]) -> list[tuple[int, int]]:
    """Where in a sentence a thing's words stand."""
    return [
        match.span() for match in re.finditer(r"\S+", sentence.text) if not find_content_stems(match[0]).isdisjoint(own)
    ]


def _distance(places: Sequence[tuple[int, int]], amount: Amount) -> float:
    """Characters from an amount to the nearest of a thing's words in its sentence."""
    gaps = (max(0, start - amount.end, amount.start - end) for start, end in places)
    return float(min(gaps, default=FAR))


def _worked_out(asked: Calculation, parts: tuple[StatedAmount, ...]) -> CalculatedAmount | None:
    values = [one.amount.value for one in parts]
    value = math.fsum(values)
    if asked.operation == "average":
        value /= len(values)
    if asked.order and (values[0] > values[1]) != (asked.order == "more"):
        return None  # it is the other way round
    if asked.operation in ("difference", "saving"):
        parts = tuple(sorted(parts, key=lambda one: -one.amount.value))
        value = max(values) - min(values)
    first = min(parts, key=lambda one: _grain(one)).amount
    short = write_amount(value, first.kind, asked.unit or first.unit)
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
