"""The measures: worked out by hand, and their laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.evaluate.metrics import (
    CUTS,
    all_at,
    any_at,
    dcg,
    means,
    ndcg_any,
    percentile,
    ranking_figures,
    recall_at,
    reciprocal_rank,
    summarize_values,
)

RANKED = ["a", "b", "c", "d", "e", "f"]


def test_recall_any_and_all_by_hand():
    gold = {"b", "e", "x"}
    assert [recall_at(RANKED, gold, k) for k in (1, 2, 5, 50)] == [0, 1 / 3, 2 / 3, 2 / 3]
    assert [any_at(RANKED, gold, k) for k in (1, 2, 5)] == [0, 1, 1]
    assert [all_at(RANKED, {"b", "e"}, k) for k in (4, 5)] == [0, 1]


def test_reciprocal_rank_by_hand():
    assert reciprocal_rank(RANKED, {"c", "f"}) == 1 / 3
    assert reciprocal_rank(RANKED, {"x"}) == 0


def test_dcg_weighs_the_first_two_ranks_alike():
    assert dcg([1, 0, 0]) == dcg([0, 1, 0]) == 1
    assert dcg([0, 0, 1]) == pytest.approx(1 / math.log2(3))
    assert dcg([]) == 0


def test_ndcg_by_hand():
    """Found at ranks 2 and 4 of two: (1 + 1/2) over the ideal 1 + 1."""
    assert ndcg_any(RANKED, {"b", "d"}, 10) == pytest.approx((1 + 1 / 2) / 2)
    # More gold than places: the ideal fills the places there are.
    assert ndcg_any(["a"], {"a", "b", "c"}, 1) == 1


def test_percentiles_lie_between_neighbours():
    assert percentile([4, 1, 3, 2], 0.5) == 2.5
    assert percentile([1, 2, 3], 1.0) == 3
    assert percentile([7], 0.95) == 7
    assert summarize_values([]) == {}
    assert summarize_values([1, 3])["mean"] == 2


def test_means_are_over_the_rows_that_have_the_measure():
    assert means([{"a": 1, "b": 0}, {"a": 0}]) == {"a": 0.5, "b": 0}


names = st.lists(st.integers(0, 30).map(str), unique=True, max_size=25)
golds = st.sets(st.integers(0, 30).map(str), min_size=1, max_size=8)


@given(names, golds)
def test_every_measure_lies_between_0_and_1(ranked, gold):
    assert all(0 <= value <= 1 + 1e-12 for value in ranking_figures("turn", ranked, gold).values())


@given(names, golds)
def test_recall_any_and_all_never_fall_with_k(ranked, gold):
    figures = ranking_figures("turn", ranked, gold)
    for name in ("recall", "any", "all"):
        values = [figures[f"turn_{name}@{k}"] for k in CUTS]
        assert values == sorted(values)


@given(names, golds)
def test_all_is_at_most_recall_is_at_most_any(ranked, gold):
    figures = ranking_figures("turn", ranked, gold)
    for k in CUTS:
        assert figures[f"turn_all@{k}"] <= figures[f"turn_recall@{k}"] <= figures[f"turn_any@{k}"]


@given(names, golds)
def test_a_perfect_ranking_gets_1(ranked, gold):
    perfect = [*sorted(gold), *(name for name in ranked if name not in gold)]
    figures = ranking_figures("session", perfect, gold)
    assert figures["session_recall@10"] == figures["session_all@50"] == figures["session_mrr"] == 1
    assert figures["session_ndcg@10"] == pytest.approx(1)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_percentiles_stay_within_the_values(values):
    assert min(values) <= percentile(values, 0.95) <= max(values) + 1e-6
