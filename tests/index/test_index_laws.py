"""Laws that hold for any rows in any order: a small index answers as sorting everything would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.index import rows as rows_module
from engramma.index.scan import FaissIndex
from tests.conftest import some
from tests.index.truth import clustered, keys_of, nearest, pairs, unit

DIMENSION = 20  # no multiple of eight, so that codes have bits to spare

# Few vectors, some of them equal or opposite, so that ties and repeats happen all the time.
POOL = unit(np.random.default_rng(5).choice([-2, -1, 0, 1, 2], (12, DIMENSION)).astype(np.float32))
POOL = np.vstack((POOL, POOL[:4], -POOL[:2]))

keys = st.integers(-5, 40)
picks = st.integers(0, len(POOL) - 1)
adding = st.tuples(st.just("add"), st.lists(st.tuples(keys, picks), max_size=12))
removing = st.tuples(st.just("remove"), st.lists(keys, max_size=6))
changes = st.lists(adding | removing, max_size=12)
limits = st.sampled_from([0, 5, 20_000])  # above the limit, rows this few are all scored as well


def applied(index, model, change):
    """One change made to the index and to the dictionary that says what it must hold."""
    kind, given_rows = change
    if kind == "add":
        index.add(keys_of(key for key, _ in given_rows), POOL[[pick for _, pick in given_rows]])
        model.update((key, POOL[pick]) for key, pick in given_rows)
    else:
        index.remove(keys_of(given_rows))
        for key in given_rows:
            model.pop(key, None)


def built(steps, limit):
    index, model = FaissIndex(DIMENSION, exact_limit=limit), {}
    for change in steps:
        applied(index, model, change)
    return index, model


@given(changes, limits, st.integers(0, 50), picks)
@settings(deadline=None)
def test_search_answers_as_sorting_every_row_would(steps, limit, k, pick):
    index, model = FaissIndex(DIMENSION, exact_limit=limit), {}
    for change in steps:
        applied(index, model, change)
        assert pairs(index.search(POOL[pick], k)) == nearest(model, POOL[pick], k)
        assert len(index) == len(model)


@given(changes, limits, picks, st.lists(keys), st.lists(keys), st.integers(1, 9))
@settings(deadline=None)
def test_filters_leave_what_they_say(steps, limit, pick, allowed, excluded, k):
    index, model = built(steps, limit)
    left = {key: row for key, row in model.items() if key not in excluded}
    both = {key: row for key, row in left.items() if key in allowed}
    query, barred = POOL[pick], keys_of(excluded)
    assert pairs(index.search(query, k, excluded=barred)) == nearest(left, query, k)
    assert pairs(index.search(query, k, allowed=keys_of(allowed), excluded=barred)) == nearest(both, query, k)


@given(changes, limits, st.lists(picks, max_size=4), st.integers(0, 60))
@settings(deadline=None)
def test_within_takes_every_row_at_or_above_the_floor(steps, limit, chosen, rank):
    index, model = built(steps, limit)
    queries = POOL[chosen].reshape(-1, DIMENSION)
    ranked = [nearest(model, query) for query in queries]
    known = [value for found in ranked for _, value in found]
    floor = sorted(known)[rank % len(known)] if known else 0.5  # one that some row has exactly
    expected = [[pair for pair in found if pair[1] >= floor] for found in ranked]
    assert [pairs(answer) for answer in index.within_many(queries, floor)] == expected
    assert [pairs(index.within(query, floor)) for query in queries] == expected


@given(changes, limits)
@settings(deadline=None)
def test_vectors_come_back_as_they_were_given(steps, limit):
    index, model = built(steps, limit)
    wanted = sorted(model, reverse=True)
    assert np.array_equal(
        index.vectors(keys_of(wanted)), np.array([model[key] for key in wanted]).reshape(-1, DIMENSION)
    )
    assert all(key in index for key in model)
    assert all(key not in index for key in range(-5, 41) if key not in model)


@given(st.permutations(range(60)), st.sampled_from([1, 7, 60]), limits)
@settings(deadline=None, max_examples=some(90))
def test_the_order_of_adding_changes_no_bit_of_an_answer(order, batch, limit):
    vectors = clustered(60, 48, clusters=6, seed=3)
    index, other = FaissIndex(48, exact_limit=limit), FaissIndex(48, exact_limit=limit)
    index.add(np.arange(60), vectors)
    for start in range(0, 60, batch):
        some = keys_of(order[start : start + batch])
        other.add(some, vectors[some])
    for query in vectors[:3]:
        (first_keys, first), (second_keys, second) = index.search(query, 20), other.search(query, 20)
        assert first_keys.tobytes() == second_keys.tobytes()
        assert first.tobytes() == second.tobytes()


@given(changes, picks)
@settings(deadline=None)
def test_closing_the_gaps_of_removed_rows_changes_no_answer(steps, pick):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "MOST_DEAD", 2)
        index, model = built(steps, 5)
    assert pairs(index.search(POOL[pick], 50)) == nearest(model, POOL[pick])
