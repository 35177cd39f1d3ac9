"""Counts how often notes are recalled: a note of use is worth keeping."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.core import Core
from ..core.names import segment_key
from ..errors import EngrammaError
from ..language.text import NOTES
from ..language.times import to_micros
from ..records import Recall

COUNT_AFTER = 20  # recalled notes are counted in the store this many at a time


def count_recalled(core: Core) -> None:
    """Write down how often notes were recalled. Best effort: what others keep from being written waits."""
    counted, core.recalled = core.recalled, {}
    if not counted:
        return
    try:
        rows = ({"key": segment_key(core, id), "hits": hits, "at": at} for id, (hits, at) in counted.items())
        known = [row for row in rows if row["key"] is not None]
        with core.store.transaction(wait=False):
            core.store.many("use_add", known)
    except EngrammaError:
        for id, (hits, at) in counted.items():
            _count(core, id, hits, at)


def note_recalled(core: Core, found: Recall) -> None:
    """Count the notes among the entries; now and then the store learns of it."""
    now = to_micros(datetime.now(UTC))
    for entry in found.entries:
        if entry.conversation_id == NOTES:
            _count(core, entry.segment_id, 1, now)
    if sum(hits for hits, _ in list(core.recalled.values())) >= COUNT_AFTER:
        count_recalled(core)


def _count(core: Core, id: str, hits: int, at: int) -> None:
    before = core.recalled.get(id, (0, 0))
    core.recalled[id] = (before[0] + hits, max(before[1], at))
