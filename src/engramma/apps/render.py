"""One renderer for every face: records as JSON values, and as text for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from ..records import Problem, Recall, RememberReport
from ..times import format_time


def as_value(thing: Any) -> Any:
    """A record as plain JSON values, its fields in the order of their definition."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return {f.name: as_value(getattr(thing, f.name)) for f in fields(thing)}
    if isinstance(thing, datetime):
        return format_time(thing)
    if isinstance(thing, Mapping):
        return {str(key): as_value(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple | set | frozenset):
        return [as_value(value) for value in thing]
    return thing


def as_json(thing: Any) -> str:
    return json.dumps(as_value(thing), ensure_ascii=False, indent=2)


def recall_notes(found: Recall) -> list[str]:
    """What a person should know about how this recall came about."""
    lines = list(found.trace.notes)
    counts = found.trace.counts
    if counts.get("left_out_of_context"):
        lines.append(f"{counts['left_out_of_context']} candidates did not fit into the context's budget")
    return lines


def report_line(report: RememberReport) -> str:
    """What a write added, in one line."""
    parts = [
        plural(report.sessions, "session"),
        plural(report.turns, "turn"),
        plural(report.segments, "segment"),
        plural(report.edges, "edge"),
    ]
    line = "added " + ", ".join(parts)
    if report.known_turns:
        line += f"; {plural(report.known_turns, 'turn')} known already"
    return line


def problem_lines(problems: Iterable[Problem], limit: int = 20) -> list[str]:
    found = list(problems)
    lines = [f"{p.path}: {p.where}: {p.reason}" for p in found[:limit]]
    if len(found) > limit:
        lines.append(f"… and {len(found) - limit} more (use --json to see them all)")
    return lines


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def size(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError
