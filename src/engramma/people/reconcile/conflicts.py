"""Conflicts in the store: claims of one person that cannot both hold, by their keys, until somebody looks at them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from ...records.people import Claim
from ...store.store import Store
from ..entities.name_forms import form_hash
from .workspace import Conflict

CONTRADICTION, DISAGREEMENT = 1, 0  # conflicts.sure


def write_conflicts(store: Store, person: int, groups: Collection[str], found: Iterable[Conflict]) -> None:
    """Put a person's conflicts of some groups in place of those that were known, inside the caller's transaction.

    What changed over time is no conflict.
    """
    store.run("conflicts_drop", person=person, groups=json.dumps(sorted(groups)))
    store.many(
        "conflict_add",
        (
            {
                "item": _item_of(one.earlier, one.later),
                "person": person,
                "about": one.entity,
                "sure": CONTRADICTION if one.kind == "contradiction" else DISAGREEMENT,
                "earlier": one.earlier.id,
                "of": one.earlier.relation,
                "later": one.later.id,
                "to": one.later.relation,
            }
            for one in found
            if one.kind != "evolution" and one.entity in groups
        ),
    )


def _item_of(earlier: Claim, later: Claim) -> int:
    """A number for two claims that meet, the same however often they are extracted."""
    return form_hash(f"{earlier.id} {later.id}")
