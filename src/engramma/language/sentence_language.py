"""Which sentences of a text may be read by English rules: all of an English text, and English ones in another."""

from __future__ import annotations

import re

from .detect import language_of
from .function_words import ENGLISH, latin_words
from .question_language import question_language
from .question_words import question_words

FEWEST_ENGLISH = 2  # words: of 5,600 questions and sentences of XQuAD in five other languages two have as many
_WORD = re.compile(r"[^\W\d_]+")
# "He ido a Madrid" is Spanish, although its words may be English: behind English "he" stands no such participle.
_HE_HABER = re.compile(
    r"\bhe (?:\w+(?:ado|[ií]do)|ido|dicho|hecho|visto|puesto|vuelto|escrito|abierto|roto)\b", re.IGNORECASE
)


def is_surely_english(text: str) -> bool:
    """Whether a text has a function word that English has and no other language."""
    known, asks = latin_words(), question_words()
    words = {word.lower() for word in _WORD.findall(text)}
    return any(word in ENGLISH and len(known[word]) == 1 and word not in asks for word in words)


def reads_as_english(text: str) -> bool:
    """Whether a text has English function words and tells no other language: of "Ellie passed her test at last" each is
    one of another language as well."""
    words = {word.lower() for word in _WORD.findall(text)}
    return len(words & ENGLISH) >= FEWEST_ENGLISH and not question_language(text) and not language_of(text)


def is_told_in_another(text: str, language: str) -> bool:
    """Whether a text tells that it is in another language than this one; "" is English."""
    told = question_language(text)
    return told != language and (bool(told) or is_surely_english(text) or reads_as_english(text))


def may_be_english(sentence: str, text: str) -> bool:
    """Whether a sentence may be English: the text that it stands in is not told to be in another language, or the
    sentence has English words all the same."""
    if _HE_HABER.search(sentence):
        return False
    return not question_language(text) or (not question_language(sentence) and is_surely_english(sentence))
