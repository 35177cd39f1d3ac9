"""Many near lists as arrays keep what each of them keeps alone."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engramma.ingest.link import Pairs, may_be_strongest, top
from engramma.ingest.list_arrays import Places, merged_places, pack_lists, strongest_places, unpack_lists
from engramma.ingest.near_lists import pack, reach_of, strongest

caps = st.integers(1, 5)
# Few owners, keys, weights and ties, so that lists overflow and everything ties all the time.
place = st.tuples(
    st.integers(1, 4), st.integers(1, 2**32 - 1) | st.integers(1, 9), st.integers(0, 3), st.integers(0, 2)
)
places = st.lists(place, max_size=40)


def as_places(found) -> Places:
    return Places(*(np.array(part, dtype=np.int64) for part in (zip(*found, strict=True) if found else ((),) * 4)))


def one_by_one(*parts, cap):
    """The lists as `strongest` keeps each of them."""
    lists = defaultdict(list)
    for owner, *partner in (one for part in parts for one in part):
        lists[owner].append(tuple(partner))
    return {owner: strongest(partners, cap) for owner, partners in lists.items()}


@given(places, places, caps)
def test_lists_merged_together_are_the_lists_merged_one_by_one(before, offers, cap):
    before, offers = ([*{one[:2]: one for one in given}.values()] for given in (before, offers))  # as they come: once
    after, dropped = merged_places(as_places(before), as_places(offers), cap)
    owners = np.array([1, 2, 3, 4, 9], dtype=np.int64)  # one of them without any place
    wanted = one_by_one(before, offers, cap=cap)
    assert list(pack_lists(owners, after, cap)) == [
        (owner, reach_of(wanted.get(owner, []), cap), pack(wanted.get(owner, []))) for owner in owners.tolist()
    ]
    kept = {(owner, partner[0]) for owner, partners in wanted.items() for partner in partners}
    lost = {one[:2] for one in before} - kept
    assert sorted(zip(dropped.owner.tolist(), dropped.key.tolist(), strict=True)) == sorted(lost)


@given(places, caps)
def test_packed_lists_come_back_as_they_were(found, cap):
    kept = strongest_places(as_places({one[:2]: one for one in found}.values()), cap)
    packed = [(owner, data) for owner, _, data in pack_lists(np.unique(kept.owner), kept, cap)]
    back = unpack_lists(packed)
    assert back.pairs().tolist() == kept.pairs().tolist()
    assert (back.weight.tolist(), back.tie.tolist()) == (kept.weight.tolist(), kept.tie.tolist())
    assert sorted((key, owner) for owner, key in zip(kept.owner, kept.key, strict=True)) == sorted(
        divmod(int(number) % 2**64, 2**32) for number in kept.turned()
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 99), st.integers(0, 4)), max_size=40), caps)
def test_all_that_tie_at_the_boundary_may_be_among_the_strongest(found, cap):
    number, key, weight = (
        np.array(part, dtype=np.int64) for part in (zip(*found, strict=True) if found else ((),) * 3)
    )
    chosen = may_be_strongest(Pairs(number, key, weight), cap)
    for one in range(4):
        own = number == one
        assert sorted(key[own & chosen].tolist()) == sorted(top((key[own], weight[own]), cap).tolist())
