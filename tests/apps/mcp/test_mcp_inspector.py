"""The MCP Inspector calls every tool (evaluate/bench/inspector.py): minutes, so only where it is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "evaluate" / "bench" / "inspector.py"
FOLDER = os.environ.get("ENGRAMMA_INSPECTOR")  # a folder where it is installed, or is to be


@pytest.mark.skipif(not FOLDER or shutil.which("npm") is None, reason="ENGRAMMA_INSPECTOR names no folder, or no npm")
def test_the_inspector_calls_every_tool():
    command = [sys.executable, str(SCRIPT), "--folder", str(FOLDER)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
