"""Rank fusion and diversity, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.recall.fuse import Ranked, diverse, rank_single_channel, reciprocal
from engramma.recall.search import ChannelHit
from engramma.records import Standing


def hits(*keys):
    return tuple(ChannelHit(key, 1.0 / rank, rank) for rank, key in enumerate(keys, 1))


def pointing(*degrees):
    angles = np.deg2rad(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float16)


def keys(ranked):
    return [found.key for found in ranked]


def test_a_score_is_the_sum_of_1_over_60_plus_rank():
    ranked = reciprocal({"semantic": hits(1, 2, 3), "lexical": hits(3, 1)}, 60, {})
    assert [(r.key, r.score) for r in ranked] == [
        (1, pytest.approx(1 / 61 + 1 / 62, abs=1e-9)),
        (3, pytest.approx(1 / 63 + 1 / 61, abs=1e-9)),
        (2, pytest.approx(1 / 62, abs=1e-9)),
    ]
    assert ranked[1].standings == {"semantic": Standing(3, 1 / 3), "lexical": Standing(1, 1.0)}


def test_two_middling_ranks_beat_one_first_rank():
    assert keys(reciprocal({"a": hits(1, 2), "b": hits(3, 2)}, 60, {}))[0] == 2
    assert (
        keys(reciprocal({"a": hits(1, *range(10, 80), 2), "b": hits(3, *range(80, 150), 2)}, 1, {1: 1, 3: 2}))[0] == 1
    )


def test_equals_fall_by_their_tie():
    channels = {"a": hits(1, 2), "b": hits(2, 1)}
    assert keys(reciprocal(channels, 60, {1: 5, 2: 9})) == [1, 2]
    assert keys(reciprocal(channels, 60, {1: 9, 2: 5})) == [2, 1]


def test_far_ranks_and_a_large_k_keep_their_order():
    many = list(range(3_000, 0, -1))
    for k in (60, 20_000):
        assert keys(reciprocal({"a": hits(*many)}, k, {})) == many


channel = st.lists(st.integers(1, 30), unique=True, max_size=20)


@given(st.lists(channel, min_size=1, max_size=4), st.randoms(), st.integers(1, 100))
def test_the_order_of_the_channels_does_not_matter(found, random, k):
    named = [(f"c{number}", hits(*listed)) for number, listed in enumerate(found)]
    shuffled = named[:]
    random.shuffle(shuffled)
    ties = {key: key * 7919 % 31 for key in range(31)}
    one, other = reciprocal(dict(named), k, ties), reciprocal(dict(shuffled), k, ties)
    assert [(r.key, r.score) for r in one] == [(r.key, r.score) for r in other]
    assert set(keys(one)) == {key for listed in found for key in listed}


def test_a_channel_alone_keeps_its_order_and_scores():
    assert rank_single_channel({"lexical": (ChannelHit(7, 8.4, 1), ChannelHit(3, 2.5, 2))}) == [
        Ranked(7, 8.4, {"lexical": Standing(1, 8.4)}),
        Ranked(3, 2.5, {"lexical": Standing(2, 2.5)}),
    ]


def test_diversity_at_07_prefers_the_weaker_that_says_something_new():
    """Relevance as a share of the best: 1, 0.9, 0.6. The second says what the first says (cosine 1), the third
    stands at a right angle (0): 0.7 x 0.9 - 0.3 x 1 = 0.33 < 0.42 = 0.7 x 0.6 - 0.3 x 0."""
    ranked = [Ranked(1, 0.10), Ranked(2, 0.09), Ranked(3, 0.06)]
    assert keys(diverse(ranked, pointing(0, 0, 90), 0.7, 3)) == [1, 3, 2]
    assert keys(diverse(ranked, pointing(0, 0, 90), 0.7, 2)) == [1, 3]
    # at 60 degrees: 0.7 x 0.6 - 0.3 x 0.5 = 0.27 < 0.33
    assert keys(diverse(ranked, pointing(0, 0, 60), 0.7, 3)) == [1, 2, 3]


def test_likeness_counts_against_the_nearest_of_those_chosen():
    """Third place: 3 is like 1 (cos 10 = 0.985), 4 like neither (cos 45 = 0.707): 0.7 x 0.5 - 0.3 x 0.985 = 0.055
    < 0.7 x 0.4 - 0.3 x 0.707 = 0.068."""
    ranked = [Ranked(1, 1.0), Ranked(2, 0.9), Ranked(3, 0.5), Ranked(4, 0.4)]
    assert keys(diverse(ranked, pointing(0, 90, 10, 45), 0.7, 4)) == [1, 2, 4, 3]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 359)), max_size=12), st.integers(1, 12))
def test_all_relevance_and_no_diversity_is_the_plain_order(found, wanted):
    found = sorted(found, key=lambda pair: -pair[0])
    ranked = [Ranked(number, score) for number, (score, _) in enumerate(found)]
    vectors = pointing(*(degrees for _, degrees in found))
    assert diverse(ranked, vectors, 1.0, wanted) == ranked[:wanted]


@given(st.lists(st.integers(0, 359), min_size=1, max_size=12), st.floats(0, 1), st.integers(1, 20))
def test_diversity_loses_nobody_and_keeps_the_best_first(degrees, balance, wanted):
    ranked = [Ranked(number, 1 / (number + 1)) for number in range(len(degrees))]
    chosen = keys(diverse(ranked, pointing(*degrees), balance, wanted))
    assert len(set(chosen)) == len(chosen) == min(wanted, len(ranked)) and chosen[0] == 0
