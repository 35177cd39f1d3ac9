"""What readers of messengers share: sessions whose names outlive a shorter export, and counts of the skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, timedelta

from ..records import Problem, Session, Turn
from .sessions import sittings


def sessions_by_start(conversation_id: str, turns: Iterable[Turn], gap: timedelta) -> Iterator[Session]:
    """Sessions by the idle gap, named by the time at which they begin, one at a time.

    Not by their order: a messenger exports a span of time or the last so many messages, so the
    first session of one export is the hundredth of another.
    """
    for number, sitting in enumerate(sittings(turns, gap), start=1):
        began = sitting[0].said_at
        # Without any time there is one sitting; a number says so.
        name = f"{began.astimezone(UTC):%Y%m%dT%H%M%S}" if began else str(number)
        yield Session(f"{conversation_id}-{name}", tuple(sitting))


def skipped(path: str, where: str, counts: Counter[str]) -> list[Problem]:
    """One note for what a format holds beside the talk, with how often each kind of it was met."""
    if not counts:
        return []
    listed = ", ".join(f"{kind} ({count})" for kind, count in sorted(counts.items()))
    return [Problem(path, where, f"not messages: {listed}; skipped")]
