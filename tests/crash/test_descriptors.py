"""Nobody but SQLite opens or closes a descriptor of the database while this process has it open, whatever is called.

Closing any descriptor of a file drops every POSIX lock that the process holds on it: SQLite would stand unlocked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).with_name("descriptors.py")
ROOT = Path(__file__).parents[2]


def report(tmp_path: Path, *options: str) -> dict[str, object]:
    command = [sys.executable, str(SCRIPT), str(tmp_path / "store"), str(tmp_path / "other"), *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_no_face_opens_or_closes_the_database_itself_and_the_locks_stay(tmp_path):
    found = report(tmp_path)
    assert found["found"] == []
    assert len(found["ran"]) > 25
    if found["locks"] is not None:
        assert {"memory.db", "memory.db-shm"} <= set(found["locks"])


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this system does not tell of locks")
def test_the_watch_sees_every_way_to_open_a_file_and_the_locks_are_gone_then(tmp_path):
    found = report(tmp_path, "--spoil")
    assert {one["face"] for one in found["found"]} == {"Path.open", "os.open", "copy"}
    assert found["locks"] == []
