"""Doctor tells of processes that write to files of the store which were deleted under them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.store.sqlite.holders import read_lsof
from tests.conftest import talk
from tests.fakes import HashEmbedder

HOLDING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM turns").fetchone(), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list open files")
def test_doctor_names_a_process_whose_journal_was_deleted_under_it(tmp_path):
    store = tmp_path / "store"
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ana: hello"))
    command = [sys.executable, "-c", HOLDING, str(store / "memory.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdin is not None and other.stdout.readline()
        for end in ("-wal", "-shm"):
            (store / f"memory.db{end}").unlink()
        with Memory.open(store, embedder=HashEmbedder()) as memory:
            (wrong,) = [check for check in doctor(memory._core) if check.name == "files in use"]
        other.stdin.close()
    assert not wrong.ok and f"process {other.pid}" in wrong.detail and "memory.db-wal" in wrong.detail
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        assert [check.ok for check in doctor(memory._core) if check.name == "files in use"] == [True]


def test_what_lsof_says_is_understood():
    text = "p12\ncpython\nf3\nk1\nn/m/memory.db\nf4\nk0\nn/m/memory.db-wal\np13\ncvim\nf5\nk1\nn/m/other.txt\n"
    (found,) = read_lsof(Path("/m"), text)
    assert (found.pid, found.program, found.files, found.deleted) == (12, "python", ("memory.db",), ("memory.db-wal",))
