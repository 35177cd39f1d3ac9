"""The words that the packaged encoder knows whole: ordinary English."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

from ..language.spelling import LetterCounts
from .onnx import WEIGHTS

SHORTEST = 3
SHORTEST_BASE = 4  # letters of a word that others are made of
SHORTEST_BEHIND = 5  # the same behind a prefix
# How English makes words of others. Before a vowel the word's own e goes, its last letter may be doubled.
ENDINGS = (
    *("s", "es", "ed", "er", "ers", "ing", "ings", "able", "ly", "ally", "ness", "ful", "less", "ment", "ments", "ish"),
    *("ist", "ists", "ize", "ized", "izing", "ization", "al", "ic", "ity", "ation", "ations", "ative", "ism"),
    *("ship", "proof", "wise", "set", "sets", "out", "off", "end", "box", "way", "day"),
)
PREFIXES = (
    *("re", "un", "non", "pre", "mis", "over", "under", "multi", "micro", "auto", "anti", "ultra", "sub", "super"),
    *("semi", "meta", "hyper", "self", "cyber", "bio", "geo", "neuro", "photo", "tele", "out", "up", "dis", "de"),
)
LEAST_FOLLOWED = 0.01  # of the words with two letters in a row, how many go on with the third
DOUBLING = ("ed", "er", "ers", "ing", "ings", "able")
HISSING = ("s", "x", "z", "ch", "sh")


@cache
def common_words() -> frozenset[str]:
    """Read when first asked for."""
    vocabulary = (WEIGHTS / "pieces.txt").read_text(encoding="utf-8").split("\n")
    return frozenset(word for word in vocabulary if len(word) >= SHORTEST and word.isascii() and word.isalpha())


@cache
def common_words_by_letters() -> LetterCounts:
    return LetterCounts(sorted(common_words()))


@cache
def _runs() -> tuple[Counter[str], Counter[str]]:
    """How often common words have each three letters in a row, and each two; with where words begin and end."""
    text = "".join(f"^{word}$" for word in sorted(common_words()))
    threes = Counter(map("".join, zip(text, text[1:], text[2:], strict=False)))
    return threes, Counter(map("".join, pairwise(text)))


def is_well_formed(word: str) -> bool:
    """Whether the letters of a word in small letters follow each other as they do in English: "muslin", not "playlst".

    Of 176 right words that the list lacks 137 do so, and of 316 slips of the fingers 72 (docs/log/typos.md).
    """
    threes, twos = _runs()
    text = f"^{word}$"
    rows = (text[at : at + 3] for at in range(len(text) - 2))
    return all(threes[row] >= LEAST_FOLLOWED * (twos[row[:2]] + 1) for row in rows)


def is_english(word: str) -> bool:
    """Whether a word in small letters is an ordinary one, or made of ordinary ones: templates, workflow."""
    return (
        word in common_words()
        or any(word.endswith(ending) and _takes(word[: -len(ending)], ending) for ending in ENDINGS)
        or any(
            word.startswith(prefix)
            and len(word) >= len(prefix) + SHORTEST_BEHIND
            and word[len(prefix) :] in common_words()
            for prefix in PREFIXES
        )
        or any(
            word[:end] in common_words() and word[end:] in common_words()
            for end in range(SHORTEST_BASE, len(word) - SHORTEST_BASE + 1)
        )
    )


def _takes(base: str, ending: str) -> bool:
    """Whether what stands before an ending is a word that may have it."""
    if len(base) < SHORTEST_BASE:
        return False
    known = common_words()
    if ending == "s":
        return base in known and not base.endswith(HISSING)
    if ending == "es" and base in known:
        return base.endswith((*HISSING, "o"))
    if ending[0] not in "aeiouy":
        return base in known
    if base.endswith("i") and f"{base[:-1]}y" in known:
        return True
    if ending == "es":
        return False
    doubled = ending in DOUBLING and len(base) > SHORTEST_BASE and base[-1] == base[-2]
    return (doubled and base[:-1] in known) or f"{base}e" in known or (base in known and base[-1] not in "aeou")
