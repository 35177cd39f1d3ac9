"""Starts a store's relay in the background, stops it, and finds its address."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

from ...errors import EngrammaError
from ..daemon.folder import DaemonFolder, place_in, read_json
from ..daemon.processes import detached, ended, is_lock_held

PORT = 7734  # one beside the daemon's
START_SECONDS = 30.0
STOP_SECONDS = 20.0


class RelayError(EngrammaError):
    """The relay did not start or end."""


def relay_url(place: DaemonFolder) -> str | None:
    """The address of the relay that runs; None if none does."""
    url = read_json(place.relay).get("url")
    return url if isinstance(url, str) and _is_running(place) else None


def _is_running(place: DaemonFolder) -> bool:
    return is_lock_held(place.relay_lock)


def was_handed_out(place: DaemonFolder) -> bool:
    """Whether programs were given a relay's address: then there is to be one."""
    return isinstance(read_json(place.relay).get("port"), int)


def command_of(store: Path, port: int) -> list[str]:
    return [sys.executable, "-m", "engramma.apps.relay.serve", str(store), str(port)]


def start_relay(store: Path) -> str:
    """Start a relay that outlives this process, on the port it had before if it had one; returns its address."""
    place = place_in(store)
    place.make()
    if (url := relay_url(place)) is not None:
        return url
    port = read_json(place.relay).get("port")
    command = command_of(store.resolve(), port if isinstance(port, int) else PORT)
    process = detached(command, os.open(place.relay_log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        told = read_json(place.relay)
        if told.get("pid") == process.pid and answers(told.get("port")):
            process.returncode = 0  # it goes on without us, and that is no oversight
            return str(told["url"])
        if process.poll() is not None:
            if (url := relay_url(place)) is not None:  # another was faster
                return url
            raise RelayError(f"The relay exited immediately; see {place.relay_log}.")
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise RelayError(f"The relay did not answer within {START_SECONDS:.0f} s; see {place.relay_log}.")


def answers(port: object) -> bool:
    if not isinstance(port, int):
        return False
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def stop_relay(store: Path) -> bool:
    """End the relay, for good: the next `engramma start` starts none. False if none runs."""
    place = place_in(store)
    running = _is_running(place)
    pid = read_json(place.relay).get("pid")
    if running and isinstance(pid, int) and not ended(pid, lambda: _is_running(place), STOP_SECONDS):
        raise RelayError(f"Process {pid} did not exit within {STOP_SECONDS:.0f} s.")
    place.relay.unlink(missing_ok=True)
    return running
