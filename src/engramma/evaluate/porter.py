"""Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980), for the BM25 baseline."""

from __future__ import annotations

import re
from functools import lru_cache

_STEP2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble",
}  # fmt: skip
_STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


def _shape(stem: str) -> str:
    """c and v for consonants and vowels; y is a vowel after a consonant."""
    shape = ""
    for letter in stem:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """How often a vowel group is followed by a consonant group."""
    return len(re.findall("v+c+", _shape(stem)))


def _ends_short(stem: str) -> bool:
    """consonant, vowel, consonant other than w, x, y."""
    return _shape(stem)[-3:] == "cvc" and stem[-1] not in "wxy"


def _double(stem: str) -> bool:
    return len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c"


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a lower-case English word."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _step1(word)
    word = _replaced(word, _STEP2)
    word = _replaced(word, _STEP3)
    for suffix in sorted(_STEP4, key=len, reverse=True):
        if word.endswith(suffix):
            base = word.removesuffix(suffix)
            if _measure(base) > 1 and (suffix != "ion" or base[-1:] in ("s", "t")):
                word = base
            break
    if word.endswith("e"):
        base = word[:-1]
        if _measure(base) > 1 or (_measure(base) == 1 and not _ends_short(base)):
            word = base
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _step1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _measure(word[:-3]) > 0:
            word = word[:-1]
    else:
        suffix = next((s for s in ("ed", "ing") if word.endswith(s)), "")
        base = word.removesuffix(suffix)
        if suffix and "v" in _shape(base):
            word = _tidied(base)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def _tidied(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _double(base) and base[-1] not in "lsz":
        return base[:-1]
    if _measure(base) == 1 and _ends_short(base):
        return base + "e"
    return base


def _replaced(word: str, table: dict[str, str]) -> str:
    """The longest suffix of the table replaced, where something is left before it."""
    suffix = next((s for s in sorted(table, key=len, reverse=True) if word.endswith(s)), None)
    if suffix is not None and _measure(word.removesuffix(suffix)) > 0:
        return word.removesuffix(suffix) + table[suffix]
    return word
