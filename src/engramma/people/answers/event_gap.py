"""How long between two events: each is looked for by itself, dated by what was said of it, and the days are counted."""

from __future__ import annotations

from dataclasses import dataclass

from ..questions.time_between import TimeBetween
from .first_of_two import EventMention, Find, Rare, mentions_of, turns_about

DAYS = {"week": 7.0, "month": 30.44, "year": 365.25}
NAMED_WHOLLY = 0.9  # share of an event's words that a turn without a date of its own has to have
ALIKE = 0.1  # two mentions whose worth differs by less and that name two dates: neither is taken
LONGEST = 300  # days: beyond, a date without its year was read in the wrong one, as likely as not
NEARLY = 0.1  # of a unit: what is off by less is that many


@dataclass(frozen=True, slots=True)
class EventGap:
    """The time between two events, the earlier one first."""

    short: str  # "3 weeks"
    earlier: EventMention
    later: EventMention


def find_event_gap(asked: TimeBetween, find: Find, rare: Rare) -> EventGap | None:
    """The time between the two events; None where one of them was not mentioned, or not clearly dated."""
    one, other = (_dated_mention(event, find, rare) for event in (asked.one, asked.other))
    if one is None or other is None or one.at.date() == other.at.date():
        return None
    earlier, later = (one, other) if one.at < other.at else (other, one)
    days = (later.at.date() - earlier.at.date()).days
    if days > LONGEST and asked.unit != "year":
        return None
    return EventGap(count_units(days, asked.unit), earlier, later)


def _dated_mention(event: str, find: Find, rare: Rare) -> EventMention | None:
    """Where an event is spoken of, if it is clear when it was."""
    found = mentions_of(event, turns_about(event, "", find), rare(event), {})
    if not found or not (found[0].is_dated or found[0].share >= NAMED_WHOLLY):
        return None
    best = found[0]
    others = {one.at.date() for one in found if one.is_dated and best.worth - one.worth < ALIKE}
    return None if others - {best.at.date()} else best


def count_units(days: int, unit: str) -> str:
    """Days in the unit that was asked for: "3 weeks", "about 2 months"; in days if in none."""
    length = DAYS.get(unit, 1.0)
    number = round(days / length)
    if not number:
        return count_units(days, "day")
    about = "about " if abs(days / length - number) > NEARLY else ""
    return f"{about}{number} {unit or 'day'}{'' if number == 1 else 's'}"
