"""Which of two things came first: each is looked for by itself, dated by what was said of it, and compared.

The answer is one of the two as the question names it, quoted from the turn that dates it. Where one of the two was
never mentioned, or both fall on the same day, there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...language.times import wall_clock
from ..claims.tense import times_of
from ..questions.question_form import QuestionForm
from .sentences import TurnSentence, find_content_stems, split_turn
from .turns import RecalledTurn

NAMED_ENOUGH = 0.6  # share of a thing's words, by rarity, that a turn has to have to speak of it
LOOKED_FOR = 8  # turns of each thing that are looked at
CONTEXT = 0.5  # worth of the question's other words beside the thing's own
DATED = 0.15  # what a date in the sentence adds to a mention's worth, in shares of the thing's words

Find = Callable[[str], Sequence[RecalledTurn]]
Rare = Callable[[str], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class EventMention:
    """One of the two things, the sentence that speaks of it, and when it happened."""

    thing: str
    turn: RecalledTurn
    sentence: str
    at: datetime
    is_dated: bool  # by its own words, not only by when they were said
    share: float  # of the thing's words that the turn has
    worth: float  # how much it speaks of the thing as the question does


@dataclass(frozen=True, slots=True)
class EventOrder:
    """The thing that came first (or last) and the other; `missing` names one that nobody spoke of."""

    first: EventMention | None = None
    other: EventMention | None = None
    missing: str = ""


def compare(form: QuestionForm, find: Find, rare: Rare) -> EventOrder:
    """The two things of a question in the order that it asks for."""
    assert form.options is not None
    context = rare(form.asked)
    found = [mention_of(thing, turns_about(thing, form.asked, find), rare(thing), context) for thing in form.options]
    for thing, mention in zip(form.options, found, strict=True):
        if mention is None:
            return EventOrder(missing=thing)
    one, other = (mention for mention in found if mention is not None)
    if one.at.date() == other.at.date():
        return EventOrder()
    earlier, later = (one, other) if one.at < other.at else (other, one)
    return EventOrder(later, earlier) if form.wants_later else EventOrder(earlier, later)


def turns_about(thing: str, asked: str, find: Find) -> list[RecalledTurn]:
    """What speaks of a thing as the question does; a thing of several words is also looked for by itself."""
    found = list(find(f"{asked} {thing}"))[:LOOKED_FOR]
    if len(find_content_stems(thing)) > 1:
        known = {(turn.conversation, turn.turn_id) for turn in found}
        found += [turn for turn in find(thing)[:LOOKED_FOR] if (turn.conversation, turn.turn_id) not in known]
    return found


def mention_of(
    thing: str, turns: Sequence[RecalledTurn], rarity: Mapping[str, float], context: Mapping[str, float]
) -> EventMention | None:
    """The turn that speaks of a thing as the question does, a dated one rather than another; None if none does."""
    return next(iter(mentions_of(thing, turns, rarity, context)), None)


def mentions_of(
    thing: str, turns: Sequence[RecalledTurn], rarity: Mapping[str, float], context: Mapping[str, float]
) -> list[EventMention]:
    """All turns that speak of a thing, the one that does so most as the question does first."""
    total = sum(rarity.values())
    if not total:
        return []
    said = sum(context.values()) or 1.0
    found = []
    for place, turn in enumerate(turns):
        stems = find_content_stems(turn.text)
        share = sum(weight for stem, weight in rarity.items() if stem in stems) / total
        if share < NAMED_ENOUGH:
            continue
        sentence = _sentence(turn.text, rarity, context)
        close = sum(weight for stem, weight in context.items() if stem in sentence.stems) / said
        said_at = wall_clock(turn.said_at)
        times = times_of(sentence.text, said_at)
        at = times[0].start if times else said_at
        worth = share + CONTEXT * close + DATED * bool(times) - 0.02 * place
        found.append(EventMention(thing, turn, sentence.text, at, bool(times), share, worth))
    return sorted(found, key=lambda mention: -mention.worth)


def _sentence(text: str, rarity: Mapping[str, float], context: Mapping[str, float]) -> TurnSentence:
    def worth(part: TurnSentence) -> float:
        return math.fsum(rarity.get(stem, 0.0) + CONTEXT * context.get(stem, 0.0) for stem in part.stems)

    return max(split_turn(text), key=worth)
