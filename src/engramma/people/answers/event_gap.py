"""How long between two events: each is looked for by itself, dated by what was said of it, and the days are counted."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from ...language.dates import Interval
from ...language.times import wall_clock
from ..grammar.tense import times_of
from ..questions.time_between import TimeBetween
from .first_of_two import EventMention, Find, Rare, mentions_of, turns_about
from .sentences import find_content_stems

DAYS = {"week": 7.0, "month": 30.44, "year": 365.25}
NAMED_WHOLLY = 0.9  # share of an event's words that a turn without a date of its own has to have
OF_THIS_YEAR = 150  # days from when it was said: further away, a date without its year may be of another one
BESIDE = 10  # characters: two times of a sentence that stand about as near to the event's words
ALIKE = 0.1  # two mentions whose worth differs by less and that name two dates: neither is taken
LONGEST = 300  # days: beyond, a date without its year was read in the wrong one, as likely as not
NEARLY = 0.1  # of a unit: what is off by less is that many
_TODAY = re.compile(r"\b(?:just|today|finally|this (?:morning|afternoon|evening))\b", re.IGNORECASE)
_NOT_DONE = re.compile(
    r"\b(?:dreamt|dreamed|remember|haven['’]?t|hasn['’]?t|didn['’]?t|not yet|postponed|rescheduled|cancel(?:l?ed)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EventGap:
    """The time between two events, the earlier one first."""

    short: str  # "3 weeks"
    earlier: EventMention
    later: EventMention


def find_event_gap(asked: TimeBetween, find: Find, rare: Rare) -> EventGap | None:
    """The time between the two events; None where one of them was not mentioned, or not clearly dated."""
    one, other = (_dated_mention(event, asked.unit, find, rare) for event in (asked.one, asked.other))
    if one is None or other is None or one.at.date() == other.at.date() or one.turn.speaker != other.turn.speaker:
        return None
    if asked.order and (one.at < other.at) != (asked.order == "one first"):
        return None  # it was the other way round
    earlier, later = (one, other) if one.at < other.at else (other, one)
    days = (later.at.date() - earlier.at.date()).days
    if days > LONGEST and asked.unit != "year":
        return None
    return EventGap(count_units(days, asked.unit), earlier, later)


def _dated_mention(event: str, unit: str, find: Find, rare: Rare) -> EventMention | None:
    """Where an event is spoken of, if it is clear when it was."""
    found = mentions_of(event, turns_about(event, "", find), rare(event), {})
    if not found or _NOT_DONE.search(found[0].sentence) is not None:
        return None
    best = found[0]
    if not best.is_dated:
        return best if best.share >= NAMED_WHOLLY and _TODAY.search(best.sentence) is not None else None
    at = _only_day(best, unit)
    others = {one.at.date() for one in found if one.is_dated and best.worth - one.worth < ALIKE}
    return None if at is None or others - {best.at.date()} else replace(best, at=at)


def _only_day(mention: EventMention, unit: str) -> datetime | None:
    """The day that a sentence names, as exactly as it is asked for; None if it names two, or one of a year unsaid."""
    times = times_of(mention.sentence, wall_clock(mention.turn.said_at))
    finest = min(times, key=lambda one: (_distance(mention, one), one.end - one.start))
    rivals = [one for one in times if _distance(mention, one) < 2 * _distance(mention, finest) + BESIDE]
    finest = min(rivals, key=lambda one: one.end - one.start)
    if any(finest.start < one.start or finest.end > one.end for one in rivals):
        return None
    if (finest.end - finest.start).days > DAYS.get(unit, 1.0):
        return None
    is_far = abs((finest.start - mention.turn.said_at).days) > OF_THIS_YEAR
    return None if is_far and re.search(r"\d{4}", finest.text) is None else finest.start


def _distance(mention: EventMention, time: Interval) -> float:
    """Characters from a time to the event's words in its sentence, on average; a word that stands twice counts once."""
    event = find_content_stems(mention.thing)
    start, end = time.span
    nearest: dict[str, int] = {}
    for word in re.finditer(r"\S+", mention.sentence):
        gap = max(0, word.start() - end, start - word.end())
        for stem in find_content_stems(word[0]) & event:
            nearest[stem] = min(gap, nearest.get(stem, gap))
    return sum(nearest.values()) / len(nearest) if nearest else float(len(mention.sentence))


def count_units(days: int, unit: str) -> str:
    """Days in the unit that was asked for: "3 weeks", "about 2 months"; in days if in none."""
    length = DAYS.get(unit, 1.0)
    number = round(days / length)
    if not number:
        return count_units(days, "day")
    about = "about " if abs(days / length - number) > NEARLY else ""
    return f"{about}{number} {unit or 'day'}{'' if number == 1 else 's'}"
