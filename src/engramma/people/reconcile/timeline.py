"""Timelines: which value held when, and whether a new one is a change or a contradiction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ...records.people import Claim, Period
from ..claims.alike_names import AlikeNames
from ..claims.relation_groups import OWN_BUSINESS, RelationGroup, role_text, slot_of
from ..claims.relations import relation as relation_named
from ..claims.values import find_name_stems, form, refines, same_name, same_value
from .workspace import Conflict, ConflictKind, find_start, order, start_day

# Between two values without a word of change: nobody moves or changes jobs unnoticed within days.
EVOLVES_AFTER = timedelta(days=7)
CHANGE = re.compile(
    r"\b(?:mov(?:ed|ing)|relocat\w+|left|leav(?:e|ing)|quit\w*|resign\w*|retir\w+|becam\w+|becom\w+|promot\w+|new"
    r"|start(?:ed|ing)?|began|switch\w*|chang\w+|joined|hired|now|nowadays|no longer|anymore|any more|used to|formerly"
    r"|previous\w*|recently|lately|just (?:got|bought|started|became|moved|left|finished|took)|since (?:then|last)"
    r"|got (?:a|the|married|engaged|divorced|hired|promoted|laid)|broke up|split up|divorc\w+|separated|ex)\b",
    re.IGNORECASE,
)
REMEMBERED = 50  # values of a line, the latest, that one that comes back is looked for among
HOLDS = ("fact",)  # a plan or a wish is no state


@dataclass(slots=True)
class _Open:
    """A value that holds while the claims are read in order."""

    claims: list[Claim]
    place: int = 0  # in its line
    ended: Claim | None = None  # which one says so

    @property
    def until(self) -> datetime | None:
        return None if self.ended is None else find_start(self.ended)


@dataclass(slots=True)
class _Line:
    """The values of one slot, in the order in which they began."""

    values: list[_Open] = field(default_factory=list)
    standing: list[_Open] = field(default_factory=list)  # of what holds once at a time: those that do, or did just now
    alike: AlikeNames[int] = field(default_factory=AlikeNames)  # of what may hold beside others: their places

    def near(self, claim: Claim, group: RelationGroup) -> list[_Open]:
        """The values that hold and that a claim may agree with or end."""
        if group.is_exclusive:
            self.standing = [one for one in self.standing if one.ended is None]
            return self.standing
        places = sorted({place for name in compared_names(claim) for place in self.alike.find(name)})
        return [self.values[place] for place in places if self.values[place].ended is None]

    def put(self, claim: Claim, group: RelationGroup, going_on: _Open | None = None) -> None:
        """Let a claim begin a value, or go on with one."""
        one = going_on or _Open([], len(self.values))
        one.claims.append(claim)
        if going_on is None:
            self.values.append(one)
        if group.is_exclusive:
            self.standing += [] if going_on else [one]
            return
        for name in compared_names(claim):
            self.alike.put(name, one.place)


def compared_names(claim: Claim) -> set[tuple[str, ...]]:
    """The words by which a claim agrees with others; see `agree`."""
    value = role_text(claim)
    named = find_name_stems(claim.value, claim.quote)
    return {form(value) or (value.strip().lower(),), *([named] if named else [])}


def periods(claims: Iterable[Claim], group: RelationGroup, person: str) -> tuple[Period, ...]:
    """What held when, in order; a value that is said again is one period, and one that comes back another."""
    kept, _ = build_timeline(claims, group, person)
    return kept


def conflicts(claims: Iterable[Claim], group: RelationGroup, person: str) -> tuple[Conflict, ...]:
    """Every place at which one value follows or meets another one: change, contradiction or disagreement."""
    _, found = build_timeline(claims, group, person)
    return found


def build_timeline(
    claims: Iterable[Claim], group: RelationGroup, person: str
) -> tuple[tuple[Period, ...], tuple[Conflict, ...]]:
    """Read a person's claims of one group in the order in which they hold."""
    slots: dict[str, _Line] = {}
    found: list[Conflict] = []

    def first(claim: Claim) -> tuple[object, ...]:  # who leaves a job to start a business does both in one turn
        return (find_start(claim), *order(claim)[:4], claim.relation not in (group.ends or {}), *order(claim)[4:])

    for claim in sorted((one for one in claims if one.modality in HOLDS), key=first):
        closed = (group.ends or {}).get(claim.relation)
        if closed and not claim.negated:
            _end([one for slot in closed if slot in slots for one in slots[slot].near(claim, group)], claim)
            continue
        slot = slot_of(claim, group)
        if slot is None:
            continue
        line = slots.setdefault(slot, _Line())
        if claim.negated:
            _deny(line, claim, group, slot)
        else:
            found += _put(line, claim, group, slot, person)
    kept = [
        Period(
            _said_as(one.claims[0]),
            role_text(one.claims[0]),
            find_start(one.claims[0]),
            one.until,
            tuple(one.claims),
            start_day(one.claims[0]),
            None if one.ended is None else start_day(one.ended),
        )
        for line in slots.values()
        for one in line.values
    ]
    return tuple(sorted(kept, key=lambda period: (period.since, order(period.claims[0])))), tuple(found)


def _said_as(claim: Claim) -> str:
    """The relation of a period: who founded a startup works as its founder."""
    return "works_as" if role_text(claim) != claim.value else claim.relation


def agree(one: Claim, other: Claim, group: RelationGroup, slot: str) -> bool:
    """Whether two claims of one slot can hold together; where names count, what is not named agrees with all."""
    first_value, second_value = role_text(one), role_text(other)
    if same_value(first_value, second_value) or refines(first_value, second_value):
        return True
    if slot in group.by_name:
        first, second = find_name_stems(one.value, one.quote), find_name_stems(other.value, other.quote)
        return same_name(first, second) or (group.is_exclusive and not (first and second))
    return False


def is_change(claim: Claim) -> bool:
    """Whether a claim itself says that something became different."""
    told = relation_named(claim.relation)
    return bool(told.fills or told.ends or claim.relation in ("founded", "started") or CHANGE.search(claim.quote))


def _put(line: _Line, claim: Claim, group: RelationGroup, slot: str, person: str) -> Sequence[Conflict]:
    """Let a claim hold: it goes on with an open value, or closes those that cannot hold beside it."""
    open_now = line.near(claim, group)
    for one in open_now:
        if agree(one.claims[-1], claim, group, slot) and agree(one.claims[0], claim, group, slot):
            line.put(claim, group, one)
            return ()
    others = [one for one in open_now if not _beside(one.claims[-1], claim, slot, group)]
    if not others:
        line.put(claim, group)
        return ()
    foreign = claim.speaker != person and any(held.speaker == person for one in others for held in one.claims)
    found = [_judged(one, claim, group, slot, person, line.values, foreign) for one in others]
    if foreign and not is_change(claim):
        return found  # what others say of somebody does not end what they say of themselves
    for one in others:
        one.ended = claim
    line.put(claim, group)
    return found


def _beside(held: Claim, claim: Claim, slot: str, group: RelationGroup) -> bool:
    """Whether both may hold: things of which there are many, two values in one breath, two roles in one sitting."""
    if not group.is_exclusive:
        return True
    if held.turn_ids[0] == claim.turn_ids[0] and held.conversation == claim.conversation and not is_change(claim):
        return True
    same_sitting = (held.conversation, held.session) == (claim.conversation, claim.session)
    return slot == "role" and same_sitting and not is_change(claim)


def _judged(
    one: _Open, claim: Claim, group: RelationGroup, slot: str, person: str, line: Sequence[_Open], foreign: bool
) -> Conflict:
    held = one.claims[-1]
    kind: ConflictKind
    if is_change(claim):
        kind = "evolution"
    elif foreign or held.speaker != claim.speaker:
        kind = "disagreement"
    elif _gap(held, claim) < EVOLVES_AFTER or (not is_change(held) and _came_back(one, claim, group, slot, line)):
        kind = "contradiction"
    else:
        kind = "evolution"
    return Conflict(kind, person, group.name, held, claim, _note(kind, held, claim, group))


def _came_back(one: _Open, claim: Claim, group: RelationGroup, slot: str, line: Sequence[_Open]) -> bool:
    """Whether a claim says again what ended before: one of the values before, not very long ago."""
    ended = (other for other in line[-REMEMBERED:] if other is not one and other.ended is not None)
    return any(agree(other.claims[0], claim, group, slot) for other in ended)


def _gap(held: Claim, claim: Claim) -> timedelta:
    if held.valid_to is not None and held.valid_to <= find_start(claim):
        return timedelta.max  # it was said to have ended before
    return find_start(claim) - find_start(held)


def _note(kind: ConflictKind, held: Claim, claim: Claim, group: RelationGroup) -> str:
    first, second = month(find_start(held)), month(find_start(claim))
    if kind == "evolution":
        verb = "moved" if group.name == "home" else "changed"
        return (
            f"Temporal evolution ({verb} between {first} and {second})"
            if first != second
            else (f"Temporal evolution ({verb} in {second})")
        )
    if kind == "disagreement":
        return f"{held.speaker} and {claim.speaker} say different things"
    return f"Both are said of the same time ({first}{f' to {second}' if first != second else ''}), without a change"


def _end(held: Sequence[_Open], claim: Claim) -> None:
    """Close what an event ends: all of it, unless it names what ended and something else is named there."""
    standing = [one for one in held if find_start(one.claims[0]) <= find_start(claim)]
    name = find_name_stems(claim.value, claim.quote)
    names = {id(one): find_name_stems(one.claims[0].value, one.claims[0].quote) for one in standing}
    if name and any(names.values()) and not any(same_name(name, other) for other in names.values()):
        return
    for one in standing:
        own_business = one.claims[0].relation in ("founded", "started") and not OWN_BUSINESS.search(claim.value)
        if not own_business and (not name or not names[id(one)] or same_name(name, names[id(one)])):
            one.ended = claim  # one leaves a job, and not with that word the business one founded


def _deny(line: _Line, claim: Claim, group: RelationGroup, slot: str) -> None:
    """Close the value that a claim says does not hold; "not in a flat" ends no city."""
    name = find_name_stems(claim.value, claim.quote)
    for one in line.near(claim, group):
        held = one.claims[-1]
        same = (
            same_name(name, find_name_stems(held.value, held.quote))
            if slot in group.by_name
            else (same_value(role_text(held), role_text(claim)))
        )
        if same:
            one.ended = max(claim, one.claims[0], key=find_start)


def month(at: datetime) -> str:
    """May 2023, the same in every locale."""
    return f"{_MONTHS[at.month - 1]} {at.year}"


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
