"""Compounds: words of a memory that end or begin with a word that is asked for, in languages that write them as one.

Who asks for "Kuchen" means Butterkuchen and Kuchenform as well. Words are stems as the index has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial

from .function_words import fold_accents
from .lexical import index_forms, index_tokens

COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})  # of those whose words are stemmed here
SHORTEST = 4  # letters of a stem that others may end with
SHORTEST_FIRST = 5  # of one that others may begin with: "auto" begins many words that are no cars
LEAST_BEFORE = 3  # letters of what stands before the stem, with a vowel: "Schwein" is no "Wein"
LEAST_BEHIND = 4  # and of what stands behind it: "schuldig" is no "Schule"
MOST = 12  # compounds of a word
LONGEST = 40  # letters of a compound
_VOWEL = re.compile("[aeiouy]")


class CompoundIndex:
    """The words of a memory, written one after the other, so that what they end or begin with is found at once."""

    def __init__(self, words: Iterable[str]) -> None:
        self._text = "\n".join(("", *words, ""))

    def with_words(self, words: Iterable[str]) -> CompoundIndex:
        """The same with words that came since."""
        more = CompoundIndex(())
        more._text = self._text + "".join(f"{word}\n" for word in words if f"\n{word}\n" not in self._text)
        return more

    def find(self, stem: str) -> list[str]:
        """The compounds of a stem, the shortest first."""
        found = set(self._ending(stem)) if len(stem) >= SHORTEST else set()
        found |= set(self._beginning(stem)) if len(stem) >= SHORTEST_FIRST else set()
        likely = [word for word in found if len(word) <= LONGEST and _is_compound(word, stem)]
        return sorted(likely, key=lambda word: (len(word), word))[:MOST]

    def _ending(self, stem: str) -> Iterator[str]:
        at = self._text.find(f"{stem}\n")
        while at >= 0:
            yield self._text[self._text.rfind("\n", 0, at) + 1 : at + len(stem)]
            at = self._text.find(f"{stem}\n", at + 1)

    def _beginning(self, stem: str) -> Iterator[str]:
        at = self._text.find(f"\n{stem}")
        while at >= 0:
            yield self._text[at + 1 : self._text.find("\n", at + 1)]
            at = self._text.find(f"\n{stem}", at + 1)


def _is_compound(word: str, stem: str) -> bool:
    before, behind = word.removesuffix(stem), word[len(stem) :]
    if word.endswith(stem):
        return len(before) >= LEAST_BEFORE and _VOWEL.search(before) is not None
    return len(behind) >= LEAST_BEHIND and _VOWEL.search(behind) is not None


def told_apart(text: str, compounds: Mapping[str, Collection[str]], languages: tuple[str, ...]) -> str:
    """A text with the compounds of some words as these words, so that who looks for them finds them there."""
    small = text.lower()
    for word, joined in compounds.items():
        parts = _parts(word, languages)
        if any(part in small for part in parts):
            text = _holding(parts).sub(partial(_as_asked, word, tuple(joined)), text)
    return text


def _as_asked(word: str, compounds: tuple[str, ...], said: re.Match[str]) -> str:
    """A word begins with its stem, as good as always; to stem every word that may be one would take too long."""
    return word if fold_accents(said[0]).replace("ß", "ss").startswith(compounds) else said[0]


@lru_cache(maxsize=256)
def _parts(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({part for form in index_forms(word, languages) for part in index_tokens(form)}))


@lru_cache(maxsize=64)
def _holding(parts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b\w*(?:{'|'.join(map(re.escape, parts))})\w*", re.IGNORECASE)
