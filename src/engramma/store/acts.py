"""Acts: what was done to a namespace, with its reason, so that it can be looked up and taken back."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from ..errors import BadInput
from ..language.times import from_micros
from ..records import Act
from .sqlite.database import Row
from .store import Store


def add_act(store: Store, kind: str, reason: str, detail: Mapping[str, Any]) -> int:
    """Write down an act, inside the caller's transaction; returns its number."""
    row = store.one(
        "act_add",
        at=time.time_ns() // 1000,
        kind=kind,
        reason=reason,
        detail=json.dumps(detail, ensure_ascii=False, sort_keys=True),
    )
    assert row is not None
    return int(row["id"])


def get_act(store: Store, id: int) -> Act | None:
    row = store.one("act_get", id=id)
    return None if row is None else act_of(row)


def no_such_act(id: int) -> BadInput:
    """What a caller is told who names an act that is not there."""
    return BadInput(f"There is no act {id} in this memory. `engramma acts` lists them.")


def latest_acts(store: Store, limit: int) -> list[Act]:
    """The newest first."""
    return [act_of(row) for row in store.all("acts_latest", limit=limit)]


def acts_of_kind(store: Store, kind: str) -> list[Act]:
    """Those that were not undone, oldest first."""
    return [act_of(row) for row in store.all("acts_of_kind", kind=kind)]


def act_of(row: Row) -> Act:
    return Act(
        row["id"],
        from_micros(row["at"]),
        row["kind"],
        row["reason"],
        json.loads(row["detail"]),
        None if row["undone_at"] is None else from_micros(row["undone_at"]),
    )
