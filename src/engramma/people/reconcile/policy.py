"""The policy: whether a person's thing in one conversation is the thing in another one, decided without a model.

The same owner is given: things of two people are never compared. What is left is whether they share a name, whether
their states can follow each other, and whether something that holds once at a time is said twice of the same time.
Confidences order decisions by how much speaks for them; they are no probabilities. What is unclear stays apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...records.people import Claim, OneOrTwo
from ..claims.alike_names import AlikeNames
from ..claims.relation_groups import GROUPS, RelationGroup, group_of, role_text, slot_of
from ..claims.values import find_name_stems, form, same_name, same_value, strip_owner
from .timeline import HOLDS, build_timeline, compared_names, is_change, month
from .workspace import Aspect, Conflict, find_start, name_turn, order

POLICY = "policy"  # who decided, where no model and no user did

SHARED_NAME, SHARED_ROLE, TOLD_CHANGE, FOLLOWS, FITS, SHARED_WORDS = 0.9, 0.8, 0.8, 0.65, 0.55, 0.55
OTHER_PARTNER, AT_ONCE, UNCLEAR = 0.85, 0.7, 0.35
ENOUGH_WORDS = 2  # that both sides say of what is only planned: one may be anything ("local", "good")
EACH_SIDE = 3  # turns of evidence from each side at most

# Which stage of a relationship a claim tells: by its relation, or by the noun for a partner without a name.
_STAGES = {"dating": "dating", "engaged_to": "engaged", "married_to": "married"}
_NOUNS = {
    **dict.fromkeys(("wife", "husband", "spouse", "hubby"), "married"),
    **dict.fromkeys(("girlfriend", "boyfriend"), "dating"),
    **dict.fromkeys(("fiance", "fiancé", "fiancee", "fiancée"), "engaged"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two things are one, why, resting on which claims, how sure, and who says so."""

    verdict: OneOrTwo
    reason: str
    claims: tuple[Claim, ...]
    confidence: float
    by: str = POLICY

    @property
    def evidence(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name_turn(claim) for claim in self.claims))


def decide(one: Aspect, other: Aspect) -> Verdict | None:
    """The policy's decision about two things of one person from different conversations; None if nothing asks for one.

    `one` began first. Pets, relatives and projects are only asked about where they are called the same.
    """
    group = GROUPS[one.group]
    if one.person != other.person or one.group != other.group:
        raise ValueError("only things of one person and one kind are compared")
    return _of_many(one, other, group) if group.many else _of_one_line(one, other, group)


# --- things that go on: job, home, education ---------------------------------------------------------


def _of_one_line(one: Aspect, other: Aspect, group: RelationGroup) -> Verdict:
    person = one.person
    _, found = build_timeline((*one.claims, *other.claims), group, person)
    mine = {id(claim) for claim in one.claims}
    across = [met for met in found if (id(met.earlier) in mine) != (id(met.later) in mine)]
    clash = next((met for met in across if met.kind != "evolution"), None)
    told = f"Both conversations are about {person}'s {group.name} ({group.about})."
    shared = _shared(one, other, group)
    if shared and clash is None:
        first, second, slot = shared
        surety = SHARED_NAME if slot in group.by_name else SHARED_ROLE
        return _merge(f"{told} Both name {role_text(first)}. {_times(one, other)}", one, other, surety, first, second)
    if clash is not None and not (shared and shared[2] in group.by_name):
        return _separate(_clash(clash, told), one, other, AT_ONCE, clash.earlier, clash.later)
    if shared:
        first, second, _ = shared
        return _merge(f"{told} Both name {role_text(first)}. {_times(one, other)}", one, other, FITS, first, second)
    if across:
        last = across[-1]
        step = f'"{role_text(last.earlier)}" in {month(find_start(last.earlier))}, then "{role_text(last.later)}" in '
        sure = TOLD_CHANGE if is_change(last.later) else FOLLOWS
        how = "and a change is told" if is_change(last.later) else "with time between them"
        reason = f"{told} The states follow each other: {step}{month(find_start(last.later))}, {how}."
        return _merge(f"{reason} {_unnamed(one, other, group)}".strip(), one, other, sure, last.earlier, last.later)
    return _without_a_step(one, other, group, told)


def _without_a_step(one: Aspect, other: Aspect, group: RelationGroup, told: str) -> Verdict:
    """No value follows or meets another one: do the two sides fit, or does nothing connect them?"""
    first, second = _settled(one, group), _settled(other, group)
    if first and second:
        reason = f"{told} Nothing in one excludes what the other says. {_times(one, other)}"
        return _merge(f"{reason} {_unnamed(one, other, group)}".strip(), one, other, FITS)
    words = _words(one) & _words(other) - _common_words(group, one.person)
    ended = [claim for claim in (*first, *other.claims) if claim.relation in (group.ends or {})]
    if first and ended:
        reason = f"{told} What one says of it has ended in the other. {_times(one, other)}"
        return _merge(reason, one, other, FOLLOWS, first[-1], ended[-1])
    if len(words) >= ENOUGH_WORDS:
        return _merge(f"{told} They share the words {', '.join(sorted(words)[:4])}.", one, other, SHARED_WORDS)
    reason = f"{told} Nothing named in one is named in the other, and no state follows from the other: unclear."
    return _separate(reason, one, other, UNCLEAR)


def _shared(one: Aspect, other: Aspect, group: RelationGroup) -> tuple[Claim, Claim, str] | None:
    """Two claims of one slot that name the same, those of a named slot first."""
    found = []
    others, places = _settled(other, group), AlikeNames[int]()
    for place, second in enumerate(others):
        for name in compared_names(second):
            places.put(name, place)
    for first in _settled(one, group):
        slot = slot_of(first, group)
        for place in {place for name in compared_names(first) for place in places.find(name)}:
            second = others[place]
            if slot is None or slot != slot_of(second, group):
                continue
            if slot in group.by_name:
                is_same = same_name(
                    find_name_stems(first.value, first.quote), find_name_stems(second.value, second.quote)
                )
            else:
                is_same = same_value(role_text(first), role_text(second))
            if is_same:
                found.append((slot not in group.by_name, first, second, slot))
    if not found:
        return None
    _, first, second, slot = min(found, key=lambda one: (one[0], order(one[1]), order(one[2])))
    return first, second, slot


def _clash(clash: Conflict, told: str) -> str:
    first, second = clash.earlier, clash.later
    when = " and ".join(dict.fromkeys(month(find_start(claim)) for claim in (first, second)))
    return (
        f'{told} "{role_text(first)}" and "{role_text(second)}" cannot both hold and are said of overlapping times '
        f"({when}) without a change."
    )


def _unnamed(one: Aspect, other: Aspect, group: RelationGroup) -> str:
    """ "my company" in one conversation may well be the one that the other names."""
    sides: list[tuple[str, Claim]] = []
    for slot in sorted(group.by_name):
        for aspect in (one, other):
            claims = [claim for claim in _settled(aspect, group) if slot_of(claim, group) == slot]
            name = next((claim for claim in claims if find_name_stems(claim.value, claim.quote)), None)
            if name is not None:
                sides.append((slot, name))
        if len(sides) == 1:
            slot, claim = sides[0]
            return (
                f"Only {claim.conversation} names the {slot} ({strip_owner(claim.value)}); the other may well mean it."
            )
    return ""


# --- things of which there are many: partners, pets, relatives, projects -------------------------------


def _of_many(one: Aspect, other: Aspect, group: RelationGroup) -> Verdict | None:
    first, second = one.label, other.label
    told = f"Both conversations are about {group.about} of {one.person}."
    if first.name and second.name:
        if same_name(first.name, second.name):
            return _merge(f"{told} Both name {first.text}.", one, other, SHARED_NAME)
        if not group.is_exclusive:
            return None
        gap = f"Between {month(one.last)} and {month(other.since)} the first one ended or was another one"
        reason = f"Different partners ({first.text} and {second.text}). {gap}: two of them, not one that changed."
        return _separate(reason, one, other, OTHER_PARTNER)
    if group.is_exclusive:
        stages = _stages(one) & _stages(other)
        if stages and not _overlap(one, other):
            return _merge(
                f"{told} Both are {', '.join(sorted(stages))}, and one of them gives no name.", one, other, FITS
            )
        return _separate(f"{told} One of them gives no name, so they may be two: unclear.", one, other, UNCLEAR)
    if bool(first.name) != bool(second.name) or not same_value(first.text, second.text):
        return None
    if group.by_name and "has_parent" not in {fact.relation for fact in (*one.facts, *other.facts)}:
        return _separate(f'{told} Both say "{first.text}" and no name: unclear.', one, other, UNCLEAR)
    return _merge(f'{told} Both say "{first.text}".', one, other, SHARED_ROLE)


def _stages(aspect: Aspect) -> set[str]:
    by_noun = {
        _NOUNS[word] for claim in aspect.claims for word in strip_owner(claim.value).lower().split() if word in _NOUNS
    }
    return by_noun | {_STAGES[claim.relation] for claim in aspect.claims if claim.relation in _STAGES}


def _overlap(one: Aspect, other: Aspect) -> bool:
    """Whether both were spoken of in turn, one within the time of the other."""
    return one.since < other.since < one.last and len(one.claims) > 1


# --- what both use -------------------------------------------------------------------------------------


def _settled(aspect: Aspect, group: RelationGroup) -> list[Claim]:
    """Claims that say what holds once at a time."""
    return [
        claim
        for claim in aspect.claims
        if claim.modality in HOLDS and not claim.negated and slot_of(claim, group) is not None
    ]


def _times(one: Aspect, other: Aspect) -> str:
    first, second = month(one.since), month(other.since)
    if one.last <= other.since:
        return f"The times are sequential ({first}, then {second})."
    return f"The times overlap ({first} to {month(one.last)}, {second} to {month(other.last)})."


def _words(aspect: Aspect) -> set[str]:
    return {stem for fact in aspect.facts if group_of(fact.claims[0]) for stem in form(fact.value)}


def _common_words(group: RelationGroup, person: str) -> set[str]:
    """Words that say no more than what the group is about."""
    return {stem for word in (group.name, *group.called, *group.cues.split(), person) for stem in form(word)}


def _merge(reason: str, one: Aspect, other: Aspect, sure: float, *claims: Claim) -> Verdict:
    return Verdict("MERGE", reason, _resting_on(one, other, claims), sure)


def _separate(reason: str, one: Aspect, other: Aspect, sure: float, *claims: Claim) -> Verdict:
    return Verdict("SEPARATE", reason, _resting_on(one, other, claims), sure)


def _resting_on(one: Aspect, other: Aspect, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims that were named and the first ones that tell of each side."""
    found: dict[str, Claim] = {name_turn(claim): claim for claim in claims}
    for aspect in (one, other):
        group = GROUPS[aspect.group]
        telling = _settled(aspect, group) or list(aspect.claims)
        for claim in telling[:EACH_SIDE]:
            found.setdefault(name_turn(claim), claim)
    return tuple(sorted(found.values(), key=order))


__all__ = ["POLICY", "Verdict", "decide"]
