"""Starts a daemon in the background, stops it, and queries its status."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...encryption import handed
from ..relay import control as relay
from .client import DaemonError, ask_daemon
from .folder import DaemonFolder, place_in, read_json
from .logfile import last_lines, rotate
from .processes import detached, ended
from .run import is_running
from .units import BEGUN

START_SECONDS = 60.0
STOP_SECONDS = 60.0


def start_daemon(store: Path, options: Sequence[str]) -> dict[str, Any]:
    """Start a daemon that outlives this process; returns once it answers."""
    place = place_in(store)
    place.make()
    if relay.was_handed_out(place):
        with suppress(relay.RelayError):  # the daemon serves without it, and `status` shows that there is none
            relay.start_relay(store)
    if is_running(place):
        return {"was_running": True, **ask_daemon_status(store)}
    command = [sys.executable, "-c", BEGUN, "--store", str(store), "serve", *options]
    descriptor = os.open(place.log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    rotate(descriptor, place.log)
    with handed(store) as key:  # of an encrypted store: whoever starts the daemon may be asked for it, once
        process = detached(command, descriptor, **key)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            if process.returncode and is_running(place):  # another command was quicker
                return {"was_running": True, **_answer_in_time(store, deadline)}
            raise DaemonError(f"The daemon exited immediately. {_last_words(place)}")
        with suppress(DaemonError):
            told = ask_daemon_status(store)
            was_running = told.get("pid") != process.pid
            process.returncode = 0  # it goes on without us, and that is no oversight
            return {"was_running": was_running, **told}
        time.sleep(0.1)
    raise DaemonError(f"The daemon did not answer within {START_SECONDS:.0f} s; see `engramma logs`.")


def _answer_in_time(store: Path, deadline: float) -> dict[str, Any]:
    """What a daemon says that has just begun."""
    while True:
        try:
            return ask_daemon_status(store)
        except DaemonError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _last_words(place: DaemonFolder) -> str:
    if said := last_lines(place.log, 5).strip():
        return f"Its last log lines:\n{said}"
    return f"It could not write to its log, {place.log}: is there space left on the disk? `engramma serve` tells more."


def stop_daemon(store: Path) -> bool:
    """End the daemon in good order: what is spooled is stored first. False if none runs."""
    place = place_in(store)
    if not is_running(place):
        return False
    pid = read_json(place.state).get("pid")
    if not isinstance(pid, int):
        raise DaemonError(f"A daemon runs, but {place.state} does not say which process it is. Stop it by hand.")
    if not ended(pid, lambda: is_running(place), STOP_SECONDS):
        raise DaemonError(f"Process {pid} did not exit within {STOP_SECONDS:.0f} s; see `engramma logs`.")
    return True


def ask_daemon_status(store: Path) -> dict[str, Any]:
    """What the running daemon says of itself."""
    return ask_daemon(place_in(store), "GET", "/api/status")
