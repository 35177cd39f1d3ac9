"""Decides which archived and retired segments a query sees."""

from __future__ import annotations

from ..language.times import to_micros
from ..records import Query

NEVER = 2**62  # later than anything


def until_of(query: Query) -> int | None:
    """The moment whose state is asked for, in microseconds."""
    return None if query.as_of is None else to_micros(query.as_of)


def view_of(query: Query) -> dict[str, int]:
    """What of the things set aside is looked at: archived ones, and those set aside after a moment."""
    until = until_of(query)
    return {"archived": int(query.archived), "since": NEVER if until is None else until}
