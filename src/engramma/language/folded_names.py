"""The words of a name, as they are compared where somebody types a part of one: without case and accents."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .function_words import ENGLISH, fold_accents, latin_words
from .text import fold_text, spaced_text

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def folded_words(name: str) -> list[str]:
    """The words of a name, folded."""
    return _WORD.findall(fold_accents(name))


def names_alike(names: Iterable[str], name: str) -> list[str]:
    """Of some names those that are this one but for case, else for accents, too: Dung is not Dũng where both are."""
    alike = [one for one in names if fold_text(one) == fold_text(name)]
    return [one for one in alike if spaced_text(one) == spaced_text(name)] or alike


def named_so(names: Iterable[str], name: str) -> list[str]:
    """Of some names those that are this one but for case and accents; else those that begin with its words."""
    known, words = list(names), folded_words(name)
    return names_alike(known, name) or [one for one in known if words and folded_words(one)[: len(words)] == words]


def is_joining(word: str, language: str = "") -> bool:
    """Whether a word is an article, a preposition or the like in this language, or without one in any but English: what
    "Le Goff" and "dos Santos" begin with names nobody by itself."""
    languages = latin_words().get(fold_accents(word), ())
    return language in languages if language else bool(languages) and word.lower() not in ENGLISH


def telling_parts(name: str) -> frozenset[str]:
    """The words of a name in small letters without those that only join it; all of them, if there are no others."""
    words = frozenset(name.casefold().split())
    first = next(iter(name.casefold().split()), "")
    return frozenset(word for word in words if word == first or not is_joining(word)) or words
