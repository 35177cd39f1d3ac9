"""When: date and time expressions as intervals, read without a model and without dependencies.

`intervals("What did we do the week before 9 June 2023?", now)` finds "the week before 9 June 2023" and
gives 2 to 9 June. What the text leaves open is settled by the reference: "8 May" is the latest one that
has begun (or with prefer="future" the first that is not over), weeks begin on Monday, seasons are
whole months north of the equator, and both ends of "from May to July" are counted in. The interval of
"two years ago" is one day, and its grain "year" tells how coarsely that was said. The feasts are those of
the Western calendar, dated as in the United States where countries differ.

English has rules of its own; sentences in fourteen other languages are read with tables (`foreign_times`), and a day
with its month and year in each of them wherever it stands (`complete_dates`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from engramma.language.dates.calendar import DAY, FIRST, HOLIDAY_STARTS, LAST, Grain, Prefer
from engramma.language.dates.complete_dates import read_complete_dates
from engramma.language.dates.foreign_times import Found, read_foreign_times
from engramma.language.dates.foreign_words import Sentence, find_foreign_sentences
from engramma.language.dates.ranges import read_longest_time
from engramma.language.dates.words import (
    AMOUNT_WORDS,
    DAY_PARTS,
    DAYS,
    EDGES,
    LONGEST,
    MANY_WEEKDAYS,
    MONTHS,
    RELATIVE,
    SEASONS,
    SPELLED_DECADES,
    SPELLED_NUMBERS,
    SPELLED_ORDINALS,
    STARTING,
    UNITS,
    WEEKDAYS,
    DateWords,
    Token,
    list_date_words,
)
from engramma.language.dates.written_dates import DatePart, DateScene

EARLIEST = FIRST.replace(tzinfo=UTC)
LATEST = LAST.replace(tzinfo=UTC)

# Every expression has a number or one of these, near its beginning.
_HEARTS = frozenset(
    {*MONTHS, *WEEKDAYS, *MANY_WEEKDAYS, *SEASONS, *DAYS, *UNITS, *DAY_PARTS, *SPELLED_DECADES, *HOLIDAY_STARTS}
    | {*SPELLED_NUMBERS, *SPELLED_ORDINALS, "tonight", "midnight", *"0123456789"}
)
# No expression begins with another word.
_STARTS = (
    _HEARTS
    | {*RELATIVE, *EDGES, *AMOUNT_WORDS, *STARTING}
    | list_date_words(
        "the my our these in on for from between since before after until till within q h w ' no prior later earlier"
        " rest remainder"
    )
)
_HEART_WITHIN = 8
_WORD = re.compile(r"[0-9]|[^\W\d_]+")
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Interval:
    """A time that a text names: from `start` up to but without `end`, both in UTC, and where it is named.

    `grain` tells how exactly it was said; "range" also marks an end left open, which then lies at
    EARLIEST or LATEST. `is_relative` says that the reference decided some of it.
    """

    start: datetime
    end: datetime
    text: str
    span: tuple[int, int]
    grain: Grain
    is_relative: bool


def intervals(text: str, reference: datetime, prefer: Prefer = "past") -> tuple[Interval, ...]:
    """The times that the first 4,000 characters name, in order of appearance; of overlapping ones the longest.

    Days begin at midnight in the reference's zone.
    """
    if reference.utcoffset() is None:
        raise ValueError("the reference needs a time zone")
    found, complete = _english_times(text, reference, prefer), read_complete_dates(text)
    sentences = find_foreign_sentences(text, complete)
    if sentences:
        found = _with_foreign_times(text, reference, prefer, found, sentences)
    if complete:
        found = _longest_apart([*found, *((one.start, one.end, one.part) for one in complete)])
    resolved = [_interval(text, start, end, part, reference) for start, end, part in sorted(found, key=lambda t: t[0])]
    return tuple(interval for interval in resolved if interval.start < interval.end)


def times_asked(text: str, reference: datetime) -> tuple[Interval, ...]:
    """The times that a question names, as `intervals`; whether it may name any is kept of the last questions."""
    return () if not _may_name_time(text) else intervals(text, reference)


@lru_cache(maxsize=64)
def _may_name_time(text: str) -> bool:
    """Whether a question has anything of which a time is made, whatever it is relative to."""
    return _has_heart(text) or bool((complete := read_complete_dates(text)) or find_foreign_sentences(text, complete))


def _has_heart(text: str) -> bool:
    return not _HEARTS.isdisjoint(_WORD.findall(text[:LONGEST].lower()))


def _english_times(text: str, reference: datetime, prefer: Prefer) -> list[Found]:
    if not _has_heart(text):
        return []
    scene = DateScene(DateWords(text), reference.replace(tzinfo=None), prefer)
    tokens = scene.words.tokens
    found = [
        (tokens[i].start, tokens[part.stop - 1].end, part)
        for i in _starts(tokens)
        if (part := read_longest_time(scene, i))
    ]
    return _longest_apart([one for one in found if _stands_alone(text, one[0], one[1])])


def _with_foreign_times(
    text: str, reference: datetime, prefer: Prefer, english: list[Found], sentences: list[Sentence]
) -> list[Found]:
    """The times of sentences in other languages, and those English ones that are not in their way.

    Within such a sentence only an English date with its year is kept: "sept" is a number in French.
    """
    scene = DateScene(DateWords(""), reference.replace(tzinfo=None), prefer)
    found = [one for sentence in sentences for one in read_foreign_times(text, sentence, scene)]
    found = _longest_apart(found)
    own, taken = bytearray(LONGEST), bytearray(LONGEST)
    for one in sentences:
        own[one.start : one.end] = bytes([one.is_whole]) * (one.end - one.start)
    for start, end, _ in found:
        taken[start:end] = b"\1" * (end - start)
    for start, end, part in english:
        is_dated = not part.is_relative and _YEAR.search(text, start, end) is not None
        if (is_dated or not own[start]) and not any(taken[start:end]):
            found.append((start, end, part))
    return found


def _longest_apart(found: list[Found]) -> list[Found]:
    """Of overlapping times the longest."""
    kept, taken = list[Found](), bytearray(LONGEST)
    for start, end, part in sorted(found, key=lambda entry: (entry[0] - entry[1], entry[0])):
        if not any(taken[start:end]):
            kept.append((start, end, part))
            taken[start:end] = b"\1" * (end - start)
    return kept


def distance_days(interval: Interval, moment: datetime) -> float:
    """How many days the moment lies before or after the interval; 0 within it."""
    if moment < interval.start:
        return (interval.start - moment) / DAY
    return max((moment - interval.end) / DAY, 0.0)


def _starts(tokens: list[Token]) -> list[int]:
    """The places where an expression may begin."""
    heart, found = len(tokens) + _HEART_WITHIN, []
    for i in range(len(tokens) - 1, -1, -1):
        token = tokens[i]
        if token.value >= 0 or token.word in _HEARTS:
            heart = i
        if heart == i or (heart - i <= _HEART_WITHIN and token.word in _STARTS):
            found.append(i)
    return found[::-1]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether it is no piece of a longer word, number, price or address."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before and (before[-1].isalnum() or before[-1] in "_$€£#@"):
        return False
    if after and (after[0].isalnum() or after[0] in "_%"):
        return False
    is_number_before = text[start].isdigit() and len(before) == 2 and before[1] in ".,/-:" and before[0].isdigit()
    is_number_after = text[end - 1].isdigit() and len(after) == 2 and after[0] in ".,/-:" and after[1].isdigit()
    return not is_number_before and not is_number_after


def _interval(text: str, start: int, end: int, part: DatePart, reference: datetime) -> Interval:
    first, last = (_in_utc(moment, reference) for moment in (part.start, part.end))
    return Interval(first, last, text[start:end], (start, end), part.grain, part.is_relative)


def _in_utc(moment: datetime, reference: datetime) -> datetime:
    """A time of the reference's zone in UTC; the ends of the calendar are the same everywhere."""
    if moment in (FIRST, LAST):
        return moment.replace(tzinfo=UTC)
    try:
        return moment.replace(tzinfo=reference.tzinfo).astimezone(UTC)
    except OverflowError:
        return EARLIEST if moment - FIRST < timedelta(days=2) else LATEST
