"""The crowd of evaluate/bench/crowd.py for a few seconds, and a process with two namespaces open that is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "evaluate" / "bench" / "crowd.py"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is what is tested")


def figures(tmp_path: Path, *options: str) -> dict[str, object]:
    out = tmp_path / "figures.json"
    command = [sys.executable, str(SCRIPT), "--keep", str(tmp_path / "work"), "--json", str(out), *options]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert out.exists(), done.stderr[-3000:]
    return json.loads(out.read_text())


@pytest.mark.long
def test_a_crowd_with_kills_loses_nothing_that_was_acknowledged(tmp_path):
    crowd = ("--minutes", "0.1", "--processes", "3", "--commands", "2", "--kills-a-minute", "90", "--no-graph")
    found = figures(tmp_path, *crowd)
    assert found["ok"], found
    assert found["acknowledged_turns"] > 10 and found["integrity_check"] == "ok" and found["doctor"] == "clean"


@pytest.mark.long
def test_what_a_process_with_two_namespaces_acknowledged_survives_commands_beside_it_and_a_kill(tmp_path):
    found = figures(tmp_path, "--two-namespaces", "2")
    assert found["ok"], found
    assert found["acknowledged"] == 20 and found["lost"] == 0 and found["rounds_without_locks"] == 0
