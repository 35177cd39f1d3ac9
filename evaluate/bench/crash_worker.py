"""Processes that may be killed, and a word on how far one is: shared by the two halves of crash.py."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any


def note(text: str) -> None:
    sys.stderr.write(text + "\n")


@dataclass(slots=True)
class Worker:
    """A command that is started again and again; what it prints to stderr is kept, for it should be nothing."""

    command: list[str]
    errors: list[str] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    said: Any = None

    def start(self) -> None:
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process has ended
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said
        )

    def kill(self) -> bool:
        """Kill it if it still runs; True if the signal was what ended it."""
        assert self.process is not None
        self.process.kill()
        return self.ended() < 0

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ended(self) -> int:
        """Wait for the end, keep what was said, return the exit code."""
        assert self.process is not None
        code = self.process.wait()
        if self.said is not None:
            self.said.seek(0)
            if text := self.said.read().decode("utf-8", "replace").strip():
                self.errors.append(text)
            elif code > 0:
                self.errors.append(f"exit code {code} without a word")
            self.said.close()
            self.said = None
        return code
