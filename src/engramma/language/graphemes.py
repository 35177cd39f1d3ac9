"""Cuts text between characters as people see them: no accent, vowel sign, skin tone or half of a joined emoji is lost.

Only the neighbourhood of the cut is looked at. These are the rules of UAX #29 for extended grapheme clusters without
its table: categories of the standard library, and the few ranges that they do not tell.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import pairwise

LONGEST_CLUSTER = 64  # characters: what has more marks than that is no text, and is cut anywhere
JOINER = "\u200d"
_MARKS = ("Mn", "Mc", "Me")
_VIRAMA = 9  # canonical combining class of what joins two consonants of Indic scripts
_FIRST_FLAG_LETTER = "\U0001f1e6"
_THAI_AM = "\u0e33\u0eb3"


def first_characters(text: str, most: int) -> str:
    """The beginning of a text, at most so many code points, ending where a character ends."""
    return text if len(text) <= most else text[: cut_place(text, most)]


def cut_place(text: str, at: int) -> int:
    """The last place up to `at` where a text may be cut; `at` itself in nearly all text."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    for place in range(at, max(0, at - LONGEST_CLUSTER), -1):
        if _may_cut(text, place):
            return place
    return 0 if at <= LONGEST_CLUSTER else at


def cut_places(text: str) -> list[int]:
    """Every place where a text may be cut, its two ends among them."""
    places, last = [0], 0
    for at, (before, after) in enumerate(pairwise(text), 1):
        if _are_apart(before, after) and (after < _FIRST_FLAG_LETTER or _may_cut(text, at)):
            last = at
        elif at - last < LONGEST_CLUSTER or at == LONGEST_CLUSTER:
            continue
        places.append(at)
    return [*places, len(text)] if text else places


def _may_cut(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if _is_flag_letter(before) and _is_flag_letter(after):
        start = at
        while start and at - start < LONGEST_CLUSTER and _is_flag_letter(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 0
    return _are_apart(before, after)


@lru_cache(maxsize=8192)
def _are_apart(before: str, after: str) -> bool:
    """Whether a text may be cut between two characters, unless both are letters of flags."""
    if before.isascii() and after.isascii():
        return before != "\r" or after != "\n"
    if before == JOINER or _goes_on(after):
        return False
    if unicodedata.combining(before) == _VIRAMA and unicodedata.category(after) == "Lo":
        return False
    return not _is_one_syllable(before, after)


def _goes_on(character: str) -> bool:
    """Whether it belongs to the character before it: marks, joiners, skin tones, tags."""
    number = ord(character)
    return (
        unicodedata.category(character) in _MARKS
        or character in "\u200c\u200d\uff9e\uff9f"
        or character in _THAI_AM
        or 0x1F3FB <= number <= 0x1F3FF
        or 0xE0020 <= number <= 0xE007F
    )


def _is_flag_letter(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _is_one_syllable(before: str, after: str) -> bool:
    """Whether two letters of Hangul, written one by one, make a syllable."""
    one, other = ord(before), ord(after)
    if 0x1100 <= one <= 0x115F or 0xA960 <= one <= 0xA97C:  # a leading consonant
        return 0x1100 <= other <= 0x11A7 or 0xA960 <= other <= 0xA97C or 0xAC00 <= other <= 0xD7A3
    is_open = 0xAC00 <= one <= 0xD7A3 and (one - 0xAC00) % 28 == 0
    if is_open or 0x1160 <= one <= 0x11A7 or 0xD7B0 <= one <= 0xD7C6:  # a vowel
        return 0x1160 <= other <= 0x11FF or 0xD7B0 <= other <= 0xD7FB
    is_closed = 0xAC00 <= one <= 0xD7A3 or 0x11A8 <= one <= 0x11FF or 0xD7CB <= one <= 0xD7FB
    return is_closed and (0x11A8 <= other <= 0x11FF or 0xD7CB <= other <= 0xD7FB)
