"""Words of texts and questions for full text search: what is indexed, what is asked, and how both are stemmed."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from urllib.parse import unquote

from ..patterns import SignRanges, late
from .detect import language_of
from .function_words import ENGLISH, in_runs, latin_words, other_words
from .question_words import question_words
from .stemming import stem_words

# Raise it when `searchable` or the tokenizer changes: every store then builds its words anew when it is opened.
# A contentless index takes a row out by its old text, so text made in two ways would leave words behind.
FORM = 2
STEMS = Path(__file__).parents[1] / "store/sql/stems.sql"
MAX_TERMS = 64  # a question has ten; a pasted page has thousands, and each costs a walk over its documents
LONGEST = 128  # characters of a word: more is a blob that nobody types, and it would only fill the index
MOST_STEMS = 20_000  # that are kept, about 4 MB
WHOLE_RUN = 8  # characters up to which a run without spaces is also asked for as a whole

# Scripts written without spaces (and Hangul, whose particles stick to words): a character is a word there.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3005-\u3007\u3021-\u3029\u3040-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana, bopomofo
    "\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
SPELLED = late("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
SYLLABIC = "vi"  # each syllable is written as a word there, and most words have two
UNSPACED_CHARACTER = late(f"[{UNSPACED}]")  # takes 7 ms to compile: ask `has_unspaced` where few texts have any
_UNSPACED = SignRanges(UNSPACED)

# Signs inside words that people leave out as they like: soft hyphens, joiners, variation selectors, tatweel,
# and the vowel points of Hebrew and Arabic.
OPTIONAL = late(
    "[\u00ad\u034f\u0640\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8]"
)
# Normalising takes time in the square of a run of marks; no word has as many.
MARKS = late(r"([^\w\s]{30})[^\w\s]+")
UNPRINTABLE = late("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# Accents that people leave out as well and that the tokenizer keeps: it knows those of Latin letters only.
# U+2019 is the apostrophe of phones.
ALIKE = str.maketrans("ёЁάέήίόύώΆΈΉΊΌΎΏϊϋΐΰ\u2019", "еЕαεηιουωΑΕΗΙΟΥΩιυιυ'")

# Only ASCII: what follows an address in a text without spaces is not part of it.
ADDRESS = late(
    r"\b(?:https?|ftp)://(?:[^\s/?#@]{0,99}@)?([\w.\-]+)(?::\d{1,5})?([\w/.~%+\-]*)(?:[?#][\w/.~%+\-=&?#]*)?", re.ASCII
)
IDENTIFIER = late(r"\w+", re.ASCII)
HUMPED = late(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z][a-z]")
HUMP = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
PLAIN_WORD = late(r"\b[a-z]{1,64}\b", re.ASCII)
SUFFIX = late(r"'(?:s|d|m|ll|re|ve)?$", re.IGNORECASE)

STOP_WORDS = ENGLISH
# Words by which one asks a memory: "what was said about the budget?" They tell nothing about what was said.
_SAYING_WORDS = "say says said tell tells told mention mentions mentioned talk talked discuss discussed"
SAYING = frozenset(_SAYING_WORDS.split())


def searchable(text: str) -> str:
    """A text as it is indexed: one form of every character, identifiers also in parts, words of other languages
    than English as stems, unspaced scripts spaced."""
    return spaced(stem_words(normalize_text(text), language_of(text)))


def has_unspaced(text: str) -> bool:
    """Whether a text has a character of a script without spaces."""
    return not text.isascii() and _UNSPACED.any_in(text)


def begins_unspaced(term: str) -> bool:
    """Whether a term is a run of characters of a script without spaces."""
    return has_unspaced(term[:1])


@lru_cache(maxsize=64)
def terms(query: str) -> tuple[str, ...]:
    """The distinct words and phrases to ask for; function words only if there is nothing else."""
    told: dict[tuple[str, ...], str] = {}
    empty: dict[tuple[str, ...], str] = {}
    language = language_of(query)
    for word in _pieces(normalize_text(query), language):
        if len(word) > LONGEST:
            continue
        if stemmed := stems(word, language):  # two forms of a word would count twice
            (empty if is_function_word(word, language) else told).setdefault(stemmed, word)
        if len(told) >= MAX_TERMS:
            break
    return tuple((told or empty).values())[:MAX_TERMS]


def told_stems(text: str) -> frozenset[str]:
    """The stems of a text's words that are no function words, of as many as a question may have.

    Those of plain English, as most talk is, are told without taking the same words apart again and again.
    """
    if not text.isascii() or language_of(text):
        return frozenset(stem for word in terms(text) if word not in STOP_WORDS for stem in stems(word))
    told = (stemmed for word in _english_words().findall(normalize_text(text)) for stemmed in _told_in(word))
    found: set[tuple[str, ...]] = set()
    for stemmed in told:
        found.add(stemmed)
        if len(found) >= MAX_TERMS:
            break
    return frozenset(stem for stemmed in found for stem in stemmed)


@lru_cache(maxsize=MOST_STEMS)
def _told_in(word: str) -> tuple[tuple[str, ...], ...]:
    """The stems of each telling part of a word of English as it is written."""
    parts = (part for part in _pieces(word, "") if len(part) <= LONGEST and not is_function_word(part, ""))
    return tuple(found for part in parts if (found := stems(part)))


@cache
def _english_words() -> re.Pattern[str]:
    """The pattern of questions in ASCII, which gives whole words."""
    return re.compile(re.sub(r"\?P<\w+>", "?:", question(True).pattern))


def telling_terms(question: str) -> tuple[str, ...]:
    """The words to ask for without those that ask what was said, if there are any others."""
    asked = terms(question)
    return tuple(term for term in asked if term not in SAYING) or asked


def is_function_word(word: str, language: str) -> bool:
    """Whether a word of a question in a language tells nothing; "" is English."""
    if not language and word in STOP_WORDS:
        return True
    if language and language in latin_words().get(word.lower(), ()):
        return True
    return not word.isascii() and word.lower() in _other_function_words()


def only_asks(word: str, language: str) -> bool:
    """The same, with the words that ask: a search leaves them in, since "gibt" and "hace" may also have been said."""
    return is_function_word(word, language) or language in question_words().get(word.lower(), ())


def match_expression(terms: Iterable[str], languages: Iterable[str] = ()) -> str:
    """Any of the terms, as FTS5 asks for it, each in the forms that texts of these languages have.

    In quotes nothing is syntax; the empty string means no search.
    """
    forms = (form for term in terms for form in index_forms(term, tuple(languages)))
    clean = (form.replace('"', '""').strip() for form in forms)
    return " OR ".join(f'"{form}"' for form in clean if form)


@lru_cache(maxsize=8192)
def index_forms(term: str, languages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """A term as texts in English and in other languages have it: one form for each that differs.

    A text is in one language and has one of the forms, so that a word counts once.
    """
    clean = UNPRINTABLE.sub(" ", term)
    found: dict[tuple[str, ...], str] = {}
    for language in ("", *languages):
        form = stem_words(clean, language)
        found.setdefault(index_tokens(form), form)
    return tuple(found.values())


def stems(text: str, language: str = "") -> tuple[str, ...]:
    """The tokens of a text in a language as the index holds them, in order."""
    known = None if language else _stems_of_words.get(text)
    return known or _stems_by_language(text, language)


@lru_cache(maxsize=8192)
def _stems_by_language(text: str, language: str) -> tuple[str, ...]:
    return index_tokens(stem_words(UNPRINTABLE.sub(" ", text), language))


_stems_of_words: dict[str, tuple[str, ...]] = {}  # of English words of plain letters; the last that were learnt


def learn_stems(text: str) -> None:
    """Stem the words of a text that is about to be read, those in plain letters, all at once."""
    unknown = {word for word in PLAIN_WORD.findall(text.lower()) if word not in _stems_of_words}
    if not unknown:
        return
    if len(_stems_of_words) > MOST_STEMS:
        _stems_of_words.clear()
    _stems_of_words.update((word, (stem,)) for word, stem in english_stems(unknown).items())


def index_tokens(form: str) -> tuple[str, ...]:
    """The tokens of what is indexed or asked for. Made by the index's own tokenizer."""
    return _stems_of_words.get(form) or _read_tokens(form)


@lru_cache(maxsize=8192)
def _read_tokens(form: str) -> tuple[str, ...]:
    return tokenizer(os.getpid()).tokens(form)


def english_stems(words: Iterable[str]) -> dict[str, str]:
    """The stem of each English word of plain letters, all asked for at once: the tokenizer is slow to start."""
    plain = sorted({word for word in words if word.isascii() and word.isalpha()})
    return dict(zip(plain, tokenizer(os.getpid()).tokens(" ".join(plain)), strict=True))


# --- steps -----------------------------------------------------------------------------------------


def normalize_text(text: str) -> str:
    """All but the spacing: characters in one form, addresses and identifiers taken apart, blobs left out."""
    if not text.isascii():
        text = OPTIONAL.sub("", unicodedata.normalize("NFKC", MARKS.sub(r"\1 ", text))).translate(ALIKE)
    if not text.isprintable():  # most lines are, and to know that costs next to nothing
        text = UNPRINTABLE.sub(" ", text)
    if "://" in text:
        text = ADDRESS.sub(lambda found: f" {found[1].removeprefix('www.')} {address_words(found[2])} ", text)
    if HUMPED.search(text):
        text = IDENTIFIER.sub(lambda found: with_humps(found[0]), text)
    return blobs(has_unspaced(text)).sub(" ", text) if len(text) > LONGEST else text


def address_words(path: str) -> str:
    return UNPRINTABLE.sub(" ", unquote(path, errors="ignore")) if "%" in path else path


def with_humps(identifier: str) -> str:
    """camelCase -> "camelCase camel Case". The parts of snake_case are words as they are: `_` separates."""
    if len(identifier) > LONGEST or not HUMPED.search(identifier):
        return identifier
    return " ".join((identifier, *HUMP.findall(identifier)))


def spaced(text: str) -> str:
    return UNSPACED_CHARACTER.sub(r" \g<0> ", text) if has_unspaced(text) else text


@cache  # these two take up to 20 ms to compile, and starting up need not wait for them
def blobs(is_unspaced: bool) -> re.Pattern[str]:
    return re.compile(rf"[^\W{UNSPACED if is_unspaced else ''}]{{{LONGEST + 1},}}")


@cache
def question(in_ascii: bool) -> re.Pattern[str]:
    """What a question is made of. Not words as \\w+ finds them, which cuts Indic words at their vowel signs.

    For one in ASCII there is a pattern that finds the same without the other scripts: it is compiled in a tenth of
    the time.
    """
    others = "" if in_ascii else f"\u2000-\u206f\u3000-\u3004\u3008-\u3020\uff5f-\uff65{UNSPACED}"
    letter = f"[^\\s!-/:-@[-^`{{-\u00bf{others}]"
    return re.compile(
        f"(?P<run>{'(?!)' if in_ascii else f'[{UNSPACED}]+'})"
        rf"|(?P<number>{letter}{{0,{LONGEST}}}\d(?:[.,:/\-]\d+){{1,7}})"  # a date, an amount: as a whole
        rf"|(?P<word>{letter}+(?:'{letter}+){{0,3}})"
    )


def _pieces(text: str, language: str) -> Iterator[str]:
    """What a prepared question asks for: words, parts of identifiers, numbers, runs and pairs of characters."""
    before = ""
    for found in question(text.isascii()).finditer(text):
        word = (found["word"] or "").strip("'_")
        if found["run"]:
            yield from pairs(found["run"])
        elif found["number"]:
            yield found["number"]
        elif language and "'" in word:
            yield from filter(None, word.split("'"))  # l'eau, Ankara'da
        else:
            word = word.lower() if word.isascii() else word  # the tokenizer folds the others its own way
            yield word if word in STOP_WORDS else SUFFIX.sub("", word)
            if "_" in word:
                yield from filter(None, word.split("_"))
            if language == SYLLABIC and before:
                yield f"{before} {word}"
        before = word


def pairs(run: str) -> Iterator[str]:
    """A run of characters as phrases, cut at function words: each part whole where it may be a word, and its pairs,
    since nothing marks words in it. Of letters that stand for single sounds, four together tell as much as a pair."""
    for part in filter(None, in_runs().split(run)) if in_runs().fullmatch(run) is None else (run,):
        size = 4 if SPELLED.match(part) else 2
        if len(part) <= WHOLE_RUN:
            yield " ".join(part)
        if len(part) > size:
            yield from (" ".join(part[start : start + size]) for start in range(len(part) - size + 1))


@cache
def _other_function_words() -> frozenset[str]:
    """Function words in other letters than Latin ones, in the form of a prepared question."""
    return frozenset(normalize_text(" ".join(other_words())).split())


class Tokenizer:
    """SQLite's tokenizer, asked through a table in memory. One at a time."""

    def __init__(self) -> None:
        text = STEMS.read_text(encoding="utf-8")
        table, vocabulary, self._put, self._read, self._clear = filter(str.strip, text.split(";"))
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute(table)
        self._connection.execute(vocabulary)

    def tokens(self, text: str, *, keep_empty: bool = False) -> tuple[str, ...]:
        """An accent that stands alone is a token without a letter: it has a place and is never asked for."""
        return tuple(term for term in self.tokens_of([text])[0] if keep_empty or term)

    def tokens_of(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The tokens of each text, those without a letter among them."""
        found: list[list[str]] = [[] for _ in texts]
        with self._lock:
            try:
                self._connection.executemany(self._put, ({"row": row, "body": text} for row, text in enumerate(texts)))
                for row, term in self._terms():
                    found[row].append(term)
            finally:
                self._connection.execute(self._clear)
        return [tuple(terms) for terms in found]

    def _terms(self) -> list[tuple[int, str]]:
        try:
            return self._connection.execute(self._read).fetchall()
        except sqlite3.OperationalError:  # a word of more than 32 KB was cut, and the cut is inside a character
            self._connection.text_factory = partial(str, encoding="utf-8", errors="ignore")
            try:
                return self._connection.execute(self._read).fetchall()
            finally:
                self._connection.text_factory = str


@cache
def tokenizer(process: int) -> Tokenizer:
    """One a process: after a fork, another thread's lock would never be let go."""
    return Tokenizer()
