"""`python -m engramma` is the command: the same words, the same exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ran

pytestmark = pytest.mark.long


def as_module(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engramma", *arguments], capture_output=True, text=True, encoding="utf-8", timeout=120
    )


def test_the_module_runs_the_command(tmp_path: Path):
    store = str(tmp_path / "store")
    noted = as_module("--store", store, "remember", "The ladder is behind the shed", "--at", "2026-03-02T10:00:00Z")
    assert noted.returncode == 0, noted.stderr
    found = as_module("--store", store, "recall", "Where is the ladder?")
    assert found.returncode == 0 and found.stdout == ran("--store", store, "recall", "Where is the ladder?").stdout
    wrong = as_module("--store", store, "recall", "x", "-n", "nobody")
    assert wrong.returncode == 1 and wrong.stderr.startswith("engramma:") and "Traceback" not in wrong.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_command_whose_output_was_closed_does_its_work(tmp_path: Path, closed: str):
    store = str(tmp_path / "store")
    line = f'"$0" -m engramma --store "$1" remember "The ladder is behind the shed" {closed}'
    done = subprocess.run(["sh", "-c", line, sys.executable, store], capture_output=True, text=True, timeout=120)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "ladder" in ran("--store", store, "recall", "Where is the ladder?").stdout
