"""The script that measures expansion at a fixed budget, on a small fixture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluate import fixtures

SCRIPT = Path(__file__).parents[2] / "evaluate" / "bench" / "expansion.py"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are in the repository, not in the package")


@pytest.mark.long
def test_every_way_is_measured_at_every_budget_and_stays_within_it(tmp_path):
    file = fixtures.locomo_file(tmp_path)
    command = [sys.executable, str(SCRIPT), str(file), "--budgets", "90", "4000", "--json", str(tmp_path / "out.json")]
    shown = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert record["command"].startswith("python evaluate/bench/expansion.py locomo.json --budgets 90 4000")
    assert record["dataset"]["sha256"] and str(tmp_path) not in json.dumps(record)
    assert len(record["ways"]) == 10 and all(label in shown for label in record["ways"])
    rows = {label: way["groups"]["all"] for label, way in record["ways"].items()}
    for row in rows.values():
        assert row["tokens@90"] <= 90 and 0 <= row["coverage@90"] <= row["coverage@4000"] <= 1
    assert rows["no expansion"]["candidates"] <= rows["lateral only"]["candidates"]
    assert rows["vertical only"]["candidates"] <= rows["both (default)"]["candidates"]
