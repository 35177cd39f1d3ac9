"""Words that differ by a slip of the fingers: letters swapped, left out, typed twice or beside the right key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

SHORTEST = 4  # letters: shorter words are near to too many others
LOOKED_AT = 40  # letters of a word
TWO_SLIPS = 7  # letters from which on a word may have two slips
# Letters that are taken for each other by ear, in words so long that no other is meant: seperate, calender, organise.
_SOUNDS = ("aeiouy", "ck", "cs", "sz", "gj")
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_PLACE = {letter: (row, column + row / 2) for row, keys in enumerate(_KEYS) for column, letter in enumerate(keys)}


def most_slips(word: str) -> int:
    """How many slips a word of its length may have."""
    return 0 if len(word) < SHORTEST else 1 if len(word) < TWO_SLIPS else 2


def slips(typed: str, meant: str, most: int) -> int:
    """The least number of letters to insert, leave out, replace or swap with the next one; `most` + 1 if it is more."""
    if abs(len(typed) - len(meant)) > most:
        return most + 1
    if most == 1:
        return 2 if not is_within_one_slip(typed, meant) else int(typed != meant)
    before, row = list[int](), list(range(len(meant) + 1))
    for i, letter in enumerate(typed, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(meant, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == meant[j - 2] and typed[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def is_within_one_slip(one: str, other: str) -> bool:
    """Whether `slips` would count one at most; without counting, for those who ask about many pairs."""
    if abs(len(one) - len(other)) > 1:
        return False
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])


def share_in_order(one: str, other: str) -> float:
    """Which part of the letters of two words stands in both in the same order, from 0 to 1.

    The longest such row is counted in the bits of one number: a bit that is not set is a letter of `one` that is in it.
    """
    places = dict[str, int]()
    for place, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << place
    whole = (1 << len(one)) - 1
    free = whole
    for letter in other:
        here = free & places.get(letter, 0)
        free = ((free + here) | (free - here)) & whole
    letters = len(one) + len(other)
    return 2 * (len(one) - free.bit_count()) / letters if letters else 1.0


def is_slip_in_name(typed: str, meant: str) -> bool:
    """Whether a name is another one with one slip, and not simply another name.

    A letter that is replaced must lie beside the right one on the keyboard: Maren is not Marin, nor Carolina Caroline.
    """
    if slips(typed, meant, 1) != 1:
        return False
    return len(typed) != len(meant) or _is_swapped_or_beside(typed, meant)


def is_slip_of_fingers(typed: str, meant: str) -> bool:
    """Whether a word is another one with two letters swapped, one left out, one typed twice or the key beside it; of
    words within one slip."""
    if len(typed) == len(meant):
        return typed != meant and _is_swapped_or_beside(typed, meant)
    if len(typed) < len(meant):
        return True
    extra = next((place for place, letter in enumerate(meant) if typed[place] != letter), len(meant))
    return extra > 0 and typed[extra] == typed[extra - 1]


def is_likely_slip(typed: str, meant: str) -> bool:
    """Whether a word is another one with one slip of the fingers or, if it is long, of the ear."""
    if not is_within_one_slip(typed, meant) or typed == meant:
        return False
    return is_slip_of_fingers(typed, meant) or _is_by_ear(typed, meant) or _has_echo(typed, meant)


def are_likely_slips(typed: str, meant: str, count: int) -> bool:
    """Whether each of the one or two slips between two words is a likely one."""
    if count == 1:
        return is_likely_slip(typed, meant)
    return count == 2 and any(is_likely_slip(typed, once) for once in (*_moved_once(meant), *_replaced_once(meant)))


def keeps_its_letters(typed: str, meant: str, count: int) -> bool:
    """Whether likely slips between two words only swap, leave out or double letters, or confuse two by ear.

    A letter that is replaced makes another word of it more often than one that is moved.
    """
    if count == 1:
        return is_likely_slip(typed, meant) and (not _has_other_key(typed, meant) or _is_by_ear(typed, meant))
    return any(is_likely_slip(typed, once) and not _has_other_key(typed, once) for once in _moved_once(meant))


def _has_other_key(typed: str, meant: str) -> bool:
    """Whether words within one slip differ by a letter that is replaced."""
    return len(typed) == len(meant) and sum(one != other for one, other in zip(typed, meant, strict=True)) == 1


def _is_by_ear(typed: str, meant: str) -> bool:
    if len(typed) < TWO_SLIPS or not _has_other_key(typed, meant):
        return False
    pair = next({one, other} for one, other in zip(typed, meant, strict=True) if one != other)
    return any(pair <= set(letters) for letters in _SOUNDS)


def _has_echo(typed: str, meant: str) -> bool:
    """Whether a long word has one letter more, which is typed again two places on: fesetival."""
    if len(typed) < TWO_SLIPS or len(typed) != len(meant) + 1:
        return False
    places = range(2, len(typed))
    return any(typed[at] == typed[at - 2] and typed[:at] + typed[at + 1 :] == meant for at in places)


def _moved_once(meant: str) -> Iterator[str]:
    """A word with two letters swapped, one left out or one doubled, at each place."""
    for at, letter in enumerate(meant):
        before, after = meant[:at], meant[at + 1 :]
        yield before + after
        yield before + letter + letter + after
        if after:
            yield before + after[0] + letter + after[1:]


def _replaced_once(meant: str) -> Iterator[str]:
    """A word with a letter replaced by each that lies beside it or sounds like it."""
    for at, letter in enumerate(meant):
        near = {other for other in _PLACE if other != letter and are_beside(letter, other)}
        heard = {other for letters in _SOUNDS if letter in letters for other in letters} - {letter}
        yield from (meant[:at] + other + meant[at + 1 :] for other in sorted(near | heard))


def unslipped(typed: str) -> set[str]:
    """What a word is if two letters of it are swapped, or one is typed twice."""
    places = range(len(typed) - 1)
    swapped = {typed[:at] + typed[at + 1] + typed[at] + typed[at + 2 :] for at in places}
    return (swapped | {typed[:at] + typed[at + 1 :] for at in places if typed[at] == typed[at + 1]}) - {typed}


def _is_swapped_or_beside(typed: str, meant: str) -> bool:
    pairs = [(one, other) for one, other in zip(typed, meant, strict=True) if one != other]
    return len(pairs) == 2 or are_beside(*pairs[0])  # two: they are swapped


def are_beside(one: str, other: str) -> bool:
    """Whether two letters have keys beside each other."""
    if one not in _PLACE or other not in _PLACE:
        return False
    (row, column), (other_row, other_column) = _PLACE[one], _PLACE[other]
    return abs(row - other_row) <= 1 and abs(column - other_column) <= 1


class LetterCounts:
    """Many words, and how often each has each letter: those within a few slips of another are found quickly."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._lengths = np.array([len(word) for word in self.words], np.int16)
        self._counts = count_letters(self.words)

    def near(self, word: str, most: int) -> list[tuple[int, str]]:
        """The words within so many slips, as (slips, word), nearest first."""
        longer = np.abs(self._lengths - len(word))
        close = np.flatnonzero(longer <= most)
        apart = np.abs(self._counts[close] - count_letters([word])).sum(axis=1)
        # A slip changes two of the counts at most, and one of them if it makes a word longer or shorter.
        likely = (self.words[place] for place in close[apart <= 2 * most - longer[close]])
        found = ((slips(word, other, most), other) for other in likely)
        return sorted(pair for pair in found if pair[0] <= most)


def count_letters(words: Sequence[str]) -> NDArray[np.int16]:
    """How often each word has each letter, and anything else."""
    if not words:
        return np.zeros((0, 27), np.int16)
    coded = np.array([word[:LOOKED_AT].encode("latin-1", "replace") for word in words])
    letters = coded.view(np.uint8).reshape(len(words), coded.itemsize)
    counts = np.zeros((len(words), 27), np.int16)
    for place, letter in enumerate(b"abcdefghijklmnopqrstuvwxyz"):
        counts[:, place] = (letters == letter).sum(axis=1)
    counts[:, 26] = (letters != 0).sum(axis=1) - counts.sum(axis=1)
    return counts
