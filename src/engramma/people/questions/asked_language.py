"""The language of a question that tells none itself, such as "Raucht Jens?": the one of the talk that it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from ...language.detect import language_of
from ...language.function_words import ENGLISH, latin_words
from ...language.question_language import question_language
from ...language.question_words import question_words
from ...language.sentence_language import is_surely_english

BEGINNING = 500  # characters of a turn, which tell its language
_WORD = re.compile(r"[^\W\d_]+")


def language_asked_in(question: str, names: Collection[str], talk: Iterable[str]) -> str:
    """The language that a question tells, or else the one in which most of the talk is, if the question may be in it;
    "" is English. Names are of no language."""
    told = question_language(question)
    if told or is_surely_english(question):
        return told
    language = prevailing_language(talk)
    return language if language and _may_be_in(question, names, language) else ""


def prevailing_language(talk: Iterable[str]) -> str:
    """The language of more than half of the texts that tell one; "" where that is English, or none is."""
    told = Counter[str]()
    for text in talk:
        language = language_of(begun := text[:BEGINNING]) or question_language(begun)
        if language or not ENGLISH.isdisjoint(word.lower() for word in _WORD.findall(begun)):
            told[language] += 1
    language, count = max(told.items(), key=lambda pair: pair[1], default=("", 0))
    return language if 2 * count > told.total() else ""


def _may_be_in(question: str, names: Collection[str], language: str) -> bool:
    """Whether no word of a question is English, but for those that the other language has as well."""
    from ...models.common_words import is_english  # its vocabulary is read only where it is needed

    known, asks = latin_words(), question_words()
    called = {word.casefold() for name in names for word in _WORD.findall(name)}
    for place, word in enumerate(_WORD.findall(question)):
        small = word.lower()
        is_name = word[0].isupper() and (place > 0 or small in called)
        if is_name or language in known.get(small, ()) or language in asks.get(small, ()):
            continue
        if small in ENGLISH or is_english(small):
            return False
    return True
