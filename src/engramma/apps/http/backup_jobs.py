"""Runs backup and restore jobs in a daemon: one at a time, with progress."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ...errors import EngrammaError
from ..daemon.logfile import locate_error
from .problems import RequestRefused

logger = logging.getLogger("engramma.http")

Told = Callable[[str, float], None]
MOST_SETTINGS = 100  # told of


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with backups now, or was done last: how far it is, and what came of it.

    `backup`: the one that was made; of a restore, the one that keeps what was there before. `settings`: what the
    restored backup's settings would change; they stay out, and `engramma restore --with-config` puts them in place.
    """

    what: Literal["backup", "restore"]
    state: Literal["running", "done", "failed"]
    step: str = ""
    part: float = 0.0
    backup: str | None = None
    failure: str | None = None
    settings: tuple[str, ...] = ()
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))


class BackupJobs:
    """One thing at a time is done with the backups of a daemon."""

    def __init__(self) -> None:
        self.work: Work | None = None
        self._lock = threading.Lock()

    def note_settings(self, changes: Sequence[str]) -> None:
        """Tell what was left out of a restore."""
        self._note(settings=tuple(changes[:MOST_SETTINGS]))

    def begin(self, work: Work, act: Callable[[Told], Path]) -> Work:
        """Do something in a thread of its own; refused while something is done already."""
        with self._lock:
            if self.work is not None and self.work.state == "running":
                raise RequestRefused(409, f"A {self.work.what} is in progress. Wait until it ends.")
            self.work = work
        threading.Thread(target=self._run, args=(act,), name="backups", daemon=True).start()
        return work

    def _run(self, act: Callable[[Told], Path]) -> None:
        try:
            made = act(lambda step, part: self._note(step=step, part=round(part, 3)))
            self._note(state="done", step="", part=1.0, backup=made.name)
        except EngrammaError as error:
            self._note(state="failed", failure=str(error))
        except Exception as error:
            logger.error("backup job failed: %s", locate_error(error))
            self._note(state="failed", failure="See the daemon's log for details. The memory was not changed.")

    def _note(self, **changed: Any) -> None:
        assert self.work is not None
        self.work = replace(self.work, **changed)
