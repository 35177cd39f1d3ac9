"""Words of English dates: a tokeniser, the tables of names, and numbers in digits or spelled out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

# A question is short; of a long text only the beginning is read, which bounds the work.
LONGEST = 4_000
_MAX_DIGITS = 6

_TOKEN = re.compile(
    r"(?P<ordinal>[0-9]+(?:st|nd|rd|th))(?![^\W_])"
    r"|(?P<decade>[0-9]+['’]?s)(?![^\W_])"
    r"|(?P<number>[0-9]+)"
    r"|(?P<word>[ap]\.m\b\.?|o['’]clock|[^\W\d_]+(?:['’]s(?![^\W_]))?)"
    r"|(?P<mark>\S)",
    re.IGNORECASE,
)
_DASHES = {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'"}


class Token(NamedTuple):
    """A word in lower case without its 's, a number, or a mark, and where it stands."""

    word: str
    kind: str
    value: int
    start: int
    end: int
    is_capital: bool


_NOTHING = Token("", "end", -1, -1, -1, False)
# Rules look this far beyond a word they know, at most.
_PADDING = 20


def _tokens_of(text: str) -> list[Token]:
    """The tokens of the first `LONGEST` characters."""
    found = []
    for match in _TOKEN.finditer(text[:LONGEST]):
        kind, raw = match.lastgroup or "mark", match[0]
        word, value = raw.lower(), -1
        if kind == "word":
            word = word[:-2] if word.endswith(("'s", "’s")) else word
            word = word.replace(".", "") if word[1:2] == "." else word.replace("’", "'")
        elif kind == "mark":
            word = _DASHES.get(word, word)
        else:
            digits = word.rstrip("stndrh'’")
            kind = kind if len(digits) <= _MAX_DIGITS else "mark"
            value = int(digits) if kind != "mark" else -1
        found.append(Token(word, kind, value, match.start(), match.end(), raw[0].isupper()))
    return found


def _named(names: str, first: int = 0) -> dict[str, int]:
    """Names by number: one entry a word, spellings of the same number joined by a bar."""
    return {name: n for n, names in enumerate(names.split(), first) for name in names.split("|")}


def list_date_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONTHS = _named(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep"
    " october|oct november|nov december|dec",
    first=1,
)
# Months that are also names, verbs or codes: without a number they need a word before them that asks for a date.
MONTHS_IN_DOUBT = frozenset({"march", "mar", "april", "may", "june", "august", "jan", "jun", "sep", "dec"})
WEEKDAYS = _named(
    "monday|mon tuesday|tue|tues wednesday|wed|weds thursday|thu|thur|thurs friday|fri saturday|sat sunday|sun"
)
WEEKDAYS_IN_DOUBT = frozenset({"mon", "wed", "fri", "sat", "sun"})
MANY_WEEKDAYS = {f"{name}s": n for name, n in WEEKDAYS.items() if name.endswith("day")}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNITS = {
    **dict.fromkeys(("minute", "minutes", "mins", "min"), "minute"),
    **dict.fromkeys(("hour", "hours", "hrs", "hr"), "hour"),
    **dict.fromkeys(("day", "days"), "day"),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), "week"),
    **dict.fromkeys(("fortnight", "fortnights"), "fortnight"),
    **dict.fromkeys(("weekend", "weekends"), "weekend"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("quarter", "quarters"), "quarter"),
    **dict.fromkeys(("year", "years", "yr", "yrs"), "year"),
    **dict.fromkeys(("decade", "decades"), "decade"),
    **dict.fromkeys(("century", "centuries"), "century"),
}
BEFORE = {"last": -1, "past": -1, "previous": -1}
WITHIN = {"this": 0, "current": 0}
AFTER = {"next": 1, "coming": 1, "upcoming": 1, "following": 1}
RELATIVE = {**BEFORE, **WITHIN, **AFTER}
DAYS = {
    **{"today": 0, "yesterday": -1, "tomorrow": 1},
    **dict.fromkeys(("tmrw", "tmr", "tomorow", "tommorow", "tommorrow"), 1),
}
# Hours from the day's beginning; an evening may be called night, and a night ends in the next morning.
DAY_PARTS = {
    **{"morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)},
    **{"noon": (12, 13), "midday": (12, 13), "lunchtime": (11, 14), "dawn": (4, 8), "dusk": (16, 22)},
}
# Which part of a period is meant: first, middle, last.
EDGES = {
    **dict.fromkeys(("early", "beginning", "start"), "first"),
    **dict.fromkeys(("mid", "middle"), "middle"),
    **dict.fromkeys(("late", "end"), "last"),
}
# Words after which a month, a weekday's short form or a year is meant as a date.
PREPOSITIONS = list_date_words(
    "in on of since until till by before after during from to between through thru for around about and or last next"
    " this past previous coming early mid late end beginning start middle following - ( ,"
)
# Words that do not go on a noun: what stands before them stands by itself.
CLOSING = list_date_words(
    "and or to at in on of for by from with was were is are did do does had has have we i he she they you it that"
    " but when where who what which why how before after until till since through if so because as the a an my our"
    " his her their your its this then there not now will would could should can may might"
)
# Words and marks between the ends of a range.
RANGE_WORDS = list_date_words("to until till through thru - ~")
STARTING = list_date_words("commencing starting beginning")

_SMALL = _named(
    "zero|oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_TENS = {
    name: 10 * n for name, n in _named("twenty thirty forty|fourty fifty sixty seventy eighty ninety", first=2).items()
}
_ORDINALS = _named(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    first=1,
) | {"thirtieth": 30}
SPELLED_DECADES = {
    **{"noughties": 0, "tens": 10, "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50},
    **{"sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90},
}
_AMOUNTS = {"few": 3, "several": 3, "couple": 2, "pair": 2, "dozen": 12}
SPELLED_NUMBERS = frozenset({*_SMALL, *_TENS})
SPELLED_ORDINALS = frozenset(_ORDINALS)
AMOUNT_WORDS = frozenset({*_AMOUNTS, "a", "an", "half"})

Read = tuple[int, int]
"""A number and the place after it."""


class DateWords:
    """Tokens that may be asked a few places beyond their ends, where there is nothing."""

    __slots__ = ("at", "tokens", "word")

    def __init__(self, text: str) -> None:
        self.tokens = _tokens_of(text)
        # The padding at the end also answers for the places -1, -2 and so on.
        padded = [*self.tokens, *[_NOTHING] * _PADDING]
        self.at: Callable[[int], Token] = padded.__getitem__
        self.word: Callable[[int], str] = [token.word for token in padded].__getitem__

    def skip(self, i: int, *words: str) -> int:
        """The place after one of these words, or the same place."""
        return i + 1 if self.word(i) in words else i

    def is_joined(self, i: int) -> bool:
        """Whether nothing stands between this token and the next."""
        return self.at(i).end == self.at(i + 1).start

    def ends(self, i: int) -> bool:
        """Whether no noun follows: the text ends, a mark stands here, or a word that begins something else."""
        token = self.at(i)
        return token.kind in ("end", "mark") or token.word in CLOSING


def spelled(words: DateWords, i: int) -> Read | None:
    """A number below a hundred in words: seven, twenty-one, twenty one."""
    word = words.word(i)
    if word in _SMALL:
        return _SMALL[word], i + 1
    if word not in _TENS:
        return None
    j = words.skip(i + 1, "-")
    unit = _SMALL.get(words.word(j), 0)
    return (_TENS[word] + unit, j + 1) if 1 <= unit <= 9 else (_TENS[word], i + 1)


def cardinal(words: DateWords, i: int) -> Read | None:
    token = words.at(i)
    return (token.value, i + 1) if token.kind == "number" else spelled(words, i)


def ordinal(words: DateWords, i: int) -> Read | None:
    """15th, fifteenth, twenty-first, thirty first."""
    token = words.at(i)
    if token.kind == "ordinal":
        return token.value, i + 1
    if token.word in _ORDINALS:
        return _ORDINALS[token.word], i + 1
    if token.word in _TENS:
        j = words.skip(i + 1, "-")
        unit = _ORDINALS.get(words.word(j), 10)
        return (_TENS[token.word] + unit, j + 1) if unit <= 9 else None
    return None


def amount(words: DateWords, i: int) -> Read | None:
    """How many: 3, three, a, a couple of, the few, a dozen, two hundred."""
    j = words.skip(i, "a", "an", "the")
    if words.word(j) in _AMOUNTS:
        return _AMOUNTS[words.word(j)], words.skip(j + 1, "of", "more")
    found = cardinal(words, j if words.word(i) != "the" else i)
    if found:
        value, j = found
        return (value * 100, j + 1) if words.word(j) == "hundred" else found
    if words.word(i) in ("a", "an"):
        return (100, j + 1) if words.word(j) == "hundred" else (1, j)
    return None


def month_day(words: DateWords, i: int) -> Read | None:
    """A day's number in a month, as 8, 08, 8th, eighth or eight."""
    found = ordinal(words, i) or cardinal(words, i)
    if found and 1 <= found[0] <= 31 and (words.at(i).kind == "word" or len(words.word(i)) <= 4):
        return found if words.at(i).kind != "number" or len(words.word(i)) <= 2 else None
    return None


def spelled_year(words: DateWords, i: int) -> Read | None:
    """Two thousand and eighteen, nineteen seventy eight, nineteen zero one, seventeen hundred thirty three."""
    found = spelled(words, i)
    if not found:
        return None
    value, j = found
    if words.word(j) == "thousand":
        value, j = value * 1000, j + 1
        more = spelled(words, j)
        if more and words.word(more[1]) == "hundred":
            value, j = value + more[0] * 100, more[1] + 1
        more = spelled(words, words.skip(j, "and"))
        return (value + more[0], more[1]) if more else (value, j)
    if words.word(j) == "hundred":
        more = spelled(words, words.skip(j + 1, "and"))
        return (value * 100 + more[0], more[1]) if more else (value * 100, j + 1)
    more = spelled(words, words.skip(j, "-"))
    if more and 10 <= value <= 20:
        if more[0] == 0 and (unit := spelled(words, words.skip(more[1], "-"))):
            return value * 100 + unit[0], unit[1]
        if more[0] >= 10:
            return value * 100 + more[0], more[1]
    return None


def year_number(words: DateWords, i: int) -> Read | None:
    """A year from 1000 to 2999 in four digits, or one spelled out."""
    token = words.at(i)
    if token.kind == "number":
        return (token.value, i + 1) if len(token.word) == 4 and 1000 <= token.value <= 2999 else None
    found = spelled_year(words, i)
    return found if found and 1000 <= found[0] <= 2999 else None
