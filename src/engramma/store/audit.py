"""The audit trail: one row per request, written in the same transaction as the change itself.

A face says on whose behalf it acts (`acting`); every transaction of a namespace then notes it. The counts are those
of the statements that ran. No text, no id and no name of what was written is kept.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..language.times import from_micros
from .database import Database

if TYPE_CHECKING:
    from ..records.team import Audited

STORE = 0  # the number under which stands what concerns the store as a whole
NEWEST = "~"  # sorts behind every id

# What is counted, and as what.
COUNTED = {
    "turn_add": "turns",
    "turn_hidden": "turns_hidden_or_shown",
    "turn_delete": "turns_deleted",
    "segment_add": "segments",
    "segment_delete": "segments_deleted",
    "note_put": "notes",
    "note_retag": "notes_retagged",
    "repeat_put": "repeats",
    "repeat_hidden": "repeats_hidden",
    "repeats_purge": "repeats_deleted",
    "link_put": "links",
    "link_delete": "links_deleted",
    "act_add": "acts",
    "act_undone": "acts_undone",
}


@dataclass(slots=True)
class Doing:
    """A request that may write: who, what, and what it did so far."""

    who: str
    what: str
    id: str
    at: int
    counts: dict[str, int] = field(default_factory=dict)

    def row(self) -> dict[str, str | int]:
        counts = json.dumps(self.counts, sort_keys=True)
        return {"id": self.id, "at": self.at, "who": self.who, "what": self.what, "counts": counts}


_doing: ContextVar[Doing | None] = ContextVar("doing", default=None)


@contextmanager
def acting(who: str, what: str) -> Iterator[None]:
    """What is written meanwhile, in this thread, is somebody's."""
    token = _doing.set(_begun(who, what))
    try:
        yield
    finally:
        _doing.reset(token)


def begin(who: str, what: str) -> None:
    """The same up to the end of this context: a request's, or a tool's call."""
    _doing.set(_begun(who, what))


def _begun(who: str, what: str) -> Doing:
    now = time.time_ns() // 1000
    return Doing(who, what, f"{now:016x}{secrets.token_hex(4)}", now)


def doing() -> Doing | None:
    """Whose request this is, if it is to be noted."""
    return _doing.get()


def count_statement(name: str, rows: int) -> None:
    """A statement ran and touched so many rows."""
    if rows > 0 and (what := COUNTED.get(name)) is not None and (now := _doing.get()) is not None:
        now.counts[what] = now.counts.get(what, 0) + rows


def note_store(database: Database, who: str, what: str, counts: Mapping[str, int | str]) -> None:
    """Note something about the store as a whole, inside the caller's transaction."""
    row = _begun(who, what).row()
    database.run("audit_put", {**row, "ns": STORE, "counts": json.dumps(counts, ensure_ascii=False, sort_keys=True)})


def note_doing(database: Database, counts: Mapping[str, int | str]) -> None:
    """The same, if it is on somebody's behalf."""
    if (now := _doing.get()) is not None:
        note_store(database, now.who, now.what, counts)


def read_audit(
    database: Database, ns: int, namespace: str | None, limit: int, who: str | None = None, before: str | None = None
) -> list[Audited]:
    """The newest first."""
    from ..records.team import Audited  # users and their tokens: no store is opened for them

    asked = {"ns": ns, "limit": limit, "who": who, "before": before or NEWEST}
    return [
        Audited(row["id"], from_micros(row["at"]), row["who"], row["what"], namespace, json.loads(row["counts"]))
        for row in database.all("audit_list", asked)
    ]
