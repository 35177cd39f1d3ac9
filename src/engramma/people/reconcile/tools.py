"""The four tools of reconciliation: plain functions over what is known of people, with results that are JSON.

An agent calls them before it decides; people may as well. An entity is named as in "job", or with its owner as in
"john_job"; other words for it will do ("career", "location").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...errors import BadInput
from ...language.times import local_day
from ...records.people import Claim
from ..claims.relation_groups import GROUPS, RelationGroup, role_text, slot_of
from ..claims.values import find_name_stems, same_name, same_value, strip_owner
from .targets import aspects_meant, group_meant, memory_meant, owned_meant, person_meant
from .timeline import HOLDS, build_timeline, is_change, month
from .workspace import Aspect, PersonMemory, find_start, name_turn, order

MOST_MENTIONS = 20  # of an entity in one conversation: an agent reads only so much
ROLE_SLOTS = ("role", "partner", "pet")  # what somebody is, or has, rather than where

Tool = Callable[..., dict[str, Any]]


def get_entity_timeline(people: Sequence[PersonMemory], entity_name: str, person_id: str) -> dict[str, Any]:
    """How something of a person developed, conversation by conversation."""
    person = person_meant(people, person_id)
    group = group_meant(entity_name, person)
    return {
        "entity": group.name,
        "person": person.name,
        "timeline": [
            {
                "conversation": memory.conversation,
                "when": _span(aspect.claims),
                "partner": memory.partner,
                "roles": roles(aspect, group),
                "states": states(aspect, group),
                "evidence": list(aspect.evidence),
            }
            for memory, aspect in aspects_meant(person, group, entity_name)
        ],
    }


def get_conversation_context(people: Sequence[PersonMemory], conv_id: str, entity_id: str) -> dict[str, Any]:
    """Everything that was said of something in one conversation, verbatim, and the questions that it answers."""
    person, group = owned_meant(people, entity_id, conv_id)
    memory = memory_meant(person, conv_id)
    claims = _claims(aspect for found, aspect in aspects_meant(person, group, entity_id) if found is memory)
    mentions: dict[tuple[str, str], dict[str, str]] = {}
    for claim in claims[:MOST_MENTIONS]:
        told = {"turn": claim.turn_ids[0], "speaker": claim.speaker, "date": _day(claim), "text": claim.quote}
        mentions.setdefault((claim.turn_ids[0], claim.quote), told)
    questions = dict.fromkeys(pair for claim in claims for pair in claim.questions)
    return {
        "entity": group.name,
        "person": person.name,
        "conversation": conv_id,
        "partner": memory.partner,
        "mentions": list(mentions.values()),
        "questions": [{"q": question, "a": answer} for question, answer in questions],
        "left_out": max(0, len(claims) - MOST_MENTIONS),
    }


def compare_entities_across_conversations(
    people: Sequence[PersonMemory], entity_name: str, conv_a: str, conv_b: str
) -> dict[str, Any]:
    """Something of a person as two conversations tell it, side by side, and what they have in common."""
    person, group = owned_meant(people, entity_name, conv_a, conv_b)
    sides, found = {}, []
    for conversation in (conv_a, conv_b):
        memory = memory_meant(person, conversation)
        own = [aspect for other, aspect in aspects_meant(person, group, entity_name) if other is memory]
        claims = _claims(own)
        sides[conversation] = {
            "when": _span(claims),
            "partner": memory.partner,
            "roles": list(dict.fromkeys(role for aspect in own for role in roles(aspect, group))),
            "states": list(dict.fromkeys(state for aspect in own for state in states(aspect, group))),
            **_names(claims, group),
        }
        found.append(claims)
    return {"entity": group.name, "person": person.name, **sides, "overlap": _overlap(*found, group=group)}


def detect_contradictions(people: Sequence[PersonMemory], entity_id: str) -> dict[str, Any]:
    """Values that cannot hold together, each with its words and its day, and how that may be resolved."""
    person, group = owned_meant(people, entity_id)
    _, conflicts = build_timeline(
        _claims(aspect for _, aspect in aspects_meant(person, group, entity_id)), group, person.name
    )
    return {
        "entity": group.name,
        "person": person.name,
        "contradictions": [
            {
                "kind": conflict.kind,
                "said": [_quoted(conflict.earlier), _quoted(conflict.later)],
                "resolution": conflict.note,
            }
            for conflict in conflicts
        ],
    }


def _text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


def _schema(tool: Tool, **arguments: dict[str, str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": arguments, "required": list(arguments), "additionalProperties": False}
    return {
        "type": "function",
        "function": {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters},
    }


_ENTITY = _text(f"One of {', '.join(GROUPS)}; with its owner before it where it is not clear: john_job")
SCHEMAS: tuple[dict[str, Any], ...] = (
    _schema(get_entity_timeline, entity_name=_ENTITY, person_id=_text("The person's name")),
    _schema(get_conversation_context, conv_id=_text("The conversation's id"), entity_id=_ENTITY),
    _schema(
        compare_entities_across_conversations,
        entity_name=_ENTITY,
        conv_a=_text("The first conversation's id"),
        conv_b=_text("The second conversation's id"),
    ),
    _schema(detect_contradictions, entity_id=_ENTITY),
)
TOOLS: Mapping[str, Tool] = {
    tool.__name__: tool
    for tool in (
        get_entity_timeline,
        get_conversation_context,
        compare_entities_across_conversations,
        detect_contradictions,
    )
}


def call_tool(people: Sequence[PersonMemory], name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool says; for a call that makes no sense, what is wrong with it."""
    schema = next((one["function"]["parameters"] for one in SCHEMAS if one["function"]["name"] == name), None)
    if schema is None:
        return {"error": f"There is no tool {name!r:.60}. There are {', '.join(TOOLS)}."}
    given = {key: value for key, value in arguments.items() if key in schema["properties"]}
    if set(given) != set(schema["required"]) or not all(isinstance(value, str) for value in given.values()):
        return {"error": f"{name} takes {', '.join(schema['required'])}, each a text."}
    try:
        return TOOLS[name](people, **given)
    except BadInput as error:
        return {"error": str(error)}


# --- what the tools say ------------------------------------------------------------------------------


def roles(aspect: Aspect, group: RelationGroup) -> list[str]:
    """What somebody is by an aspect: software engineer, married to Lisa; in the order in which it was said."""
    found = []
    for claim in aspect.claims:
        slot = slot_of(claim, group)
        if slot in ROLE_SLOTS and not claim.negated and claim.modality in HOLDS:
            told = role_text(claim)
            found.append(told if slot == "role" else f"{claim.relation.replace('_', ' ')} {strip_owner(told)}")
    return list(dict.fromkeys(found))


def states(aspect: Aspect, group: RelationGroup) -> list[str]:
    """What else is told of an aspect: works at TechCorp, left job."""
    found = []
    for fact in aspect.facts:
        claim = fact.claims[0]
        if slot_of(claim, group) in ROLE_SLOTS and not fact.negated and fact.modality in HOLDS:
            continue
        verb = claim.relation.replace("_", " ")
        value = "" if verb.endswith(strip_owner(fact.value)) else f" {strip_owner(fact.value)}"
        found.append(f"{'not ' if fact.negated else ''}{verb}{value}")
    return list(dict.fromkeys(found))


def _names(claims: Sequence[Claim], group: RelationGroup) -> dict[str, Any]:
    """The names that tell which thing it is; where none is given, the words that were said instead."""
    found: dict[str, Any] = {}
    for slot in sorted(group.by_name):
        own = [claim for claim in claims if slot_of(claim, group) == slot and claim.modality in HOLDS]
        with_name = [strip_owner(claim.value) for claim in own if find_name_stems(claim.value, claim.quote)]
        found[slot] = list(dict.fromkeys(with_name)) or None
        if own and not with_name:
            found[f"{slot}_said"] = own[0].value
    return found


def _overlap(one: Sequence[Claim], other: Sequence[Claim], *, group: RelationGroup) -> str:
    if not one or not other:
        return f"Only one of them tells of {group.about}"
    told = [f"both involve {group.about}"]
    if max(map(find_start, one)) <= min(map(find_start, other)) or max(map(find_start, other)) <= min(
        map(find_start, one)
    ):
        told.append("sequential timeline")
    else:
        told.append("overlapping times")
    if shared := _shared(one, other, group):
        told.append(f"both name {', '.join(shared)}")
    later = max((one, other), key=lambda claims: max(map(find_start, claims)))
    changed = [claim for claim in later if slot_of(claim, group) == "role" and is_change(claim)]
    if changed:
        leaves = any(claim.relation in (group.ends or {}) for claim in later)
        told.append("a new beginning" if leaves else "possible promotion")
    joined = ", ".join(told)
    return joined[0].upper() + joined[1:]


def _shared(one: Sequence[Claim], other: Sequence[Claim], group: RelationGroup) -> list[str]:
    found = []
    for first in one:
        for second in other:
            slot = slot_of(first, group)
            if slot is None or slot != slot_of(second, group):
                continue
            names = find_name_stems(first.value, first.quote), find_name_stems(second.value, second.quote)
            if same_name(*names) if slot in group.by_name else same_value(first.value, second.value):
                found.append(strip_owner(first.value))
    return list(dict.fromkeys(found))


def _claims(aspects: Iterable[Aspect]) -> list[Claim]:
    return sorted((claim for aspect in aspects for claim in aspect.claims), key=order)


def _span(claims: Sequence[Claim]) -> str | None:
    if not claims:
        return None
    first, last = month(min(map(find_start, claims))), month(max(map(find_start, claims)))
    return first if first == last else f"{first} to {last}"


def _day(claim: Claim) -> str:
    return local_day(claim.said_at)


def _quoted(claim: Claim) -> dict[str, str]:
    return {
        "conversation": claim.conversation,
        "turn": name_turn(claim),
        "when": month(find_start(claim)),
        "date": _day(claim),
        "speaker": claim.speaker,
        "text": claim.quote,
    }
