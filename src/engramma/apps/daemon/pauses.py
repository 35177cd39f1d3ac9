"""Pauses capture: a file that the proxy checks, and a record of the paused periods."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from ...language.times import format_time, parse_time
from .folder import DaemonFolder, read_json, write_json

LAST = datetime.max.replace(tzinfo=UTC)  # of a pause that goes on


def pause(place: DaemonFolder, minutes: float | None) -> None:
    """Leave a note for the proxy; it looks at it with every request."""
    place.make()
    now = datetime.now(UTC)
    until = format_time(now + timedelta(minutes=minutes)) if minutes is not None else ""
    place.paused.write_text(until, encoding="ascii")
    write_json(place.pauses, {"pauses": [*_ended(place, now), [format_time(now), until]]})


def resume(place: DaemonFolder) -> None:
    place.paused.unlink(missing_ok=True)
    if place.pauses.exists():
        write_json(place.pauses, {"pauses": _ended(place, datetime.now(UTC))})


def pauses(place: DaemonFolder) -> tuple[tuple[datetime, datetime], ...]:
    """From when until when nothing was to be captured."""
    told = read_json(place.pauses).get("pauses", [])
    return tuple((parse_time(begun), parse_time(until) if until else LAST) for begun, until in told)


def _ended(place: DaemonFolder, now: datetime) -> list[list[str]]:
    """The pauses so far, none of them lasting beyond now."""
    return [[format_time(begun), format_time(min(until, now))] for begun, until in pauses(place)]


def capture_of(place: DaemonFolder, is_on: bool) -> dict[str, Any]:
    """Is talk captured now, and if not, until when?"""
    if not is_on:
        return {"state": "off", "until": None}
    try:
        until = place.paused.read_text(encoding="ascii").strip()
    except OSError:
        return {"state": "on", "until": None}
    if until and datetime.fromisoformat(until) < datetime.now(UTC):
        return {"state": "on", "until": None}
    return {"state": "paused", "until": until or None}
