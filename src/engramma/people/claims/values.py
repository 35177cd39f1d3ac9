"""Values of claims: when two of them are the same, and what they name."""

from __future__ import annotations

import re
from functools import lru_cache

from ...language.lexical import STOP_WORDS, stems, terms
from ...language.spelling import share_in_order
from ..entities.name_forms import SAME_KIN
from .names import KIN, NO_NAMES, PETS

ALIKE = 0.88  # share of letters in order from which two spellings are one: Sara and Sarah .89, Austin and Justin .83
SHORTEST = 4  # letters of a value that may be misspelt: "son" and "sun" are two words

# What may follow a word without saying anything more: "career plan" is the career.
_TAILS = """plan plans path idea ideas goal goals stuff thing things option options one ones"""
TAILS = frozenset(_TAILS.split())

# Words that say which kind of thing is meant and not which one.
_KINDS = """
    company firm job jobs work workplace office place business employer gig position career new current old own startup
    start-up shop store team home house apartment flat condo room city town village area neighbourhood neighborhood
    country state street suburb suburbs countryside here there somewhere abroad school college university uni campus
    project person guy girl man woman someone somebody friend love relationship single boy best first ex former parents
    great wonderful nice
"""
KINDS_OF_THINGS = frozenset((*_KINDS.split(), *KIN, *PETS))
_KIND_STEMS = frozenset(stem for word in _KINDS.split() for stem in stems(word))
_POSSESSIVE = re.compile(r"^\s*(?:[^\W\d_][\w.-]*(?:\s[A-Z][\w.-]*)?['’]s?|my|our|his|her|their|your|the|an?)\s+", re.I)
_DIGITS = re.compile(r"\d+")
_CAPITAL = re.compile(r"[^\W\d_]*[A-Z][\w&.'’-]*")


def strip_owner(value: str) -> str:
    """A value without its determiner or owner: "Caroline's career" is "career"."""
    shorter = _POSSESSIVE.sub("", value, count=1).strip()
    return shorter or value.strip()


@lru_cache(maxsize=65_536)
def form(value: str) -> tuple[str, ...]:
    """The stems by which a value is compared, in order."""
    words = [word for word in terms(strip_owner(value)) if word not in STOP_WORDS]
    while len(words) > 1 and words[-1] in TAILS:
        words.pop()
    if len(words) == 1:  # her "father" is her "dad"
        words = [SAME_KIN.get(words[0], words[0])]
    return tuple(stem for word in words for stem in stems(word))


@lru_cache(maxsize=65_536)
def same_value(one: str, other: str) -> bool:
    """Whether two values say the same: the same words, or one of them misspelt. Numbers must agree."""
    if one == other:
        return True
    first, second = form(one), form(other)
    if not first or not second:
        return one.strip().lower() == other.strip().lower()
    if sorted(first) == sorted(second):
        return True
    left, right = " ".join(first), " ".join(second)
    if len(first) != len(second) or min(len(left), len(right)) < SHORTEST or _numbers(one) != _numbers(other):
        return False
    return all(a == b or is_spelt_alike(a, b) for a, b in zip(first, second, strict=True))


@lru_cache(maxsize=65_536)
def refines(one: str, other: str) -> bool:
    """Whether one of two values says more of the same: "senior software engineer" and "engineer", "Austin, Texas"."""
    first, second = form(one), form(other)
    if len(first) > len(second):
        first, second = second, first
    return bool(first) and (second[-len(first) :] == first or second[: len(first)] == first)


@lru_cache(maxsize=65_536)
def is_kind(value: str) -> bool:
    """Whether a value only says what kind of thing it is: "projects", "my new company"."""
    return all(stem in _KIND_STEMS for stem in form(value))


@lru_cache(maxsize=65_536)
def find_name_stems(value: str, quote: str = "") -> tuple[str, ...]:
    """The stems of the name in a value; empty if it only says what kind of thing it is.

    Somebody who writes without any capitals (see the quote) may mean a name by any single word.
    """
    words = [
        found[0].strip(".'’-")
        for found in _CAPITAL.finditer(strip_owner(value))
        if found[0].lower() not in NO_NAMES and found[0].lower() not in KINDS_OF_THINGS
    ]
    if not words and quote and quote == quote.lower() and quote != quote.upper():
        single = strip_owner(value).split()
        words = single if len(single) == 1 and single[0] not in KINDS_OF_THINGS | NO_NAMES | STOP_WORDS else []
    return tuple(stem for word in words for stem in stems(word))


@lru_cache(maxsize=65_536)
def same_name(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two names are one: all words of the shorter, perhaps misspelt, begin or end the longer."""
    if len(one) > len(other):
        one, other = other, one
    if not one:
        return False
    ends = (other[: len(one)], other[-len(one) :])
    return any(all(a == b or is_spelt_alike(a, b) for a, b in zip(one, end, strict=True)) for end in ends)


def is_spelt_alike(one: str, other: str) -> bool:
    """Whether one of two words may be the other one misspelt."""
    shorter = min(len(one), len(other))
    if shorter < SHORTEST or 2 * shorter / (len(one) + len(other)) < ALIKE:
        return False
    return share_in_order(one, other) >= ALIKE


def _numbers(value: str) -> list[str]:
    return sorted(_DIGITS.findall(value))
