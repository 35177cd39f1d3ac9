"""Decisions in the store: whether things of one person are the same, with reason and evidence, undoable and overruled.

Each belongs to an act, so that it stands in the log and `undo` takes it back. A decision goes with the turns that it
rests on: purged or reworded, they take it with them; hidden, they hide it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from ...errors import BadInput
from ...records import Act
from ...records.people import Decision
from ...store.acts import add_act
from ...store.sqlite.database import Row
from ...store.store import Store

ACT = "decide"  # acts.kind


def put_decision(store: Store, decision: Decision, turns: Sequence[int], overrules: int | None = None) -> Decision:
    """Write a decision with the keys of the turns it rests on, inside the caller's transaction; returns it with its
    number. One that says what stands already is not written again."""
    standing = [one for one in read_decisions(store, decision.person, decision.entity) if not one.overruled]
    for one in standing:
        same = (one.verdict, one.conversations, one.by) == (decision.verdict, decision.conversations, decision.by)
        if same and one.id != overrules:
            return one
    row = store.one("decision_next")
    assert row is not None
    key = int(row[0])
    act = add_act(store, ACT, f"decision {key}: {decision.verdict}", {"decision": key})
    store.run(
        "decision_add",
        key=key,
        act=act,
        verdict=decision.verdict,
        person=decision.person,
        entity=decision.entity,
        conversations=json.dumps(decision.conversations, ensure_ascii=False),
        reason=decision.reason,
        evidence=json.dumps(decision.evidence, ensure_ascii=False),
        confidence=decision.confidence,
        made_by=decision.by,
        created_at=time.time_ns() // 1000,
    )
    store.many("decision_turn_add", ({"turn": turn, "decision": key} for turn in sorted({int(t) for t in turns})))
    if overrules is not None:
        store.run("decision_overruled", key=overrules, by=key)
    found = decision_get(store, key)
    assert found is not None
    return found


def read_decisions(store: Store, person: str | None = None, entity: str | None = None) -> list[Decision]:
    """What was decided and not taken back, by person and thing, the oldest first; overruled ones are marked."""
    return [decision_of(row) for row in store.all("decisions_listed", person=person, entity=entity, key=None)]


def decision_get(store: Store, key: int) -> Decision | None:
    row = store.one("decisions_listed", person=None, entity=None, key=key)
    return None if row is None else decision_of(row)


def undo_decision(store: Store, act: Act) -> None:
    """Take a decision back, inside the caller's transaction; what it overruled stands again."""
    key = act.detail.get("decision")
    if not isinstance(key, int):
        raise BadInput(f"Act {act.id} concerns a decision that is gone.")
    store.run("decision_undone", key=key, undone=1)
    store.run("decisions_overruled_by", by=key)


def decision_of(row: Row) -> Decision:
    return Decision(
        id=row["key"],
        verdict=row["verdict"],
        person=row["person"],
        entity=row["entity"],
        conversations=tuple(json.loads(row["conversations"])),
        reason=row["reason"],
        evidence=tuple(json.loads(row["evidence"])),
        confidence=row["confidence"],
        by=row["made_by"],
        overruled=bool(row["overruled"]),
    )
