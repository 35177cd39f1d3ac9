"""Lists which segments were added or removed since a given change, for event listeners."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.core import Core
from ..store.links import list_visible_ids
from ..store.store import ADDED, REMOVED

MOST_IDS = 100  # segments named of one look
MOST_CHANGES = 10_000  # looked through; more are only counted


@dataclass(frozen=True, slots=True)
class Changed:
    """Which segments came and how many went; `more` where there were too many to name them all."""

    added: tuple[str, ...]
    removed: int
    more: bool


class Changes:
    """Writes by any process, as the store counts them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def last(self) -> int:
        """The number of the last change to this namespace."""
        return self._core.store.last_change()

    def told(self) -> int | None:
        """How many writes the database has told of by itself; None if it tells of none, and has to be asked."""
        store = self._core.store
        return store.database.heard(store.ns)

    def between(self, since: int, last: int) -> Changed:
        """What came and went after one change and up to another. Where too much happened, only that it did."""
        if last - since > MOST_CHANGES:
            return Changed((), 0, True)
        rows = self._core.store.all("changes_since", seq=since)
        came = {row["key"]: None for row in rows if row["op"] == ADDED}
        named = list_visible_ids(self._core.store, list(came)[-MOST_IDS:])
        removed = sum(row["op"] == REMOVED for row in rows)
        return Changed(tuple(named.values()), removed, len(came) > MOST_IDS)
