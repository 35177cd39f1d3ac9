"""The words of a question in another language as an English talk has them.

Words that the encoder knows are asked for in English, too, and names in other scripts as they sound: only those that
this memory does not have as they are written, and only as words that it has.
"""

from __future__ import annotations

import re

from ..errors import ModelError, StoreError
from ..language.detect import is_foreign, language_of
from ..language.function_words import in_runs
from ..language.lexical import MAX_TERMS, english_stems, is_function_word, normalize_text
from ..language.question_language import question_language
from ..language.sounds import (
    SOUNDED,
    consonant_frames,
    frame_pattern,
    frames_of_name,
    latin_sounds,
    likely_starts,
    sound_forms,
    sound_likeness,
)
from ..language.stemming import stem_words
from ..store.store import Store
from .typos import surface_of

MOST_PIECES = 64  # of a question that are looked up: a pasted page is not asked for word by word
MOST_WORDS = 2  # English words of a piece
MOST_NAMES = 4  # words of a question that are looked for by their sound
SHORTEST_NAME = 3  # letters
ALIKE = 0.84  # how like a word must sound
ALIKE_SHORT = 0.9  # the same of one with fewer than three consonants
LATIN_NAME = re.compile(r"[A-Za-z\u00c0-\u024f]{5,}")  # shorter ones are near to many
RARE = 0.05  # share of the segments: names are rare, and a common word that sounds alike is another word


def words_in_english(store: Store, segments: int, text: str) -> tuple[str, ...]:
    """English words of this memory that stand for words of a question which it does not have; none for English."""
    if not question_language(text) and not is_foreign(text):
        return ()
    try:
        return _found_words(store, text, segments)
    except (ModelError, StoreError):
        return ()  # what is wrong with the store is said by who looks for the question in it


def no_words(_: str) -> tuple[str, ...]:
    """What an encoder knows of a question's words that has no dictionary."""
    return ()


def _found_words(store: Store, text: str, segments: int) -> tuple[str, ...]:
    from ..models.english_words import meant_words  # its vocabulary must not cost those who ask in English

    language = language_of(text)
    meant = [one for one in meant_words(text, MOST_PIECES) if not _is_empty(one.written, language)]
    whole = {one.written for one in meant if one.is_whole}
    sounded = [*SOUNDED.findall(text), *(LATIN_NAME.findall(text) if language else ())]
    names = [word for word in dict.fromkeys(sounded) if word not in whole and not _is_empty(word, language)]
    names = sorted((word for word in names if len(word) >= SHORTEST_NAME), key=_unlike_a_name)
    here = store.document_counts({*names, *(one.written for one in meant)})
    heard = {
        word: heard_as(store, word, segments, language) for word in [one for one in names if not here[one]][:MOST_NAMES]
    }
    stem_of = english_stems(word for one in meant for word in one.english)
    counts = store.word_counts(stem_of.values())
    found = dict.fromkeys(name for name in heard.values() if name)
    for one in meant:
        if not here[one.written] and not heard.get(one.written):
            found.update(dict.fromkeys([word for word in one.english if counts[stem_of[word]]][:MOST_WORDS]))
    return tuple(found)[:MAX_TERMS]


def heard_as(store: Store, word: str, segments: int, language: str = "") -> str:
    """The rare word of this memory that sounds like one of another language or script; "" if there is none."""
    forms = {form for one in (word, stem_words(word, language)) for form in sound_forms(one) or (latin_sounds(one),)}
    framed = {form: frozenset(frame for frame in frames_of_name(form) if len(frame) > 1) for form in forms}
    framed = {form: frames for form, frames in sorted(framed.items()) if frames}
    if not framed:
        return ""
    starts, longest = {start for form in framed for start in likely_starts(form)}, len(word) + len(word) // 2 + 2
    pattern, near = frame_pattern(frozenset().union(*framed.values())), list[tuple[float, str]]()
    for known in filter(pattern.match, store.words_that_begin(starts, longest)):
        sounds = latin_sounds(known)
        own = consonant_frames(sounds)
        for form, frames in framed.items():
            if shared := own & frames:
                likeness = sound_likeness(form, sounds)
                if likeness >= (ALIKE if max(map(len, shared)) > 2 else ALIKE_SHORT):
                    near.append((-likeness, known))
    counts = store.word_counts(known for _, known in near)
    rare = [(far, known) for far, known in near if 0 < counts[known] <= max(2, RARE * segments)]
    return surface_of(store, min(rare)[1]) if rare else ""


def _unlike_a_name(word: str) -> tuple[bool, int]:
    """Sorts words with a capital letter first, then long ones."""
    return not word[0].isupper(), -len(word)


def _is_empty(word: str, language: str) -> bool:
    """Whether a word of a question tells nothing."""
    return is_function_word(normalize_text(word), language) or in_runs().fullmatch(word) is not None
