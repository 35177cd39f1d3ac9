"""Thresholds: the seed's numbers when fixed; when auto, a function of what is stored and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from engramma.core.thresholds import EDGE_QUANTILE, FLOOR_DEVIATIONS, calibrate, deviations, fixed, measure_sample
from engramma.recall.recipes import RECIPES

AUTO = RECIPES["default"]


def calibrated(vectors, sessions, probes, segments):
    return calibrate(AUTO, measure_sample(vectors, sessions, probes), segments)


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    return unit(rng.standard_normal((120, 64)) + 0.7), np.arange(120) // 6, unit(rng.standard_normal((24, 64)) + 0.3)


def test_fixed_thresholds_are_the_seeds():
    found = fixed(RECIPES["pmg"])
    assert (found.floor, found.edge, found.dedup) == (0.6, 0.6, 0.85)


def test_auto_thresholds_are_those_of_the_background(sample):
    vectors, sessions, probes = sample
    exact = vectors.astype(float)
    pairs = [float(exact[a] @ exact[b]) for a in range(120) for b in range(a + 1, 120) if sessions[a] != sessions[b]]
    asked = (probes.astype(float) @ exact.T).ravel()
    found = calibrated(vectors, sessions, probes, 120)
    assert found.mode == "auto"
    assert found.edge == pytest.approx(np.quantile(pairs, EDGE_QUANTILE), abs=1e-4)
    assert found.floor == pytest.approx(asked.mean() + deviations(120) * asked.std(), abs=1e-4)
    assert found.dedup == pytest.approx((1 + found.edge) / 2, abs=1e-4)
    assert found.background["pairs"] == len(pairs)


def test_a_model_whose_cosines_lie_higher_gets_higher_thresholds(sample):
    vectors, sessions, probes = sample
    shifted = unit(vectors.astype(float) + 0.1)
    low, high = calibrated(vectors, sessions, probes, 120), calibrated(shifted, sessions, probes, 120)
    assert high.edge > low.edge and high.dedup > low.dedup


def test_a_small_store_keeps_the_fixed_edge_but_has_a_floor_of_its_own(sample):
    vectors, sessions, probes = sample
    found = calibrated(vectors[:10], sessions[:10], probes, 10)
    assert (found.edge, found.dedup) == (0.6, 0.85) and found.floor != 0.6
    empty = calibrated(vectors[:0], sessions[:0], probes, 0)
    assert (empty.floor, empty.mode) == (0.6, "fixed")


def test_the_floor_grows_with_the_store_up_to_a_limit():
    found = [deviations(n) for n in (0, 1, 4, 100, 1_000, 10_000, 1_000_000)]
    assert found == sorted(found) and found[-1] == FLOOR_DEVIATIONS == found[-2]
    assert deviations(4) < 1.6


def test_the_order_of_the_sample_does_not_matter(sample):
    vectors, sessions, probes = sample
    order = np.random.default_rng(1).permutation(120)
    assert calibrated(vectors[order], sessions[order], probes, 120) == calibrated(vectors, sessions, probes, 120)


def test_figures_are_of_one_sample_only(sample):
    vectors, sessions, probes = sample
    figures = measure_sample(vectors, sessions, probes)
    other, moved = vectors.copy(), sessions.copy()
    other[3], moved[3] = vectors[4], sessions[3] + 50
    assert figures.is_of(vectors.copy(), sessions.copy())
    assert not (
        figures.is_of(other, sessions) or figures.is_of(vectors, moved) or figures.is_of(vectors[1:], sessions[1:])
    )
