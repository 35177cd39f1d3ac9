"""Words of texts in other languages, and which language each sentence is in.

Another script tells its language. Between languages in Latin letters the words of a sentence vote: its function words
count once, its date words twice. English votes too and wins a tie, so English text is never read as something else
because of a single word that two languages share. A sentence without votes is in the language of its text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from engramma.language.dates.complete_dates import CompleteDate
from engramma.language.dates.languages import Language, fold, read_table, read_telling_words
from engramma.language.dates.words import (
    DAYS,
    LONGEST,
    MANY_WEEKDAYS,
    MONTHS,
    RELATIVE,
    SEASONS,
    SPELLED_NUMBERS,
    UNITS,
    WEEKDAYS,
    list_date_words,
)
from engramma.language.lexical import STOP_WORDS
from engramma.patterns import late

LATIN = ("de", "fr", "es", "pt", "it", "nl", "tr", "pl")
ENOUGH = 3  # votes that make a language; one date word makes it as well
DATE_VOTE = 2
# Date words that are English words or names as well: they count no more than function words, and for English too.
WEAK = list_date_words(
    """
    abril ago an ans as ano april august augustus avant avril a cuma december deux dia die do domingo dos due dun
    e ekim elf estate
    gun in jan janeiro jul juli julio jun juni lat luty maja mai maj man mar marca marco mars mart martes mayo mei mes
    no november ocak oktober on once otto out over pasado passes pazar rok sabato sali segunda september set siete six
    son tag to tre tres trois uno week weekend
    """
)
LETTERS = {
    **{"de": frozenset("äöüß"), "fr": frozenset("àâæçéèêëîïôœùûüÿ"), "es": frozenset("áéíóúüñ")},
    **{"pt": frozenset("áâãàçéêíóôõú"), "it": frozenset("àèéìòù"), "nl": frozenset("éëïöü")},
    **{"tr": frozenset("çğıöşüâ\u0307"), "pl": frozenset("ąćęłńóśźż")},
}
# English words beside its function words that would otherwise only speak for another language.
_ENGLISH = list_date_words("ale ate ben come comment die door due elf era gun he met plus pour son tag ten van war")

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30fa\u30fc-\u30ff"
_HANGUL = "\uac00-\ud7a3"
_MARKS = "\u0300-\u036f\u0610-\u061a\u0640\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
_TOKEN = late(
    rf"(?P<number>\d+)|(?P<run>[{_HAN}{_KANA}]+|[{_HANGUL}]+)"
    rf"|(?P<word>(?:[^\W\d_{_HAN}{_KANA}{_HANGUL}][{_MARKS}\u200c\u200d]*)+)|(?P<mark>\S)"
)
_OTHER_SCRIPTS = late(rf"[\u0400-\u04ff\u0620-\u06ff\u0900-\u097f{_HAN}{_KANA}{_HANGUL}]")
_SCRIPTS = (
    ("ru", late("[\u0400-\u04ff]")),
    ("ar", late("[\u0620-\u064a\u0671-\u06d3]")),
    ("hi", late("[\u0900-\u097f]")),
    ("ko", late(f"[{_HANGUL}]")),
    ("ja", late(f"[{_KANA}]")),
    ("zh", late(f"[{_HAN}]")),
)
# A sentence ends at a mark, but not at the point of "3. März".
_SENTENCE_END = late(r"[!?\n…。！？؟।]|(?<!\d)\.(?=\s|$)")
_WORDS = late(r"[^\W\d_]+")
_JAPANESE = late("[週曜]|先月|来月|来年|昨年|一昨")  # words that tell it without kana
_HAN_NUMBER = late("[一二三四五六七八九〇零]{4}(?=年)|[一二两兩三四五六七八九十]{1,3}")
_HAN_DIGITS = {sign: n for n, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2, "兩": 2, "〇": 0, "零": 0}
_MAX_DIGITS = 4


class ForeignToken(NamedTuple):
    """A folded word, a number (value of at least 0) or a mark, and where it stands."""

    word: str
    value: int
    start: int
    end: int


class Sentence(NamedTuple):
    """A part of a text and the languages to try on it, the likeliest first; none for English.

    `is_whole` says that the sentence has no English in it, so that its numbers are that language's too.
    """

    start: int
    end: int
    languages: tuple[str, ...]
    is_whole: bool


@cache
def votes() -> dict[str, tuple[tuple[str, int], ...]]:
    """The languages in Latin letters that each word speaks for, and how much."""
    found: dict[str, dict[str, int]] = {}
    for code in LATIN:
        words = read_telling_words(code)
        short = {fold(name) for names in read_table()[code]["short_months"] for name in names}
        for word in {*words.classes, *words.days} - short:
            if word.isalpha():
                heavy = len(word) > 2 and word not in WEAK and word not in STOP_WORDS
                found.setdefault(word, {})[code] = DATE_VOTE if heavy and word not in words.common else 1
        for word in _accented_words(code):
            if fold(word) not in words.common:
                found.setdefault(word, {})[code] = DATE_VOTE
        for word in words.common | words.literals:
            found.setdefault(word, {}).setdefault(code, 1)
    # Whoever writes "im" for "I'm" has other English words beside it; "im April" has none.
    for word in (STOP_WORDS | WEAK | _ENGLISH | SPELLED_NUMBERS) - {"im"}:
        found.setdefault(word, {})["en"] = 1
    for word in {*MONTHS, *WEEKDAYS, *MANY_WEEKDAYS, *DAYS, *UNITS, *RELATIVE, *SEASONS, "ago"}:
        found.setdefault(word, {})["en"] = DATE_VOTE
    return {word: tuple(by.items()) for word, by in found.items()}


def _accented_words(code: str) -> set[str]:
    """A language's date words as they are written with accents, which no English word has."""
    raw = read_table()[code]
    lists = (*raw["months"], *raw["weekdays"], *raw["units"].values(), *raw["steps"].values())
    words = {word for words in lists for word in words} | {
        word for form in raw["forms"] for word in _WORDS.findall(form)
    }
    return {word.lower() for word in words if not word.isascii() and len(word) > 2}


@cache
def foreign_only() -> frozenset[str]:
    """Words in Latin letters that some language has and English does not."""
    return frozenset(word for word, by in votes().items() if all(code != "en" for code, _ in by))


def find_foreign_sentences(text: str, complete: Iterable[CompleteDate] = ()) -> list[Sentence]:
    """The sentences among the first 4,000 characters that are in one of the other languages.

    The month of a complete date is a date word of the languages that have it, whatever else the word means.
    """
    text = text[:LONGEST]
    has_other = not text.isascii() and _OTHER_SCRIPTS.search(text) is not None
    words = [(match[0].lower(), match.start()) for match in _WORDS.finditer(text)]
    months = {one.month_at: tuple((code, DATE_VOTE) for code in one.languages) for one in complete}
    if text.isascii() and not months and foreign_only().isdisjoint(word for word, _ in words):
        return []
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    bounds = list(zip([0, *ends], [*ends, len(text)], strict=True))
    counted, whole, place = [_Votes() for _ in bounds], _Votes(), 0
    table = votes()
    for word, start in words:
        while start >= bounds[place][1]:
            place += 1
        letters = () if word.isascii() else _letter_votes(word)
        voted = months.get(start) or table.get(word) or table.get(fold(word), ())
        for code, weight in (*voted, *letters):
            counted[place].add(code, weight)
            whole.add(code, weight)
    whole_won, found = whole.won(), []
    for (start, end), votes_here in zip(bounds, counted, strict=True):
        scripts = _scripts_of(text, start, end) if has_other else ()
        languages = scripts or votes_here.won() or (() if "en" in votes_here.count else whole_won)
        if len(languages) > 1 and not scripts:
            languages = tuple(code for code in languages if code in whole_won) or languages
        if languages:
            found.append(Sentence(start, end, languages, not scripts or "en" not in votes_here.count))
    return found


def _letter_votes(word: str) -> list[tuple[str, int]]:
    """The languages that write all letters of a word that English does not have, one vote each."""
    special = {letter for letter in word if not letter.isascii()}
    return [(code, 1) for code, letters in LETTERS.items() if letters >= special]


class _Votes:
    """The votes of a sentence or a text."""

    __slots__ = ("count", "dated")

    def __init__(self) -> None:
        self.count: dict[str, int] = {}
        self.dated: set[str] = set()

    def add(self, code: str, weight: int) -> None:
        self.count[code] = self.count.get(code, 0) + weight
        if weight == DATE_VOTE:
            self.dated.add(code)

    def won(self) -> tuple[str, ...]:
        """The languages with the most votes; none if English has as many, or if they are too few."""
        best = max(self.count.values(), default=0)
        if self.count.get("en", 0) >= best:
            return ()
        first = tuple(code for code in LATIN if self.count.get(code) == best)
        if best < ENOUGH and not self.dated.issuperset(first):
            return ()  # "hier" is a day in French and a place in German
        return first


def _scripts_of(text: str, start: int, end: int) -> tuple[str, ...]:
    """The languages of the scripts in a sentence; Han signs are Japanese only beside kana, or where it has the word."""
    found = [code for code, pattern in _SCRIPTS if pattern.search(text, start, end)]
    if "ja" in found:
        return tuple(code for code in found if code != "zh")
    return (*found, "ja") if _JAPANESE.search(text, start, end) else tuple(found)


def read_tokens(text: str, sentence: Sentence, language: Language) -> list[ForeignToken]:
    """The tokens of a sentence as a language divides it."""
    found: list[ForeignToken] = []
    for match in _TOKEN.finditer(text, sentence.start, sentence.end):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind == "number":
            is_long = end - start > _MAX_DIGITS
            found.append(ForeignToken(match[0], -1 if is_long else int(match[0]), start, end))
        elif kind == "run":
            found.extend(_divided(match[0], start, language))
        else:
            found.append(ForeignToken(fold(match[0]) if kind == "word" else match[0].replace("’", "'"), -1, start, end))
    return found


def _divided(run: str, start: int, language: Language) -> Iterable[ForeignToken]:
    """A run without spaces: the longest words that the language's dates have, numbers, and single characters."""
    i = 0
    while i < len(run):
        if gap := language.gap.match(run, i):
            yield ForeignToken(gap[0], -1, start + i, start + gap.end())
            i = gap.end()
            continue
        number = _HAN_NUMBER.match(run, i) if run[i] in _HAN_DIGITS or run[i] == "十" else None
        known = next((word for word in language.vocabulary.get(run[i], ()) if run.startswith(word, i)), run[i])
        if number and len(number[0]) >= len(known):
            value = _han_value(number[0])
            yield ForeignToken(number[0], value, start + i, start + number.end())
            i = number.end()
        else:
            yield ForeignToken(known, -1, start + i, start + i + len(known))
            i += len(known)


def _han_value(signs: str) -> int:
    """The value of a year or a number below a hundred in Han signs; -1 if it is none."""
    if len(signs) == 4:
        return int("".join(str(_HAN_DIGITS[sign]) for sign in signs))
    tens, ten, ones = signs.rpartition("十")
    if len(tens) > 1 or len(ones) > 1 or "十" in tens:
        return -1
    return (_HAN_DIGITS[tens] if tens else 1) * (10 if ten else 0) + (_HAN_DIGITS[ones] if ones else 0)
