"""MCP servers, the daemon and an importer on one store, any of them killed: a short run of the bench."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).parents[2] / "evaluate" / "bench" / "mcp_crowd.py"


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is what is tested")
def test_nothing_acknowledged_is_lost_when_servers_daemon_and_importer_are_killed(tmp_path):
    out = tmp_path / "report.json"
    seconds, kills = ("6", "4") if os.environ.get("ENGRAMMA_LONG") else ("4", "2")
    command = [sys.executable, str(SCRIPT), "--servers", "2", "--seconds", seconds, "--kills", kills]
    done = subprocess.run([*command, "--json", str(out)], capture_output=True, encoding="utf-8")
    assert out.exists(), done.stderr[-3000:]
    report = json.loads(out.read_text())
    assert report["ok"], report
    assert sum(report["kills"].values()) >= 1 and report["acknowledged"] > 10
    assert report["doctor"] == "clean"
