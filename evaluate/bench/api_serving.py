"""A daemon to ask: `engramma serve` as a process of its own over a store, for the benches of its API."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engramma.apps.daemon.folder import place_in, read_json

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()", "serve"]
START_SECONDS = 60.0
STOP_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Served:
    """Where a daemon answers, and what it wants to see."""

    url: str
    token: str
    pid: int

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def served(store: Path, log: Path) -> Iterator[Served]:
    """Start a daemon over a store, wait until it listens, and stop it in the end."""
    place = place_in(store)
    with log.open("wb") as file:
        process = subprocess.Popen([*COMMAND, "--store", str(store), "--port", "0"], stdout=file, stderr=file)
        try:
            deadline = time.monotonic() + START_SECONDS
            while not (state := read_json(place.state)).get("url"):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"The daemon did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")
                time.sleep(0.05)
            yield Served(state["url"], place.token.read_text(encoding="ascii").strip(), process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(STOP_SECONDS)
