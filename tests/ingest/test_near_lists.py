from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engramma.ingest.near_lists import pack, reach_of, strongest, unpack, weights_of

partners = st.lists(
    st.tuples(st.integers(1, 2**32 - 1), st.integers(0, 10_000), st.integers(0, 2**32 - 1)), max_size=60
).map(lambda found: list({p[0]: p for p in found}.values()))


@given(partners)
def test_a_list_comes_back_as_it_was_packed(found):
    assert unpack(pack(found)) == found


@given(partners, st.randoms(), st.integers(1, 20))
def test_the_strongest_do_not_depend_on_the_order_of_coming(found, random, cap):
    shuffled = found[:]
    random.shuffle(shuffled)
    together = strongest(found, cap)
    one_by_one: list = []
    for partner in shuffled:
        one_by_one = strongest([*one_by_one, partner], cap)
    assert together == one_by_one
    assert len(together) <= cap


def test_a_full_list_lets_in_nothing_weaker_than_its_last():
    full = [(n, 9000 - n, 0) for n in range(1, 4)]
    assert reach_of(full, cap=3) == 8997
    assert reach_of(full, cap=4) == 0


def test_weights_are_cosines_to_four_decimals_and_never_above_one():
    assert weights_of(np.array([0.6, 0.59999, 1.0003, -0.2])).tolist() == [6000, 6000, 10_000, -2000]
