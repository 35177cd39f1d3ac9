"""Times known by name or number: Easter, the summer of 2022, 2023, the nineties, the third quarter."""

from __future__ import annotations

from engramma.language.dates.calendar import (
    HOLIDAY_STARTS,
    HOLIDAYS,
    Grain,
    Span,
    months_span,
    season_span,
    unit_span,
    years_span,
)
from engramma.language.dates.words import (
    EDGES,
    SEASONS,
    SPELLED_DECADES,
    cardinal,
    list_date_words,
    ordinal,
    spelled,
    year_number,
)
from engramma.language.dates.written_dates import YEARS_AHEAD, DatePart, DateScene, full_year, yearly

# After a number in four digits, these make it a count.
_COUNTED = list_date_words("people km miles feet men women usd eur % $ €")
# Words in s that are no nouns counted by a number before them.
_NOT_COUNTED = list_date_words("was is has this does as us its his yes")
_YEAR_COMES = list_date_words("in since during until till through by before after from between to of and")
_SEASON_COMES = list_date_words("in during over since until till before after through for from and early mid late")


def holiday_at(s: DateScene, i: int) -> tuple[str, int] | None:
    """The longest feast's name here."""
    w = s.words
    if w.word(i) not in HOLIDAY_STARTS:
        return None
    names: list[str] = []
    best: tuple[str, int] | None = None
    for j in range(i, i + 6):
        if w.word(j) == ".":
            continue
        names.append(w.word(j))
        if " ".join(names) in HOLIDAYS:
            best = " ".join(names), j + 1
    return best


def holiday(s: DateScene, i: int) -> DatePart | None:
    found = holiday_at(s, i)
    if not found or (found[0] == "new year" and s.words.word(i - 1) in ("a", "the", "happy")):
        return None
    name, stop = found
    if s.words.word(stop) == "weekend":
        return yearly(s, stop + 1, lambda year: _with_weekend(HOLIDAYS[name](year)), "range")
    return yearly(s, stop, HOLIDAYS[name], "day")


def _with_weekend(feast: Span) -> Span:
    """The feast and the weekend nearest to it."""
    start, end = unit_span(feast[0], "weekend", -1 if feast[0].weekday() < 2 else 0)
    return min(start, feast[0]), max(end, feast[1])


def season(s: DateScene, i: int) -> DatePart | None:
    """Summer 2022, the summer of 2022, in the summer: without a year only where a time is asked for."""
    w = s.words
    j = w.skip(i, "the")
    first = SEASONS.get(w.word(j))
    if first is None:
        return None
    part = yearly(s, j + 1, lambda year: season_span(year, first), "season")
    if part.in_year is None:
        return part
    is_asked = w.word(i - 1) in _SEASON_COMES or (w.word(i - 1) == "of" and w.word(i - 2) in EDGES)
    return part if is_asked and w.word(j + 1) != "of" and w.ends(j + 1) else None


def lone_year(s: DateScene, i: int) -> DatePart | None:
    """In 2023, in '99, the year 247, 2023: a number in four digits that counts nothing."""
    w = s.words
    j = w.skip(i, "the")
    if w.word(j) == "year":
        named = year_number(w, w.skip(j + 1, "of")) or cardinal(w, w.skip(j + 1, "of"))
        return DatePart(named[1], *years_span(named[0]), "year") if named and named[0] >= 100 else None
    if w.word(i) == "'" and w.word(i - 1) in _YEAR_COMES and w.at(i + 1).kind == "number" and len(w.word(i + 1)) == 2:
        return DatePart(i + 2, *years_span(full_year(s, w.at(i + 1).value)), "year")
    found = year_number(w, i)
    if not found or w.word(i - 1) in ("$", "€", "£", "#", "+"):
        return None
    number, k = found
    before, after = w.word(i - 1), w.word(k)
    is_count = (after.endswith("s") and len(after) > 3 and after not in _NOT_COUNTED) or after in _COUNTED
    if before in _YEAR_COMES:
        is_year = not is_count or before in ("in", "since", "during")
    elif w.at(i).kind == "number" and 1900 <= number <= s.now.year + YEARS_AHEAD:
        is_year = not is_count and (w.ends(k) or before in ("", "the", "my", "our"))
    else:
        is_year = False
    return DatePart(k, *years_span(number), "year") if is_year else None


def decade(s: DateScene, i: int) -> DatePart | None:
    """The 1990s, the '90s, the nineties, the nineteen seventies, the 21st century."""
    w = s.words
    j = w.skip(w.skip(i, "the"), "'")
    if (number := ordinal(w, j)) and w.word(number[1]) == "century":
        return DatePart(number[1] + 1, *years_span(number[0] * 100 - 100 or 1, 100), "range")
    token = w.at(j)
    if token.kind == "decade" and token.value % 10 == 0:
        if len(token.word.rstrip("s'’")) == 4:
            return DatePart(j + 1, *years_span(token.value, 10), "range")
        if len(token.word.rstrip("s'’")) == 2 and (j > i or w.word(i - 1) in {"in", *EDGES}):
            return DatePart(j + 1, *years_span(full_year(s, token.value), 10), "range")
    if j == i and w.word(i - 1) not in EDGES:
        return None
    if token.word in SPELLED_DECADES:
        return DatePart(j + 1, *years_span(full_year(s, SPELLED_DECADES[token.word]), 10), "range")
    number = spelled(w, j)
    if not number:
        return None
    n, k = number
    if w.word(k) == "thousands":
        return DatePart(k + 1, *years_span(n * 1000, 10), "range")
    if w.word(k) == "thousand":
        return _spelled_decade(s, n * 10, w.skip(k + 1, "and"))
    return _spelled_decade(s, n, w.skip(k, "-"))


def _spelled_decade(s: DateScene, century: int, i: int) -> DatePart | None:
    tens = SPELLED_DECADES.get(s.words.word(i))
    return (
        DatePart(i + 1, *years_span(century * 100 + tens, 10), "range") if tens is not None and century >= 10 else None
    )


def quarter(s: DateScene, i: int) -> DatePart | None:
    """Q3, Q3 2016, 2016 Q3, H1 2016, the third quarter of this year: in words a game has quarters too."""
    w = s.words
    year = year_number(w, i)
    j = w.skip(w.skip(year[1], ",", "-"), "the") if year else w.skip(i, "the")
    if w.word(j) in ("q", "h") and w.at(j + 1).kind == "number" and w.is_joined(j):
        number, k, months, is_open = w.at(j + 1).value, j + 2, 3 if w.word(j) == "q" else 6, w.word(j) == "q"
    elif (found := ordinal(w, j)) and w.word(found[1]) == "quarter":
        number, k, months, is_open = found[0], found[1] + 1, 3, False
        if (w.word(k), w.word(k + 1), w.word(k + 2)) == ("of", "the", "year") and not year_number(w, k + 3):
            k, is_open = k + 3, True
    else:
        return None
    if not 1 <= number <= 12 // months:
        return None
    grain: Grain = "quarter" if months == 3 else "range"
    if year:
        return DatePart(k, *months_span(year[0], (number - 1) * months + 1, months), grain)
    part = yearly(s, k, lambda year: months_span(year, (number - 1) * months + 1, months), grain)
    return part if is_open or part.in_year is None else None
