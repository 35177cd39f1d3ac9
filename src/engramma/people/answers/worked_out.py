"""Answers that are worked out: which of two came first, a sum or a difference, the time between two events."""

from __future__ import annotations

from dataclasses import replace

from ...records.people import Answer
from ..claims.event_times import describe_day
from .calculate import CalculatedAmount
from .event_gap import EventGap
from .first_of_two import EventMention, EventOrder
from .wording import ENGLISH, told_at, told_by

CALCULATED = 0.65  # confidence that amounts were rightly found and added
# Confidence that one of two came first: told outright or both dated by their own words, or by when they were said.
DATED, UNDATED = 0.85, 0.65


def put_in_order(blank: Answer, compared: EventOrder, me: str = "") -> Answer:
    """Which of two things came first; `me` is what the user is called."""
    if compared.missing:
        return replace(blank, reason=f"nobody mentioned {compared.missing}", confidence=0.1, verdict="not known")
    first, other = compared.first, compared.other
    if first is None or other is None:
        return _tied(blank, compared.tied)
    sure = DATED if compared.is_told or (first.is_dated and other.is_dated) else UNDATED
    told = told_by(ENGLISH, first.turn.evidence, me)
    reason = told if compared.is_told else f"{_dated(first)}, {_dated(other)}"
    return replace(
        blank,
        text=first.thing,
        short=first.thing,
        quote=first.sentence,
        abstained=False,
        reason=reason,
        evidence=tuple(dict.fromkeys((first.turn.evidence, other.turn.evidence))),
        confidence=sure,
        verdict="answered",
    )


def _tied(blank: Answer, both: tuple[EventMention, ...]) -> Answer:
    """Two things of which nothing tells that one came first: shown, and only called of one day if both are dated."""
    is_one_day = all(mention.is_dated for mention in both)
    reason = "both were said to be on the same day" if is_one_day else "nothing that was found says which came first"
    evidence = tuple(dict.fromkeys(mention.turn.evidence for mention in both))
    quote = both[0].sentence if both else ""
    return replace(blank, reason=reason, quote=quote, evidence=evidence, confidence=0.3, verdict="unsure")


def tell_amount(blank: Answer, found: CalculatedAmount) -> Answer:
    """A sum or a difference, with every amount that it is made of and where it was said."""
    told = (f"{one.thing}: {one.shown} ({told_at(ENGLISH, one.turn.evidence)})" for one in found.parts)
    return replace(
        blank,
        text=found.text,
        short=found.short,
        quote=found.parts[0].sentence,
        abstained=False,
        reason=", ".join(told),
        evidence=tuple(dict.fromkeys(one.turn.evidence for one in found.parts)),
        confidence=CALCULATED,
        verdict="answered",
    )


def tell_gap(blank: Answer, gap: EventGap) -> Answer:
    """The time between two events, with both dates and where they were said."""
    both = (gap.earlier, gap.later)
    return replace(
        blank,
        text=gap.short,
        short=gap.short,
        quote=gap.earlier.sentence,
        abstained=False,
        reason=", ".join(_dated(event) for event in both),
        evidence=tuple(dict.fromkeys(event.turn.evidence for event in both)),
        confidence=DATED if all(event.is_dated for event in both) else UNDATED,
        verdict="answered",
    )


def _dated(mention: EventMention) -> str:
    return f"{mention.thing}: {describe_day(mention.at)} ({told_at(ENGLISH, mention.turn.evidence)})"
