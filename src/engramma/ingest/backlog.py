"""Reports how many segments wait for the embedder, and its state: for `status`, `stats` and `doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..language.times import format_time, from_seconds, parse_time
from ..models.outage import read_outage
from ..store.database import Database

NAME = "nothing waits for a vector"


@dataclass(frozen=True, slots=True)
class Backlog:
    """Segments that wait for their vectors; since when the embedder is away and why, None where it was last well."""

    segments: int
    away_since: datetime | None = None
    last_try: datetime | None = None
    reason: str | None = None

    def values(self) -> dict[str, Any]:
        """As JSON has it."""
        return {name: format_time(at) if isinstance(at, datetime) else at for name, at in asdict(self).items()}

    def __str__(self) -> str:
        away = "available when last asked"
        if self.away_since is not None and self.last_try is not None:
            since, tried = (f"{at:%Y-%m-%d %H:%M:%S} UTC" for at in (self.away_since, self.last_try))
            away = f"unavailable since {since} (last tried {tried}): {self.reason}"
        return f"{away}; {_waiting(self.segments)}" if self.segments else away


def told_backlog(values: Mapping[str, Any]) -> Backlog:
    """A backlog from its values."""
    times = {name: parse_time(values[name]) if values[name] else None for name in ("away_since", "last_try")}
    return Backlog(values["segments"] or 0, reason=values["reason"], **times)


def _waiting(segments: int) -> str:
    return f"{segments:,} segment{' waits for its vector' if segments == 1 else 's wait for their vectors'}"


def backlog_of(folder: Path, segments: int) -> Backlog:
    """What waits, with what the last try of this machine said."""
    outage = read_outage(folder)
    if outage is None:
        return Backlog(segments)
    since, tried = (from_seconds(at) for at in (outage.since, outage.tried))
    return Backlog(segments, since, tried, outage.reason)


def store_backlog(folder: Path, database: Database) -> Backlog:
    """What waits in all namespaces of a store."""
    return backlog_of(folder, sum(row["segments"] for row in database.all("reindex_waiting", {})))
