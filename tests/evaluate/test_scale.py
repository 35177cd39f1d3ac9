"""docs/explanation/scale.md has the tables that evaluate/scale.py makes, and the model behaves as a model should."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scale():
    spec = importlib.util.spec_from_file_location("scale", ROOT / "evaluate" / "scale.py")
    module = sys.modules["scale"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["scale"]


@pytest.mark.long
def test_the_page_has_the_tables_of_the_script(scale):
    text = (ROOT / "docs" / "explanation" / "scale.md").read_text(encoding="utf-8")
    made = scale.page_with(text, scale.measured(), scale.Assumed())
    assert text == made, "run `python evaluate/scale.py --write`"


def test_the_model_meets_what_was_measured_and_grows(scale):
    known, guess = scale.measured(), scale.Assumed()
    for segments, ms in known.recall_ms:
        assert scale.recall_ms(known, segments) == pytest.approx(ms)
    needs = [scale.need(known, guess, size) for size in scale.SIZES]
    for less, more in pairwise(needs):
        assert more.disk_gb == pytest.approx(10 * less.disk_gb) and more.dollars > less.dollars
    busier = scale.need(known, replace(guess, people_online=0.5), 10**10)
    assert busier.memory_gb == pytest.approx(5 * needs[-1].memory_gb)


def test_who_finds_cores_busy_waits_longer(scale):
    known = scale.measured()
    calm, busy = (scale.waiting(known, 2, share, questions=4_000) for share in (0.3, 0.9))
    assert busy[1] > 1.5 * calm[1] and calm[0] == pytest.approx(scale.core_ms(known, 100_000), rel=0.15)
