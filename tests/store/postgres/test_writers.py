"""Processes that write to one PostgreSQL while their connections are killed: a short run of the bench."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.engines

SCRIPT = Path(__file__).parents[3] / "evaluate" / "bench" / "writers.py"


def test_nothing_acknowledged_is_lost_or_doubled_when_connections_are_killed(schemas, tmp_path):
    out = tmp_path / "report.json"
    command = [
        sys.executable,
        str(SCRIPT),
        "--url",
        schemas.address("writers"),
        "--processes",
        "4",
        "--namespaces",
        "2",
        "--seconds",
        "8",
        "--least-kills",
        "10",
    ]
    done = subprocess.run([*command, "--json", str(out)], capture_output=True, encoding="utf-8")
    assert out.exists(), done.stderr[-3000:]
    report = json.loads(out.read_text())
    assert report["ok"], report
    assert report["connections_killed"] >= 10 and report["fewest_of_a_writer"] >= 1
