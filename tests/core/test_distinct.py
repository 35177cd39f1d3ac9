"""Different values and quantiles are those that numpy gives."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from engramma.core.distinct import distinct, number_distinct, quantile_of


@pytest.mark.parametrize("values", [[], [3], [2, 2, 2], [5, 1, 5, -4, 1, 0], list(range(9, 0, -1))])
def test_different_values_are_numpys(values):
    array = np.array(values, np.int64)
    expected, numbers = np.unique(array, return_inverse=True)
    assert distinct(array).tolist() == expected.tolist()
    assert number_distinct(array).tolist() == numbers.tolist()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.937, 0.99, 1.0])
@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_quantiles_are_numpys(count, share):
    values = np.random.default_rng(count).normal(size=count)
    assert quantile_of(values, share) == pytest.approx(np.quantile(values, share), abs=1e-12)


def test_the_first_recall_imports_no_masked_arrays(tmp_path):
    code = (
        "import sys; from engramma import Memory, Turn; from datetime import datetime, UTC\n"
        "at = datetime(2024, 5, 1, tzinfo=UTC)\n"
        "with Memory.open(sys.argv[1]) as memory:\n"
        "    if sys.argv[2:]: memory.remember_session('c', 's', [Turn('Ann', f'Tea {n}', at) for n in range(3)])\n"
        "    else: memory.recall('What does Ann like?'); print('numpy.ma' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m"), "write"], check=True)
    told = subprocess.run([sys.executable, "-c", code, str(tmp_path / "m")], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "False"
