"""Remembers, in a small file beside the store, that the embedder could not be used: since when, why, when to try again.

Reachability belongs to a machine, not to a database, so it is a file. Every process reads it: one failed try keeps
all of them from waiting for the same server at once.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ..files import foreign_json

OUTAGE_FILE = "embedder-away.json"
PAUSE_FACTOR = 10  # the next try waits so many times as long as the last one took: a tenth of the time is lost at most
LONGEST_PAUSE = 60.0  # seconds
LONGEST_REASON = 500  # characters


@dataclass(frozen=True, slots=True)
class Outage:
    """What is known of an embedder that cannot be used; times in seconds since 1970."""

    since: float
    tried: float
    again: float
    reason: str
    embedder: str = ""  # which one; empty in files of earlier versions

    def is_over(self, now: float) -> bool:
        """Whether it may be tried again. A clock that was set back keeps nobody waiting."""
        return not self.tried <= now < min(self.again, self.tried + LONGEST_PAUSE)


def read_outage(folder: Path) -> Outage | None:
    """The outage that some process of this machine noted; None where the last try went well."""
    try:
        told = foreign_json.loads((folder / OUTAGE_FILE).read_text(encoding="utf-8"))
        times = [float(told[name]) for name in ("since", "tried", "again")]
        return Outage(times[0], times[1], times[2], str(told["reason"])[:LONGEST_REASON], str(told.get("embedder", "")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def note_outage(folder: Path, embedder: str, reason: str, seconds: float) -> None:
    """Note a try that failed after so many seconds. Best effort: a full or read-only disk does no further harm."""
    now, before = time.time(), read_outage(folder)
    pause = min(LONGEST_PAUSE, PAUSE_FACTOR * seconds)
    told = Outage(
        now if before is None else min(before.since, now), now, now + pause, reason[:LONGEST_REASON], embedder
    )
    new = folder / f"{OUTAGE_FILE}.{os.getpid()}.new"
    with suppress(OSError):
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(told), file)
        os.replace(new, folder / OUTAGE_FILE)


def end_outage(folder: Path) -> None:
    with suppress(OSError):
        (folder / OUTAGE_FILE).unlink(missing_ok=True)
