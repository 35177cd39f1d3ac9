"""German words that only their umlauts and endings tell apart: Kuchen and Küche have one stem, as Haus and Häuser do.

Stems are made without umlauts, since most nouns get one in the plural. A word in -en and one with an umlaut in -e are
two words, though: no noun in -en loses its n in the plural (Garten, Gärten).
"""

from __future__ import annotations

import re

from .function_words import fold_accents
from .lexical import index_tokens
from .stemming import stem_words

GERMAN = "de"
_UMLAUT = re.compile("[äöü]")
_WORD = re.compile(r"[^\W\d_]+")


def may_be_mistaken(word: str) -> bool:
    """Whether a word that is asked for has a form by which another may be taken for it."""
    small = word.lower()
    return small.endswith("e") if _UMLAUT.search(small) else small.endswith("en")


def are_two_words(asked: str, said: str) -> bool:
    """Whether two words with one stem are two: one in -en, and one with an umlaut in -e."""
    one, other = asked.lower(), said.lower()
    if fold_accents(one) == fold_accents(other) or bool(_UMLAUT.search(one)) == bool(_UMLAUT.search(other)):
        return False  # who types without umlauts means the word that has them
    marked, plain = (one, other) if _UMLAUT.search(one) else (other, one)
    return marked.endswith("e") and plain.endswith("en")


def says_only_another(asked: str, text: str) -> bool:
    """Whether a text has a word with the stem of the one asked for, and only such that are others."""
    stem = index_tokens(stem_words(asked, GERMAN))
    first = fold_accents(asked)[:2]
    words = {word for word in _WORD.findall(text) if fold_accents(word[:2]) == first}
    alike = [word for word in words if index_tokens(stem_words(word, GERMAN)) == stem]
    return bool(alike) and all(are_two_words(asked, word) for word in alike)
