"""When something happened: times that a turn names, resolved against the day on which it was said."""

from __future__ import annotations

import re
from datetime import datetime

from ...language.dates import EARLIEST, LATEST, Interval
from ...language.dates.calendar import DAY
from ...language.times import wall_clock
from ..grammar.tense import times_of

_WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b", re.IGNORECASE)
_AGO = re.compile(r"(.+?)\s+ago$", re.IGNORECASE)
_VAGUE = re.compile(r"\b(?:few|couple|several|some)\b", re.IGNORECASE)
_NEXT = re.compile(r"\b(?:next|coming|upcoming|following|in)\b", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|today)\b(?! past)", re.IGNORECASE)
_OF_A_DAY = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|\d(?:st|nd|rd|th)\b", re.IGNORECASE
)
_HOW_LONG_AGO = re.compile(r"\s*how long ago\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:what|which) (year|month)\b", re.IGNORECASE)


def describe_day(day: datetime) -> str:
    """A day as people write it: 7 May 2023."""
    return f"{day.day} {day:%B} {day.year}"


_HAPPENED = re.compile(r"\s*(?:when|what day|which day|what date) (?:did|was|were)\b", re.IGNORECASE)


def when_of(question: str, sentence: str, turn: str, said_at: datetime) -> tuple[str, float]:
    """The time that answers a when-question, and how surely the turn names it: 1 in the sentence, less beside it."""
    said_at = wall_clock(said_at)
    found = times_of(sentence, said_at)
    sure = 1.0
    if not found:
        found, sure = times_of(turn, said_at), 0.6
        if _HAPPENED.match(question):  # what has happened was not on a day that was still to come
            found = tuple(one for one in found if one.start <= said_at)
    if not found:
        return coarse(question, said_at) or describe_day(said_at), 0.3
    best = found[0] if len(found) == 1 else min(found, key=lambda one: (one.start == one.end, -specific(one)))
    if _HOW_LONG_AGO.match(question) and _AGO.match(best.text):
        return best.text, sure
    return coarse(question, best.start) or resolved(best, said_at), sure


def specific(one: Interval) -> float:
    """How well an expression tells when: a day or a week better than a season or an open range."""
    return {"minute": 1.0, "hour": 1.0, "day": 1.0, "week": 0.9, "month": 0.8, "year": 0.5}.get(one.grain, 0.4)


def coarse(question: str, start: datetime) -> str | None:
    """The year or month alone, where the question asks for no more."""
    asked = _WHICH.search(question)
    if asked is None:
        return None
    return str(start.year) if asked[1].lower() == "year" else f"{start:%B} {start.year}"


def resolved(one: Interval, said_at: datetime) -> str:
    """A time expression as a date, a month, a year, or a span beside the day on which it was said."""
    text, said = one.text.lower(), describe_day(said_at)
    ago = _AGO.match(one.text)
    if one.grain == "range" and (not one.is_relative or one.start == EARLIEST or one.end == LATEST):
        return one.text
    if ("weekend" in text or (one.grain == "week" and one.is_relative)) and not _OF_A_DAY.search(text):
        return _beside("weekend" if "weekend" in text else "week", one, ago, said)
    if one.grain == "year":
        return f"{ago[1]} before {said}" if ago and _VAGUE.search(text) else str(one.start.year)
    if one.grain == "month":
        return f"{one.start:%B} {one.start.year}"
    if one.grain == "season":
        return f"{_season(text)} {one.start.year}".strip()
    if one.end - one.start > 2 * DAY:
        return f"{describe_day(one.start)} to {describe_day(one.end - DAY)}"
    day = describe_day(one.start)
    return f"{one.start:%A}, {day}" if _WEEKDAY.search(text) else day


def _beside(unit: str, one: Interval, ago: re.Match[str] | None, said: str) -> str:
    """ "Last week", said on 9 June 2023 -> the week before 9 June 2023."""
    if ago:
        return f"{ago[1]} before {said}"
    if _THIS.search(one.text):
        return f"the {unit} of {said}"
    return f"the {unit} {'after' if _NEXT.search(one.text) else 'before'} {said}"


def _season(text: str) -> str:
    return next((name for name in ("spring", "summer", "autumn", "fall", "winter") if name in text), "")
