"""Reads a query whose words are mistyped: a word that stands nowhere is taken for the nearest one that does.

Only words that this memory does not have and English does not know are read otherwise. What is nearest in this memory
comes first, then what is nearest in English. A name, and any word of a question in another language, which English
cannot know, is taken for another one of this memory only by a clear slip of the fingers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ..errors import StoreError
from ..language.detect import language_of
from ..language.lexical import STOP_WORDS, english_stems, is_function_word, stems
from ..language.question_language import question_language
from ..language.spelling import SHORTEST, LetterCounts, is_slip_in_name, most_slips
from ..records import Query
from ..store.store import Store

MOST_WORDS = 64  # words of a query that are looked at: a pasted page is not typed
MOST_UNKNOWN = 8  # of them that are read otherwise
MOST_SPEAKERS = 200  # whose names are held against a mistyped word
MOST_NAMES = 5  # names that are near enough to be looked at as they were written
UNMISTAKABLE = 6  # letters from which on a word is read as any English one
_LETTERS = re.compile(r"[^\W\d_]+")
_INSIDE = "\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufeff"  # accents that stand alone, and signs that nobody sees
_WORD = re.compile(rf"(?<![\w{_INSIDE}'’@#/.-])[A-Za-z]+(?![\w{_INSIDE}'’@#/-])(?!\.\w)")


def with_typos_read(store: Store, query: Query) -> tuple[Query, list[str]]:
    """The query as it was probably meant, and what was read otherwise; nothing where the words cannot be looked up."""
    try:
        return _read_typos(store, query)
    except StoreError:
        return query, []  # what is wrong with the store is said by who looks for the query in it


def _read_typos(store: Store, query: Query) -> tuple[Query, list[str]]:
    found = list(_WORD.finditer(query.text))[:MOST_WORDS]
    language = question_language(query.text) or language_of(query.text)
    words = {one[0].lower() for one in found if len(one[0]) >= SHORTEST} - STOP_WORDS
    words = {word for word in words if not is_function_word(word, language)}
    known = store.document_counts(sorted(words)) if words else {}
    unknown = [one for one in found if known.get(one[0].lower()) == 0]
    if not unknown:
        return query, []
    from ..models.common_words import is_english  # its vocabulary must not cost those who do not mistype

    names = names_of_speakers(store)
    text, notes, shift = query.text, list[str](), 0
    for one in [match for match in unknown if not is_english(match[0].lower())][:MOST_UNKNOWN]:
        typed = one[0]
        is_name = typed[0].isupper() and not typed.isupper() and bool(query.text[: one.start()].strip())
        meant = nearest_speaker(names, typed.lower())
        is_clear = is_name or bool(language)
        meant = meant or (nearest_name if is_clear else nearest_word)(store, typed.lower())
        if meant is None:
            continue
        text = text[: one.start() + shift] + meant + text[one.end() + shift :]
        shift += len(meant) - len(typed)
        notes.append(f"{typed!r} was read as {meant!r}")
    return replace(query, text=text), notes


def names_of_speakers(store: Store) -> dict[str, str]:
    """The words of the names of those who spoke most, in small letters and as they are written."""
    rows = store.all("speakers_by_turns", limit=MOST_SPEAKERS)
    words = [word for row in rows for word in _LETTERS.findall(row["name"]) if len(word) >= SHORTEST]
    return {word.lower(): word for word in reversed(words)}


def nearest_speaker(names: Mapping[str, str], typed: str) -> str | None:
    """The one who spoke here whose name differs by one slip."""
    return next((names[name] for name in names if is_slip_in_name(typed, name)), None)


def nearest_word(store: Store, typed: str) -> str | None:
    """The word that was probably meant: the nearest, of equals one that this memory has, then the commonest here.

    A short word is near to many: it is read only as one that this memory has, or that is in every question. So is one
    that would begin otherwise: who mistypes seldom does so in the first letter.
    """
    from ..models.common_words import common_words_by_letters

    most = most_slips(typed)
    here = terms_like(store, typed).near(typed, most)
    english = common_words_by_letters().near(typed, most)
    stem_of = english_stems(word for _, word in english)
    counted = store.word_counts({*stem_of.values(), *(word for _, word in here)})
    here = [pair for pair in here if counted[pair[1]]]
    counts = {word: counted[stem_of.get(word, word)] for _, word in (*here, *english)}
    likely = list[tuple[int, bool, int, str]]()
    for slips, word in dict.fromkeys((*here, *english)):
        begins = typed[0] == word[0] or typed[:2] == word[1] + word[0]
        if counts[word] and (begins or len(typed) >= UNMISTAKABLE):
            likely.append((slips, not begins, -counts[word], word))
        elif begins and (word in STOP_WORDS or len(typed) >= UNMISTAKABLE):
            likely.append((slips, True, 0, word))
    if not likely:
        return None
    *_, word = min(likely)
    return word if word in {word for _, word in english} else surface_of(store, word)


def nearest_name(store: Store, typed: str) -> str | None:
    """The name that was probably meant, or the word of another language: one of this memory's words, from which the
    typed one differs by one slip."""
    counts = store.word_counts(word for _, word in terms_like(store, typed).near(typed, 2))
    near = [word for word, count in counts.items() if count]
    for word in sorted(near, key=lambda word: (-counts[word], word))[:MOST_NAMES]:
        surface = surface_of(store, word)
        if is_slip_in_name(typed, surface.lower()) and surface.lower() not in STOP_WORDS:
            return surface
    return None


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
