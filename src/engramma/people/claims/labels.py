"""Labels: what tells a thing of somebody from others of its kind, such as the name of a pet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...records.people import Claim
from .relation_groups import RelationGroup
from .values import find_name_stems, form, is_kind, strip_owner

LONGEST = 4  # words by which a thing without a name is told: more is a description


@dataclass(frozen=True, slots=True)
class Label:
    """What a thing is told apart by: a name's stems where it has one, and the words that were said."""

    name: tuple[str, ...]
    text: str


def label_among(claims: Sequence[Claim], group: RelationGroup) -> Label:
    """What tells a thing from others of its group: the name that is said first, else the first words for it."""
    telling = [claim for claim in claims if claim.relation in group.slots or claim.relation in (group.ends or {})]
    for claim in telling:
        if name := find_label(claim, group):
            return Label(name, strip_owner(claim.value))
    return Label((), strip_owner((telling or list(claims))[0].value))


def find_label(claim: Claim, group: RelationGroup) -> tuple[str, ...]:
    """The stems of the name by which a claim tells its thing from others; empty if it gives none."""
    if group.by_name:
        return find_name_stems(claim.value, claim.quote)
    stems = form(claim.value)
    return () if is_kind(claim.value) or len(stems) > LONGEST else stems
