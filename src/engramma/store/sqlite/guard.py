"""Keeps SQLite from writing a journal into its database when the last connection closes.

It would, if it could lock the file alone; and a journal that was deleted under us may be older than what another
program has written to the database since. The locks of this process do not stop it, so a child process takes one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED_FIRST, SHARED_SIZE = 0x40000002, 510  # the bytes that SQLite locks for reading, at any size of the file

CHILD = f"""
import fcntl, os, sys
descriptor = os.open(sys.argv[1], os.O_RDONLY)
fcntl.lockf(descriptor, fcntl.LOCK_SH, {SHARED_SIZE}, {SHARED_FIRST})
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def hold_guard(path: Path) -> Iterator[None]:
    """Nobody can lock the database alone while this lasts. Where files cannot be deleted under us there is no need."""
    if os.name != "posix" or not path.exists():
        yield
        return
    command = [sys.executable, "-I", "-S", "-c", CHILD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdout.readline()  # "held", or nothing if it could not
        try:
            yield
        finally:
            child.stdin.close()
            child.wait()
