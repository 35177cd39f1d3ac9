"""Amounts in English text: money, times, distances, weights, percentages, and counts of things.

"$1,200", "25 euros", "an hour and a half", "five pounds", "12 episodes": each with its value, its unit and its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .lexical import stems

LOOKED_AT = 4_000  # characters of a text
NOUN_WORDS = 3  # after a number, of which one may be what is counted: "12 new podcast episodes"

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_ONES = _SMALL.split()
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SPELLED = {word: float(number) for number, word in enumerate(_ONES)} | {word: float(n) for word, n in _TENS.items()}
_SPELLED |= {"a": 1.0, "an": 1.0, "half": 0.5, "half a": 0.5, "half an": 0.5, "a dozen": 12.0, "a couple of": 2.0}
_SPELLED |= {f"{ten}-{one}": float(n + m) for ten, n in _TENS.items() for m, one in enumerate(_ONES[1:10], 1)}
_TIMES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "k": 1e3, "m": 1e6, "grand": 1e3}
_CURRENCIES = {"dollar": "$", "buck": "$", "usd": "$", "euro": "€", "eur": "€", "pound sterling": "£", "gbp": "£"}
_UNITS: dict[str, tuple[str, float]] = {  # what is measured, and how much of its smallest unit
    **dict.fromkeys(("second", "sec"), ("time", 1.0)),
    **dict.fromkeys(("minute", "min"), ("time", 60.0)),
    **dict.fromkeys(("hour", "hr"), ("time", 3_600.0)),
    **dict.fromkeys(("day", "night"), ("time", 86_400.0)),
    "week": ("time", 604_800.0),
    "month": ("calendar", 1.0),
    **dict.fromkeys(("year", "yr"), ("calendar", 12.0)),
    **dict.fromkeys(("kilometer", "kilometre", "km"), ("metric distance", 1.0)),
    **dict.fromkeys(("mile", "mi"), ("distance", 1.0)),
    **dict.fromkeys(("pound", "lb"), ("weight", 1.0)),
    **dict.fromkeys(("kilogram", "kilo", "kg"), ("metric weight", 1.0)),
    **dict.fromkeys(("percent", "%"), ("percentage", 1.0)),
}
_SPELLED_OUT = "|".join(sorted(_SPELLED, key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?<![\w.,/:$€£¥-])(?P<sign>[$€£¥])?\s?(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?"
    rf"|(?:{_SPELLED_OUT})\b)(?:[\s-]?(?P<times>hundred|thousand|million|grand|k|m)\b)?"
    r"(?:[\s-]?(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?|yrs?|kilomet(?:er|re)s?"
    r"|kms?|miles?|pounds?|lbs?|kilograms?|kilos?|kgs?|percent\b|%|dollars?|bucks?|usd|euros?|eur|gbp)(?![a-z]))?"
    r"(?P<half>\s(?:and|&)\sa\shalf\b)?(?![\d:]|/\d|,\d|\.\d)",
    re.IGNORECASE,
)
_BARE = re.compile(r"\s*(?:[.,;:!?)]|$|to be (?:exact|precise)\b|so far\b|in total\b|of them\b)", re.IGNORECASE)
_NUMBER_WORD = rf"(?:{'|'.join((*_ONES, *_TENS))}|hundred|thousand|million)"
_TORN_BEFORE = re.compile(
    rf"(?:\b{_NUMBER_WORD}(?:\s+and)?[\s-]+|(?:\d|\b{_NUMBER_WORD})\s*(?:-|–|—|\bto\b|\bor\b)\s*[$€£¥]?\s?"
    r"|\d[.,])$",
    re.IGNORECASE,
)
_TORN_AFTER = re.compile(
    rf"\s*(?:-|–|—|\bto\b|\bor\b)\s*[$€£¥]?\s?(?:\d|{_NUMBER_WORD}\b)|\s+\d|[\s-]+(?:and\s+)?{_NUMBER_WORD}\b"
    r"|\s*(?:billion|trillion|bn)\b",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"\d{1,3}\.\d{3}")  # 1.200: a thousand in half of the world
_BEFORE_ONE = re.compile(  # what stands before "a week" where it is a time, not a rate
    r"(?:^|\b(?:for|in|takes?|took|about|around|almost|nearly|over|within|of|is|was|lasts?|lasted|spen[dt]|me|us|than|just"
    r"|only|half|and|to|after|like)|[,.;:(])\s*$",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\s+([a-z][\w'’-]*)", re.IGNORECASE)
_PER = (
    r"second|minute|hour|day|night|week|month|year|person|head|piece|pop|kilo|kg|pound|lb|liter|litre|gallon|square"
    r"|unit|item|ticket|bottle|mo|yr"
)
_RATE = re.compile(
    rf"(?:\s+[\w'’-]+){{0,2}}?(?:\s*/\s*(?P<slash>{_PER})|\s+(?:a|an|per|each|every)\s+(?P<per>{_PER})"
    r"|\s+(?P<each>each|apiece|hourly|daily|weekly|monthly|yearly|annually))\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|more than|at least|up to|less than|under"
    r"|some|or so)|~)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what it measures, in the text from `start` to `end`."""

    value: float  # in the kind's smallest unit: seconds, months, miles, dollars
    kind: str  # $ € £ ¥, time, calendar, distance, weight, percentage, or "" for a bare number
    unit: str  # as it was said, without its plural: "week"
    nouns: frozenset[str]  # stems of the words after it: what may be counted
    is_about: bool  # "around 40"
    rate: str  # "night" of "$30 a night"; "" of what is no rate
    is_bare: bool  # no word after it: "comments: 21", "21 to be exact"
    start: int
    end: int


def find_amounts(text: str) -> list[Amount]:
    """All amounts of a text, in order. A time of "an hour" is one; "a" alone counts nothing."""
    found = []
    for match in _AMOUNT.finditer(text[:LOOKED_AT]):
        amount = _amount(text, match)
        if amount is not None:
            found.append(amount)
    return found


def _amount(text: str, match: re.Match[str]) -> Amount | None:
    number, unit = match["number"].lower(), _singular(match["unit"] or "")
    if match["sign"] is None and not match["times"] and not unit and number.split()[0] in ("a", "an", "half"):
        return None
    if number in ("a", "an") and _BEFORE_ONE.search(text[max(0, match.start() - 12) : match.start()]) is None:
        return None  # "an apple a day"
    value = _SPELLED.get(number)
    if value is None and _THOUSANDS.fullmatch(number):
        value = float(number.replace(".", ""))
    elif value is None:
        value = float(number.replace(",", ""))
    value = value * _TIMES.get((match["times"] or "").lower(), 1.0) + (0.5 if match["half"] else 0.0)
    kind, factor = _kind(match["sign"], unit)
    if _TORN_BEFORE.search(text[max(0, match.start() - 24) : match.start()]) or _TORN_AFTER.match(text, match.end()):
        return None  # a piece of "one hundred and fifty", "$20-30", "1 200" or "$1.5 billion"
    if unit == "" and match["sign"] is None and _THOUSANDS.fullmatch(number):
        return None
    rate = _RATE.match(text, match.end())
    about = _ABOUT.search(text[max(0, match.start() - 20) : match.start()].rstrip() + " ") is not None
    return Amount(
        value * factor,
        kind,
        unit,
        _nouns(text, match.end()),
        about,
        (rate["slash"] or rate["per"] or rate["each"]).lower() if rate is not None else "",
        _BARE.match(text, match.end()) is not None,
        match.start(),
        match.end(),
    )


def _kind(sign: str | None, unit: str) -> tuple[str, float]:
    if sign is not None:
        return sign, 1.0
    if unit in _CURRENCIES:
        return _CURRENCIES[unit], 1.0
    return _UNITS.get(unit, ("", 1.0))


def _singular(unit: str) -> str:
    word = unit.lower()
    return word[:-1] if len(word) > 1 and word.endswith("s") else word


def _nouns(text: str, start: int) -> frozenset[str]:
    """Stems of the words after a number, up to the first mark."""
    found: set[str] = set()
    for _ in range(NOUN_WORDS):
        match = _NEXT.match(text, start)
        if match is None:
            break
        found |= set(stems(match[1].casefold()))
        start = match.end()
    return frozenset(found)


def write_amount(value: float, kind: str, unit: str) -> str:
    """An amount as people write it, in a unit: "$1,200", "15 days", "7.5 miles"."""
    factor = _UNITS[unit][1] if unit in _UNITS else 1.0
    number = f"{round(value / factor, 2):,.2f}".rstrip("0").rstrip(".")
    if kind in ("$", "€", "£", "¥"):
        is_cents = "." in number
        return f"{kind}{value:,.2f}" if is_cents else f"{kind}{number}"
    if kind == "percentage":
        return f"{number}%"
    if not unit:
        return number
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"
