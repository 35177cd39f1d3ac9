"""The words of an index by their first letters, kept in memory: to list them is to walk over all places of each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable

FIRST = 2  # letters by which words are grouped: all that begin with them are read at once

Groups = dict[str, list[str]]  # sorted words by their first letters


class Vocabulary:
    """The words of one index, as far as any with their first letters were asked for.

    Words that came since are added. Those that went stay, since only a count tells whether a segment still has them:
    who takes a word from here counts it. Threads share it without a lock: each goes on with the groups of the state
    that it looks at.
    """

    def __init__(self, read: Callable[[Collection[str]], Iterable[str]]) -> None:
        self._read = read  # all words with some first letters
        self._kept: tuple[int, Groups] = (-1, {})

    def at(self, change: int, came_since: Callable[[int], Iterable[str] | None]) -> Groups:
        """The groups as of a change; `came_since` has the words that came after one, None if they are too many."""
        known, groups = self._kept
        if change < known:
            return {}  # another thread is ahead of the state that is looked at
        if change > known:
            words = came_since(known) if groups else ()
            groups = {} if words is None else _joined(groups, words)
            self._kept = (change, groups)
        return groups

    def find(self, groups: Groups, starts: Iterable[str], longest: int) -> list[str]:
        """The words that begin with any of the starts, of two letters or more, in order."""
        wanted = set(starts)
        if missing := {_first(start) for start in wanted} - groups.keys():
            groups.update(_joined({first: [] for first in missing}, self._read(missing)))
        found = set[str]()
        for start in wanted:
            group = groups[_first(start)]
            found.update(group[bisect_left(group, start) : bisect_left(group, start_behind(start))])
        return sorted(word for word in found if len(word) <= longest)


def start_behind(start: str) -> str:
    """What comes first behind all words that begin so."""
    return start[:-1] + chr(ord(start[-1]) + 1)


def _first(word: str) -> str:
    return word[:FIRST]


def _joined(groups: Groups, words: Iterable[str]) -> Groups:
    """New groups that have some more words, of those that belong to them."""
    new = dict[str, set[str]]()
    for word in words:
        if _first(word) in groups:
            new.setdefault(_first(word), set()).add(word)
    return groups | {first: sorted(more.union(groups[first])) for first, more in new.items()}
