"""Reads a query whose words are mistyped: a word that stands nowhere is taken for the nearest one that does.

Only words that this memory does not have and English does not know are read otherwise. What is nearest in this memory
comes first, then what is nearest in English. A name, and any word of a question in another language, which English
cannot know, is taken for another one of this memory only by a clear slip of the fingers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..errors import StoreError
from ..language.dates.words import MONTHS, WEEKDAYS
from ..language.detect import language_of
from ..language.lexical import STOP_WORDS, english_stems, only_asks, stems
from ..language.question_language import question_language
from ..language.spelling import (
    SHORTEST,
    LetterCounts,
    are_likely_slips,
    is_likely_slip,
    is_slip_in_name,
    is_slip_of_fingers,
    keeps_its_letters,
    most_slips,
    unslipped,
)
from ..records import Query
from ..store.store import Store
from .titles import titles_with

MOST_WORDS = 64  # words of a query that are looked at: a pasted page is not typed
MOST_UNKNOWN = 8  # of them that are read otherwise
LONGEST = 40  # letters of a word that may be mistyped: what is longer was pasted
MOST_SPEAKERS = 200  # whose names are held against a mistyped word
MOST_NAMES = 5  # names that are near enough to be looked at as they were written
UNMISTAKABLE = 6  # letters from which on a word is read as any English one
_LETTERS = re.compile(r"[^\W\d_]+")
_INSIDE = "\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufeff"  # accents that stand alone, and signs that nobody sees
# A word without what makes it a possessive: of "Jobn's" and "Jmaes'", but nothing of "don't".
_WORD = re.compile(rf"(?<![\w{_INSIDE}'’@#/.-])[A-Za-z]+(?=(?:['’]s?)?(?![\w{_INSIDE}'’@#/-]))(?!['’]?\.\w)")
_DATED = re.compile(r"\d(?:st|nd|rd|th)?(?: of)? $"), re.compile(r",? \d")  # what stands before and after a month


def with_typos_read(store: Store, query: Query) -> tuple[Query, list[str]]:
    """The query as it was probably meant, and what was read otherwise; nothing where the words cannot be looked up."""
    try:
        return _read_typos(store, query)
    except StoreError:
        return query, []  # what is wrong with the store is said by who looks for the query in it


def _read_typos(store: Store, query: Query) -> tuple[Query, list[str]]:
    found = list(_WORD.finditer(query.text))[:MOST_WORDS]
    language = question_language(query.text) or language_of(query.text)
    words = {one[0].lower() for one in found if SHORTEST <= len(one[0]) <= LONGEST} - STOP_WORDS
    words = {word for word in words if not only_asks(word, language)}
    known = store.document_counts(sorted(words)) if words else {}
    months = _mistyped_months(store, query.text, found)
    unknown = [one for one in found if known.get(one[0].lower()) == 0 or one.start() in months]
    if not unknown:
        return query, []
    from ..models.common_words import is_english  # its vocabulary must not cost those who do not mistype

    mistyped = [match for match in unknown if not is_english(match[0].lower())][:MOST_UNKNOWN]
    names, titled = names_of_speakers(store), titles_with(store, {one[0].lower() for one in mistyped})
    text, notes, shift = query.text, list[str](), 0
    for one in [match for match in mistyped if match[0].lower() not in titled]:
        typed = one[0]
        is_name = typed[0].isupper() and not typed.isupper() and bool(query.text[: one.start()].strip())
        meant = months.get(one.start()) or nearest_speaker(names, typed.lower())
        is_clear = is_name or bool(language)
        meant = meant or (nearest_name if is_clear else nearest_word)(store, typed.lower())
        if meant is None:
            continue
        text = text[: one.start() + shift] + meant + text[one.end() + shift :]
        shift += len(meant) - len(typed)
        notes.append(f"{typed!r} was read as {meant!r}")
    return replace(query, text=text), notes


def _mistyped_months(store: Store, text: str, words: Sequence[re.Match[str]]) -> dict[int, str]:
    """The months and days that are meant by words which this memory does not have, by their places."""
    meant = {one: month for one in words if (month := nearest_month(text, one)) is not None}
    counts = store.document_counts([one[0].lower() for one in meant]) if meant else {}
    return {one.start(): month for one, month in meant.items() if not counts[one[0].lower()]}


def names_of_speakers(store: Store) -> dict[str, str]:
    """The words of the names of those who spoke most, in small letters and as they are written."""
    rows = store.all("speakers_by_turns", limit=MOST_SPEAKERS)
    words = [word for row in rows for word in _LETTERS.findall(row["name"]) if len(word) >= SHORTEST]
    return {word.lower(): word for word in reversed(words)}


def nearest_speaker(names: Mapping[str, str], typed: str) -> str | None:
    """The one who spoke here whose name differs by one slip."""
    return next((names[name] for name in names if is_slip_in_name(typed, name)), None)


def nearest_month(text: str, one: re.Match[str]) -> str | None:
    """The month or day that a word beside a number is one slip away from: "31 Juuly"."""
    before, after = _DATED
    typed = one[0].lower()
    if typed in MONTHS or typed in WEEKDAYS or not (before.search(text[: one.start()]) or after.match(text, one.end())):
        return None
    names = (name for name in (*MONTHS, *WEEKDAYS) if len(name) >= SHORTEST)
    return next((name.capitalize() for name in names if len(typed) > 2 and is_slip_in_name(typed, name)), None)


def nearest_word(store: Store, typed: str) -> str | None:
    """The word that was probably meant: the nearest, of equals one that this memory has, then one from which fingers
    slip so, then the commonest here.

    A short word is near to many: it is read only as one that this memory has, or that is in every question. So is one
    that would begin otherwise: who mistypes seldom does so in the first letter.
    """
    from ..models.common_words import common_words, common_words_by_letters, is_english

    most, stem = most_slips(typed), next(iter(english_stems([typed]).values()), typed)
    here = terms_like(store, typed).near(typed, most)
    made = [(1, word) for word in unslipped(typed) if is_english(word)] if len(typed) >= UNMISTAKABLE else []
    english = list(dict.fromkeys((*common_words_by_letters().near(typed, most), *made)))  # and what is made of them
    stem_of = english_stems(word for _, word in english)
    counted = store.word_counts({*stem_of.values(), *(word for _, word in here)})
    here = [pair for pair in here if counted[pair[1]]]
    counts = {word: counted[stem_of.get(word, word)] for _, word in (*here, *english)}
    likely = list[tuple[int, bool, bool, int, str]]()
    for slips, word in dict.fromkeys((*here, *english)):
        begins = typed[0] == word[0] or typed[:2] == word[1] + word[0]
        is_odd = slips == 1 and not is_slip_of_fingers(typed, word)
        if counts[word] and (begins or len(typed) >= UNMISTAKABLE):
            likely.append((slips, not begins, is_odd, -counts[word], word))
        elif begins and (word in STOP_WORDS or len(typed) >= UNMISTAKABLE) and word in common_words():
            likely.append((slips, True, is_odd, 0, word))
    whole = {word for _, word in english}
    for count, *_, word in sorted(likely):
        if not (are_likely_slips(typed, word, count) or (word not in whole and is_likely_slip(stem, word))):
            continue  # a rarer word, rather than a slip: "colander" is no "commander"
        if _is_word_of_its_own(typed, word, count):
            return None
        return word if word in whole else surface_of(store, word)
    return None


def _is_word_of_its_own(typed: str, meant: str, count: int) -> bool:
    """Whether a word is likelier a right one that nobody here said than a slip: it looks like English, and only letters
    that are replaced make it another: "muslin", "quire"."""
    from ..models.common_words import is_well_formed

    return not keeps_its_letters(typed, meant, count) and is_well_formed(typed)


def nearest_name(store: Store, typed: str) -> str | None:
    """The name that was probably meant, or the word of another language: one of this memory's words, from which the
    typed one differs by one slip."""
    counts = store.word_counts(word for _, word in terms_like(store, typed).near(typed, 2))
    near = [word for word, count in counts.items() if count]
    for word in sorted(near, key=lambda word: (-counts[word], word))[:MOST_NAMES]:
        surface = surface_of(store, word)
        if is_slip_in_name(typed, surface.lower()) and surface.lower() not in STOP_WORDS:
            return surface
    from ..models.common_words import common_words

    made = unslipped(typed) & common_words() if len(typed) > UNMISTAKABLE else set()
    return min(made).capitalize() if made else None  # Europeaan: no other name is so long, and so near


def terms_like(store: Store, typed: str) -> LetterCounts:
    """The words of this memory, stemmed, that begin like a typed one or a slip away from it."""
    starts = {typed[:2], typed[1] + typed[0], typed[0] + typed[2]}
    longest = len(typed) + most_slips(typed)
    return LetterCounts(store.words_that_begin(starts, longest))


def surface_of(store: Store, stem: str) -> str:
    """A stemmed word as somebody wrote it; the stem itself where none is found."""
    # A stem of a stem may be another one (univers: univer), but that of "universe" is not.
    key = store.segment_with(stem if stems(stem) == (stem,) else f"{stem}e")
    if key is None:
        return stem
    for segment in store.hydrate([key]).values():
        for found in _LETTERS.finditer(segment.text):
            # A stem begins like its word: most words need not be stemmed.
            if (found[0][0].lower() == stem[0] or not found[0].isascii()) and stems(found[0]) == (stem,):
                return found[0]
    return stem
