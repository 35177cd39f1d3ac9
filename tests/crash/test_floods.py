"""Floods of half-sent requests without a token against a real daemon: a short run of the bench."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).parents[2] / "evaluate" / "bench" / "floods.py"
FLOODS = [
    "half-sent headers",
    "half-sent /login, 16 MiB announced",
    "half-sent /login, chunked",
    "half-sent /api bodies, no token",
    "idle keep-alive",
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory and descriptors are read from /proc")
def test_health_answers_throughout_and_memory_log_and_descriptors_stay_bounded(tmp_path: Path) -> None:
    out = tmp_path / "floods.json"
    command = [sys.executable, str(SCRIPT), "--seconds", "2.5", "--nofile", "256", "--scale", "0.3", "--json", str(out)]
    done = subprocess.run([*command, "--only", *FLOODS], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr  # it fails where /health did not answer
    for flood in json.loads(out.read_text())["floods"]:
        assert flood["asked"] > 0 and flood["unanswered"] == 0, flood
        assert flood["memory_growth_mib"] < 100 and flood["log_growth_kib"] < 64, flood
        assert flood["most_descriptors"] < 256, flood
