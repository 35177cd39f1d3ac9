"""Pauses capture: a file that whatever captures checks, and a record of the paused periods."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...language.times import format_time, parse_time
from .folder import DaemonFolder, is_paused, place_in, read_json, write_json

if TYPE_CHECKING:
    from ...transfer.imports import Reading

LAST = datetime.max.replace(tzinfo=UTC)  # of a pause that goes on


def pause(place: DaemonFolder, minutes: float | None) -> None:
    """Note it down, and leave the file; it is looked at with every request."""
    place.make()
    now = datetime.now(UTC)
    until = format_time(now + timedelta(minutes=minutes)) if minutes is not None else ""
    write_json(place.pauses, {"pauses": [*_ended(place, now), [format_time(now), until]]})
    place.paused.write_text(until, encoding="ascii")


def resume(place: DaemonFolder) -> None:
    place.paused.unlink(missing_ok=True)
    if place.pauses.exists():
        write_json(place.pauses, {"pauses": _ended(place, datetime.now(UTC))})


def pauses(place: DaemonFolder) -> tuple[tuple[datetime, datetime], ...]:
    """From when until when nothing was to be captured."""
    told = read_json(place.pauses).get("pauses", [])
    return tuple((parse_time(begun), parse_time(until) if until else LAST) for begun, until in told)


def without_paused(store: Path, how: Reading) -> Reading:
    """How a source is read, without what was said while capture was paused."""
    return replace(how, except_for=pauses(place_in(store)))


def _ended(place: DaemonFolder, now: datetime) -> list[list[str]]:
    """The pauses so far, none of them lasting beyond now."""
    return [[format_time(begun), format_time(min(until, now))] for begun, until in pauses(place)]


def capture_of(place: DaemonFolder, is_on: bool) -> dict[str, Any]:
    """Is talk captured now, and if not, until when?"""
    if not is_on:
        return {"state": "off", "until": None}
    if not is_paused(place):
        return {"state": "on", "until": None}
    try:
        until = format_time(parse_time(place.paused.read_text(encoding="ascii").strip()))
    except (OSError, ValueError):
        until = None  # it lasts until it is resumed
    return {"state": "paused", "until": until}
