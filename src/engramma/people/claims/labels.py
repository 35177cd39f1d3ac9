"""Labels: what tells a thing of somebody from others of its kind, such as the name of a pet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...records.people import Claim
from .relation_groups import Group
from .values import form, is_kind, named, plain

LONGEST = 4  # words by which a thing without a name is told: more is a description


@dataclass(frozen=True, slots=True)
class Label:
    """What a thing is told apart by: a name's stems where it has one, and the words that were said."""

    name: tuple[str, ...]
    text: str


def label_among(claims: Sequence[Claim], group: Group) -> Label:
    """What tells a thing from others of its group: the name that is said first, else the first words for it."""
    telling = [claim for claim in claims if claim.relation in group.slots or claim.relation in (group.ends or {})]
    for claim in telling:
        if name := label_of(claim, group):
            return Label(name, plain(claim.value))
    return Label((), plain((telling or list(claims))[0].value))


def label_of(claim: Claim, group: Group) -> tuple[str, ...]:
    """The stems of the name by which a claim tells its thing from others; empty if it gives none."""
    if group.by_name:
        return named(claim.value, claim.quote)
    stems = form(claim.value)
    return () if is_kind(claim.value) or len(stems) > LONGEST else stems
