"""Many near lists at once, as arrays: a session reaches hundreds of them, and a list a time is all Python.

The rules are those of near_lists.py: `strongest_places` keeps of every list what `strongest` keeps of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .near_lists import ENTRY, SCALE

Numbers = NDArray[np.int64]
KEY_BITS = TIE_BITS = 32  # a key and a tie in a packed list have so many


@dataclass(frozen=True, slots=True)
class Places:
    """Places in near lists: whose list, which partner stands there, its weight, and what orders equal weights."""

    owner: Numbers
    key: Numbers
    weight: Numbers
    tie: Numbers

    def where(self, chosen: NDArray[np.bool_] | Numbers) -> Places:
        """Some of the places, by a mask or by their numbers."""
        return Places(self.owner[chosen], self.key[chosen], self.weight[chosen], self.tie[chosen])

    def pairs(self) -> Numbers:
        """A number for each pair of owner and partner."""
        return (self.owner << KEY_BITS) | self.key

    def turned(self) -> Numbers:
        """The numbers of the same pairs seen from the partners."""
        return (self.key << KEY_BITS) | self.owner


def joined_places(*parts: Places) -> Places:
    """All places, in the order given."""
    return Places(
        np.concatenate([part.owner for part in parts]),
        np.concatenate([part.key for part in parts]),
        np.concatenate([part.weight for part in parts]),
        np.concatenate([part.tie for part in parts]),
    )


def merged_places(before: Places, offers: Places, cap: int) -> tuple[Places, Places]:
    """The lists with what is offered to them, as `strongest_places` has them, and the places that are lost by it.

    Of a pair that stands in both, the offer counts.
    """
    if np.isin(before.key, offers.key).any():
        again = np.isin(before.pairs(), offers.pairs())
        had = np.concatenate((np.ones(len(again) - int(again.sum()), bool), np.isin(offers.pairs(), before.pairs())))
        before = before.where(~again)
    else:
        had = np.arange(len(before.key) + len(offers.key)) < len(before.key)
    places = joined_places(before, offers)
    order = strength_order(places)
    is_kept = places_before(places.owner[order]) < cap
    return places.where(order[is_kept]), places.where(order[~is_kept & had[order]])


def strongest_places(places: Places, cap: int) -> Places:
    """The `cap` strongest of each list, list by list, in their order."""
    order = strength_order(places)
    return places.where(order[places_before(places.owner[order]) < cap])


def strength_order(places: Places) -> Numbers:
    """The numbers of the places list by list, the strongest of each first; equals by their ties, then by their keys."""
    strength = ((SCALE - places.weight) << TIE_BITS) | places.tie
    return np.lexsort((places.key, strength, places.owner))


def places_before(owner: Numbers) -> Numbers:
    """How many places of the same owner stand before each; those of one owner stand together."""
    begins = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])) if len(owner) else owner
    lengths = np.diff(np.append(begins, len(owner)))
    return np.arange(len(owner), dtype=np.int64) - np.repeat(begins, lengths)


def unpack_lists(rows: Iterable[tuple[int, bytes]]) -> Places:
    """Lists as they are stored, given with their owners."""
    owners, lists = [], []
    for owner, data in rows:
        owners.append(owner)
        lists.append(data)
    entries = np.frombuffer(b"".join(lists), dtype=ENTRY)
    lengths = [len(data) // ENTRY.itemsize for data in lists]
    return Places(
        np.repeat(np.array(owners, dtype=np.int64), lengths),
        entries["key"].astype(np.int64),
        entries["weight"].astype(np.int64),
        entries["tie"].astype(np.int64),
    )


def pack_lists(owners: Numbers, places: Places, cap: int) -> Iterator[tuple[int, int, bytes]]:
    """Each owner's list as it is stored, behind its owner and the least weight that may still enter it.

    `owners` stand in order; the places are those of `strongest_places`. An owner without any has an empty list.
    """
    entries = np.empty(len(places.key), dtype=ENTRY)
    entries["key"], entries["weight"], entries["tie"] = places.key, places.weight, places.tie
    data = entries.tobytes()
    begins = np.searchsorted(places.owner, owners, side="left").tolist()
    ends = np.searchsorted(places.owner, owners, side="right").tolist()
    weights = places.weight.tolist()
    for owner, begin, end in zip(owners.tolist(), begins, ends, strict=True):
        reach = weights[end - 1] if end - begin >= cap else 0
        yield owner, reach, data[begin * ENTRY.itemsize : end * ENTRY.itemsize]
