"""Finds which of many names may be one that is asked for, without comparing it with each of them.

`same_name` and `same_value` ask whether all words of the shorter of two names, perhaps misspelt, begin or end the
longer. So a name stands here under the first and last word of each of its beginnings and ends, and a word under what is
left of it where as many letters are missing as may be: two spellings that are alike have one of these in common.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Generic, TypeVar

from .values import ALIKE, is_spelt_alike

Name = tuple[str, ...]
T = TypeVar("T")

LONG = 14  # letters from which on a word has too many shorter forms: there are few, and each is compared
NEARLY_LONG = 11  # letters of the shortest word that may be like a long one


class AlikeNames(Generic[T]):
    """What was put under names. `find` has all that stands under a name that may be the same, and little else."""

    def __init__(self) -> None:
        self._under: dict[Name, dict[T, None]] = {}
        self._by_end: dict[tuple[object, ...], list[Name]] = defaultdict(list)
        self._words = _Spellings()

    def put(self, name: Name, what: T) -> None:
        if name not in self._under:
            self._under[name] = {}
            self._by_end[tuple(sorted(name))].append(name)  # the same words in another order
            for is_whole, words in _ends(name):
                self._by_end[is_whole, len(words), words[0], words[-1]].append(name)
                self._words.put(words[0])
                self._words.put(words[-1])
        self._under[name][what] = None

    def find(self, name: Name) -> set[T]:
        """What stands under names that may be this one."""
        names = {*self._by_end.get(tuple(sorted(name)), ())}
        for is_own_whole, words in _ends(name):
            for first, last in product(self._words.find(words[0]), self._words.find(words[-1])):
                for is_whole in (True, False) if is_own_whole else (True,):
                    names.update(self._by_end.get((is_whole, len(words), first, last), ()))
        return {what for one in names for what in self._under[one]}


class _Spellings:
    """Words, and those among them that may be another one misspelt."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._by_form: dict[str, list[str]] = defaultdict(list)
        self._nearly_long: list[str] = []
        self._long: list[str] = []

    def put(self, word: str) -> None:
        if word in self._known:
            return
        self._known.add(word)
        if len(word) >= NEARLY_LONG:
            self._nearly_long.append(word)
        if len(word) >= LONG:
            self._long.append(word)
        for form in _shorter_forms(word):
            self._by_form[form].append(word)

    def find(self, word: str) -> set[str]:
        near = {other for form in _shorter_forms(word) for other in self._by_form.get(form, ())}
        if len(word) >= NEARLY_LONG:
            near.update(self._nearly_long if len(word) >= LONG else self._long)
        return {other for other in near if other == word or is_spelt_alike(word, other)}


@lru_cache(maxsize=4_096)
def _shorter_forms(word: str) -> frozenset[str]:
    """A word, and what is left of it without as many letters as another spelling of it may lack."""
    forms = {word}
    if len(word) < LONG:
        for _ in range(int(2 * len(word) * (1 - ALIKE) / (2 - ALIKE) + 1e-9)):
            forms |= {form[:at] + form[at + 1 :] for form in forms for at in range(len(form))}
    return frozenset(forms)


def _ends(name: Name) -> Iterator[tuple[bool, Name]]:
    """A name, and its beginnings and ends."""
    if name:
        yield True, name
    for count in range(1, len(name)):
        yield False, name[:count]
        yield False, name[-count:]
