"""Which of two things came first: each is looked for by itself, dated by what was said of it, and compared.

The answer is one of the two as the question names it, quoted from the turn that dates it. Where both fall on the same
day, a text that speaks of both may put them in order: "first the pond, then the path", unless it denies or supposes it.
Else there is none, nor where one of the two was never mentioned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from ...language.times import wall_clock
from ..grammar.tense import times_of
from ..questions.question_form import QuestionForm
from .sentences import TurnSentence, find_content_stems, split_turn
from .turns import RecalledTurn

NAMED_ENOUGH = 0.6  # share of a thing's words, by rarity, that a turn has to have to speak of it
LOOKED_FOR = 8  # turns of each thing that are looked at
CONTEXT = 0.5  # worth of the question's other words beside the thing's own
DATED = 0.15  # what a date in the sentence adds to a mention's worth, in shares of the thing's words

READ = 20_000  # characters of a text that are looked at
BETWEEN = 160  # characters between the two in one text: further apart, words such as "then" order something else
# Of two in one text, words between them after which the second is the later one, and the earlier one.
_THEN = re.compile(
    r"\b(?:then|afterwards?|after (?:that|this|which)|later|next|followed by|before|until|subsequently|finally)\b",
    re.IGNORECASE,
)
_NOT_THEN = re.compile(
    r"\b(?:after(?!\s+(?:that|this|which)\b)|but first|(?:but |though )?before (?:that|this|which))\b", re.IGNORECASE
)
_AFTER = re.compile(r"\b(?:after|once)\b[^.,;!?]*$", re.IGNORECASE)  # before the first: "After the walk I ate"
_BEFORE = re.compile(r"\bbefore\b[^.,;!?]*$", re.IGNORECASE)
# What is denied, supposed or only thought puts nothing in order: "I did not eat before the walk", "if I eat, then …".
_NOT_SO = re.compile(
    r"\b(?:not|never|nor|without|\w+n['’]t|cannot|if|unless|maybe|perhaps|might|could|would|should|wish|wished|hoped?"
    r"|thinks?|thought|believe[sd]?|claim(?:s|ed)?|instead of|rather than|the other way (?:a?round))\b",
    re.IGNORECASE,
)

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
    is_told: bool = False  # a text says which came first, not only their days
    tied: tuple[EventMention, ...] = ()  # both, where nothing says which came first


def compare(form: QuestionForm, find: Find, rare: Rare) -> EventOrder:
    """The two things of a question in the order that it asks for."""
    assert form.options is not None
    context = rare(form.asked)
    turns = [turns_about(thing, form.asked, find) for thing in form.options]
    found = [mention_of(thing, said, rare(thing), context) for thing, said in zip(form.options, turns, strict=True)]
    for thing, mention in zip(form.options, found, strict=True):
        if mention is None:
            return EventOrder(missing=thing)
    one, other = (mention for mention in found if mention is not None)
    is_told = False
    earlier, later = (one, other) if one.at < other.at else (other, one)
    if one.at.date() == other.at.date():
        told = _told_order(one, other, [*turns[0], *turns[1]])
        if told is None:
            return EventOrder(tied=(one, other))
        is_told, (earlier, later) = True, told
    first, second = (later, earlier) if form.wants_later else (earlier, later)
    return EventOrder(first, second, is_told=is_told)


def _told_order(
    one: EventMention, other: EventMention, turns: Sequence[RecalledTurn]
) -> tuple[EventMention, EventMention] | None:
    """The two in the order in which a text puts them that speaks of both; None if none does."""
    both = find_content_stems(one.thing), find_content_stems(other.thing)
    for turn in turns:
        if (order := order_within(turn.text, both[0] - both[1], both[1] - both[0])) is not None:
            is_first, start, end = order
            parts = [part for part in split_turn(turn.text) if part.start < end and part.end > start]
            if not parts or any(part.asks for part in parts):
                continue
            sentence = turn.text[parts[0].start : parts[-1].end]
            if _NOT_SO.search(sentence):
                continue
            told = [replace(mention, turn=turn, sentence=sentence) for mention in (one, other)]
            return (told[0], told[1]) if is_first else (told[1], told[0])
    return None


def order_within(text: str, one: Collection[str], other: Collection[str]) -> tuple[bool, int, int] | None:
    """Whether of two things, each by the stems of its words, a text says that the first came first, and from where to
    where it speaks of both; None if it does not say so."""
    found_words = re.finditer(r"[^\W_]+", text[:READ])
    words = [(found.start(), found.end(), find_content_stems(found[0])) for found in found_words]
    places = [((a, b), which) for a, b, stems in words for which in (0, 1) if not stems.isdisjoint((one, other)[which])]
    # The nearest two are next to each other among all places of both.
    near = [(y[0] - x[0], *((x, y) if m < n else (y, x))) for (x, m), (y, n) in pairwise(places) if m != n]
    said = frozenset(stem for *_, stems in words for stem in stems)
    if not near or any(len(said.intersection(thing)) < NAMED_ENOUGH * len(thing) for thing in (one, other)):
        return None
    distance, a, b = min(near)
    (start, begun), (ended, end) = min(a, b), max(a, b)
    before = re.split(r"[.!?]\s", text[:start])[-1]
    between = text[begun:ended]
    if distance > BETWEEN:
        return None
    turned = bool(_NOT_THEN.search(between) or _BEFORE.search(before))
    straight = bool(_THEN.search(_NOT_THEN.sub(" ", between)) or _AFTER.search(before))
    if turned == straight:
        return None
    return (a < b) == straight, start - len(before), end


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
