"""Times in other languages: forms of a language are found among the words of its sentences and put in the calendar.

The rules are those of English: weeks begin on Monday, "3 марта" is the latest that has begun, "vor zwei Jahren" is one
day with the grain "year". A form has at most ten words, so reading is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engramma.language.dates.calendar import (
    DAY,
    FIRST,
    LAST,
    Span,
    date_span,
    day_span,
    months_span,
    moved,
    nearest,
    season_span,
    unit_span,
    weekday_from,
    years_span,
)
from engramma.language.dates.foreign_words import ForeignToken, Sentence, read_tokens
from engramma.language.dates.languages import FormTree, Given, Language, read_language
from engramma.language.dates.relative_times import counted, day_part, grain_of, stretch
from engramma.language.dates.written_dates import YEARS_AHEAD, DatePart, DateScene, full_year, stepped

_MOST_DAYS, _MOST_MONTHS = 31, 12
_LONGEST_COUNT = 3  # digits
_BEFORE_NUMBER, _AFTER_NUMBER = frozenset("$€£#@_+"), frozenset("%€$£_")
_JOINING = frozenset(".,/-:")
_CLOCK_UNITS = ("day",)

Found = tuple[int, int, DatePart]
"""Where a time stands in the text, from and up to, and the time."""


def read_foreign_times(text: str, sentence: Sentence, scene: DateScene) -> list[Found]:
    """The times of a sentence in the first of its languages that finds any; overlapping ones too."""
    for code in sentence.languages:
        language = read_language(code)
        tokens = read_tokens(text, sentence, language)
        if found := list(_times(language, tokens, scene, sentence.is_whole)):
            return found
    return []


def _times(language: Language, tokens: list[ForeignToken], scene: DateScene, has_numbers: bool) -> Iterator[Found]:
    for i, token in enumerate(tokens):
        parts = []
        if has_numbers and token.value >= 0 and (dated := _numeric(tokens, i, scene)):
            parts.append(dated)
        if language.tree.words.get(token.word) or token.value >= 0 or token.word in language.classes:
            for stop, given in sorted(_walk(language, tokens, i, i, language.tree, {}), key=lambda way: -way[0]):
                if part := _part(language, tokens, i, stop, given, scene):
                    parts.append(part)
                    break
        if parts and (part := max(parts, key=lambda part: part.stop)) and _stands_alone(language, tokens, i, part.stop):
            start, part = _bounded(language, tokens, i, part)
            yield tokens[start].start, tokens[part.stop - 1].end, part


def _walk(
    language: Language, tokens: list[ForeignToken], first: int, i: int, tree: FormTree, given: Given
) -> Iterator[tuple[int, Given]]:
    """Every form that begins at `first`: the place after it and what it gives."""
    if tree.given is not None:
        yield i, given | tree.given
    if i == len(tokens):
        return
    token = tokens[i]
    if way := tree.words.get(token.word):
        yield from _walk(language, tokens, first, i + 1, way, given)
    if not tree.slots:
        return
    for slot, value in _slots_of(language, token):
        way = tree.slots.get(slot)
        if way is not None:
            told = given | value
            if slot == "L" and "step" in given:
                told["step"] = int(given["step"]) + int(value["step"])
            yield from _walk(language, tokens, first, i + 1, way, told)


def _slots_of(language: Language, token: ForeignToken) -> tuple[tuple[str, Given], ...]:
    """The slots that a token fills."""
    if token.value < 0:
        return language.classes.get(token.word, ())
    length, number = len(token.word), token.value
    found: list[tuple[str, Given]] = []
    if length <= _LONGEST_COUNT and number:
        found.append(("N", {"count": number}))
    if length <= 2 or not token.word.isdecimal():
        if 1 <= number <= _MOST_DAYS:
            found.append(("D", {"day": number}))
        if 1 <= number <= _MOST_MONTHS:
            found.append(("m", {"month": number}))
    if length == 4 and 1000 <= number <= 2999:
        found.append(("Y", {"year": number}))
    return (*found, *language.classes.get(token.word, ()))


def _part(
    language: Language, tokens: list[ForeignToken], i: int, stop: int, given: Given, scene: DateScene
) -> DatePart | None:
    words = [token.word for token in tokens[i:stop]]
    before = tokens[i - 1].word if i else ""
    after = tokens[stop].word if stop < len(tokens) else ""
    if before in language.every or before in language.not_after.get(words[0], ()):
        return None
    if after in language.not_before.get(words[-1], ()):
        return None
    if "weekday" in given and len(given) == 1 and before in language.habit:
        return None
    is_step = "step" in given and "count" not in given
    if is_step and (not language.many.isdisjoint(words) or ("unit" in given and after in language.of)):
        return None
    if "closed" in given and after.isalpha() and after not in language.common:
        return None
    try:
        part = _resolved(language, stop, given, scene)
    except (ValueError, OverflowError):
        return None  # no such day: 30 February
    # "seit" of "seit März" belongs to the form; that of "avant-hier" is no "before".
    bound = language.bounds.get((words[0],)) if "sign" not in given and "offset" not in given else None
    return _open(part, bound) if part and bound else part


def _resolved(language: Language, stop: int, told: Given, s: DateScene) -> DatePart | None:
    """What a form gives, put in the calendar."""
    given: dict[str, Any] = dict(told)
    if "era" in given:  # 令和7年 is 2025
        given["year"] = given.pop("era") + given.pop("count")
    unit, step = given.get("unit"), given.get("step")
    if "offset" in given:
        day = DatePart(stop, *unit_span(s.today, "day", given["offset"]), "day", True)
        return day_part(day, given["part"], stop) if "part" in given else day
    if "sign" in given:
        return counted(s, ((given.get("count", 1), given["unit"]),), given["sign"], stop)
    if "season" in given:
        return _season(stop, given, s)
    if "month" in given:
        return _month(stop, given, s)
    if "day" in given and unit == "month":
        start = unit_span(s.now, "month", step or 0)[0]
        return DatePart(stop, *date_span(start.year, start.month, given["day"]), "day", True)
    if "day" in given:
        return None  # the fifth of a week or a year
    if "weekday" in given:
        return _weekday(language, stop, given, s)
    if unit and step is not None:
        if "count" in given:
            return stretch(s, given["count"], unit, step, stop) if step else None
        return None if unit in _CLOCK_UNITS else DatePart(stop, *unit_span(s.now, unit, step), grain_of(unit), True)
    if "year" in given and len(given) == 1 and 1900 <= given["year"] <= s.now.year + YEARS_AHEAD:
        return DatePart(stop, *years_span(given["year"]), "year")
    return None


def _season(stop: int, given: dict[str, Any], s: DateScene) -> DatePart | None:
    """A season of a year that is told, or the last, this or the coming one."""

    def make(year: int) -> Span:
        return season_span(year, given["season"])

    step = given.get("step", 0)
    if "year" in given:
        return DatePart(stop, *make(given["year"]), "season")
    if given.get("unit", "year") != "year" or abs(step) > 1:
        return None
    span = make(s.now.year + step) if "unit" in given else stepped(s, make, step)
    return DatePart(stop, *span, "season", True)


def _month(stop: int, given: dict[str, Any], s: DateScene) -> DatePart | None:
    """A month or a day of it: in the year that is told, or the nearest."""
    month, day, step = given["month"], given.get("day"), given.get("step")

    def make(year: int) -> Span:
        return date_span(year, month, day) if day else months_span(year, month)

    if "short" in given and not day:
        return None
    if step is not None and (given.get("unit", "year") != "year" or ("unit" not in given and abs(step) > 1)):
        return None  # "vorletzten Mai" depends on whether this year's was the last one
    if "year" in given:
        return DatePart(stop, *make(given["year"]), "day" if day else "month")
    if step is not None and "unit" in given:
        return DatePart(stop, *make(s.now.year + step), "day" if day else "month", True)
    span = nearest(make, s.today, s.prefer) if step is None else stepped(s, make, step)
    return DatePart(stop, *span, "day" if day else "month", True)


def _weekday(language: Language, stop: int, given: dict[str, Any], s: DateScene) -> DatePart | None:
    """A weekday: of a week that is told, the last, the coming, or the nearest."""
    weekday, step = given["weekday"], given.get("step")
    if step is None:
        day = weekday_from(s.today, weekday, -1 if s.prefer == "past" else 1)
    elif given.get("unit", "week") != "week":
        return None
    elif "unit" in given or language.has_week_weekdays or (step >= 0 and "coming" not in given):
        day = moved(unit_span(s.now, "week", step)[0], weekday * DAY)
    else:
        day = weekday_from(s.today, weekday, step)
    return DatePart(stop, *day_span(day), "day", True)


def _numeric(tokens: list[ForeignToken], i: int, s: DateScene) -> DatePart | None:
    """03.05.2023, 3/5/23, 2023-05-03, 2023/5/3: the day before the month unless that is impossible."""
    if i + 5 > len(tokens):
        return None
    a, mark, b, other, c = tokens[i : i + 5]
    is_joined = a.end == mark.start and mark.end == b.start and b.end == other.start and other.end == c.start
    if not is_joined or mark.word != other.word or mark.word not in (".", "/", "-") or min(b.value, c.value) < 0:
        return None
    if len(b.word) > 2 or len(a.word) == len(c.word) == 4:
        return None
    if len(a.word) == 4:
        year, month, day = a.value, b.value, c.value
    elif len(a.word) <= 2 and (len(c.word) == 4 or (len(c.word) == 2 and mark.word != "-")):
        day, month = (a.value, b.value) if b.value <= _MOST_MONTHS else (b.value, a.value)
        year = c.value if len(c.word) == 4 else full_year(s, c.value)
    else:
        return None
    try:
        return DatePart(i + 5, *date_span(year, month, day), "day")
    except ValueError:
        return None


def _stands_alone(language: Language, tokens: list[ForeignToken], i: int, stop: int) -> bool:
    """Whether it is no piece of a longer number, price or word."""
    first, last = tokens[i], tokens[stop - 1]
    before = tokens[i - 1] if i and tokens[i - 1].end == first.start else None
    after = tokens[stop] if stop < len(tokens) and tokens[stop].start == last.end else None
    if first.value >= 0 and before:
        is_number = before.word in _JOINING and i > 1 and tokens[i - 2].value >= 0 and tokens[i - 2].end == before.start
        if is_number or before.word in _BEFORE_NUMBER or (before.word.isalpha() and language.is_spaced):
            return False
    if last.value >= 0 and after:
        follows = tokens[stop + 1] if stop + 1 < len(tokens) else None
        is_number = after.word in _JOINING and follows is not None and follows.value >= 0 and follows.start == after.end
        if is_number or after.word in _AFTER_NUMBER or (after.word.isalpha() and language.is_spaced):
            return False
    return not language.particles or _is_korean_word(language, tokens, i, stop)


def _is_korean_word(language: Language, tokens: list[ForeignToken], i: int, stop: int) -> bool:
    """Whether only a particle follows in the same word, and nothing stands before it there."""
    if tokens[i].value < 0 and i and tokens[i - 1].end == tokens[i].start and tokens[i - 1].word.isalpha():
        return False
    rest, end = "", tokens[stop - 1].end
    for token in tokens[stop : stop + 8]:
        if token.start != end or not token.word.isalpha():
            break
        rest, end = rest + token.word, token.end
    return not rest or rest.startswith(language.particles)


def _bounded(language: Language, tokens: list[ForeignToken], i: int, part: DatePart) -> tuple[int, DatePart]:
    """The part with "since", "until", "before" or "after" before or behind it, and where that begins."""
    stop = part.stop
    for length in (3, 2, 1):
        before = tuple(token.word for token in tokens[max(0, i - length) : i])
        if name := language.bounds.get(before):
            return i - len(before), _open(part, name)
        behind = tuple(token.word for token in tokens[stop : stop + length])
        if name := language.bounds_then.get(behind):
            return i, replace(_open(part, name), stop=stop + len(behind))
    return i, part


def _open(part: DatePart, name: str) -> DatePart:
    if name in ("since", "after"):
        return replace(part, start=part.start if name == "since" else part.end, end=LAST, grain="range")
    return replace(part, start=FIRST, end=part.end if name == "until" else part.start, grain="range")
