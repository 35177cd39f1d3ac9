"""Processes that outlive the one that starts them: begun, ended, and known by the lock they hold."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...files.locks import hold_lock


def detached(command: Sequence[str], log: int, **options: Any) -> subprocess.Popen[bytes]:
    """A process of its own session whose words go to a log, an open file that is closed here."""
    try:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/", **options
        )
    finally:
        os.close(log)


def ended(pid: int, is_running: Callable[[], bool], seconds: float) -> bool:
    """Tell a process to end; False if it still runs after so many seconds."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while is_running():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_lock_held(lock: Path) -> bool:
    """Does a process hold a lock?"""
    if not lock.exists():
        return False
    with hold_lock(lock) as is_alone:
        return not is_alone
