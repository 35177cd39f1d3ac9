"""Proposals as people see them: what they are about, with the words they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import BadInput
from ..language.graphemes import first_characters
from ..language.times import from_micros
from ..people import CONTRADICTION, Namesakes, Pair, decision_of, read_claims
from ..records.people import Claim
from ..records.review import Proposal, Side
from ..steward.plan import Canonical
from ..steward.proposals import Due
from ..store.database import Row
from ..store.store import Store, encode_keys

ENTITY = "entity"  # two entities that may be one
NAMESAKES = "namesakes"  # one person who may be two
MOST_TEXT = 600  # characters of what a proposal is about
SIDES = 6  # shown of each


def show_namesakes(store: Store, one: Namesakes) -> Proposal:
    """With what the second said first, in each of some conversations."""
    rows = [
        row
        for talk in one.conversations[:SIDES]
        for row in store.all("speaker_first_turn", conversation=talk, speaker=one.name, most=MOST_TEXT)
    ]
    sides = tuple(replace(side_of(row), label=f"{one.name} with {', '.join(one.other_company[:2])}") for row in rows)
    return Proposal(f"{NAMESAKES}-{one.item}", "namesakes", one.reason, sides, person=one.name)


def show_steps(store: Store, listed: Sequence[Due]) -> list[Proposal]:
    """What the steward would do, with the notes it is about."""
    keys = [key for one in listed for key in shown_keys(one)]
    found = store.hydrate(list(dict.fromkeys(keys)))
    return [
        Proposal(
            f"{one.kind}-{one.item}",
            one.kind,  # type: ignore[arg-type]
            one.step.reason,
            tuple(
                Side(
                    segment.conversation_id,
                    segment.session_id,
                    segment.turn_ids[0],
                    ", ".join(segment.speakers),
                    segment.said_at,
                    first_characters(segment.text, MOST_TEXT),
                    segment.id,
                    stays=key not in one.step.keys,
                )
                for key in shown_keys(one)
                if (segment := found.get(key)) is not None
            ),
            sure=one.step.similarity,
            text=first_characters(one.step.into.text, MOST_TEXT) if isinstance(one.step.into, Canonical) else None,
        )
        for one in listed
    ]


def show_pairs(store: Store, pairs: Sequence[Pair]) -> list[Proposal]:
    """Entities that may be one, each with the first turn that names it."""
    keys = [one.key for pair in pairs for one in (pair.kept, pair.other)]
    rows = store.all("entity_first_turns", keys=encode_keys(keys), most=MOST_TEXT)
    first = {row["entity"]: side_of(row) for row in rows}
    return [
        Proposal(
            f"{ENTITY}-{pair.item}",
            "entity",
            pair.reason,
            tuple(
                replace(first[one.key], label=f"{one.name} ({one.type}, named {one.mentions}×)", stays=stays)
                for one, stays in ((pair.kept, True), (pair.other, False))
                if one.key in first
            ),
            about=pair.kept.type,
        )
        for pair in pairs
    ]


def show_decisions(store: Store, keys: Sequence[int]) -> list[Proposal]:
    """Decisions about people's things, with the turns they rest on."""
    turns: dict[int, list[Side]] = {}
    for row in store.all("turns_of_decisions", keys=encode_keys(keys), most=MOST_TEXT):
        turns.setdefault(row["decision"], []).append(side_of(row))
    found = []
    for key in keys:
        row = read_decision(store, key)
        one = decision_of(row)
        sides = tuple(turns.get(key, ())[:SIDES])
        found.append(
            Proposal(
                f"decision-{key}",
                "decision",
                one.reason,
                sides,
                sure=one.confidence,
                person=one.person,
                about=one.entity,
                verdict=one.verdict,
            )
        )
    return found


def show_conflicts(store: Store, rows: Sequence[Row]) -> list[Proposal]:
    """What contradicts, both sides in their words."""
    keys = {key for row in rows for key in (row["earlier"], row["later"])}
    claims = {key: claim for key in keys for claim in read_claims(store, [key])}
    found = []
    for row in rows:
        both = [claims[key] for key in (row["earlier"], row["later"]) if key in claims]
        if len(both) == 2:  # what was hidden meanwhile is looked at anew with the next extraction
            first, second = both
            reason = (
                f"{first.speaker} says both, without mentioning a change"
                if row["sure"] == CONTRADICTION
                else f"{first.speaker} and {second.speaker} say different things"
            )
            about = {"person": first.subject, "about": row["about"]}
            sides = (claimed(first), claimed(second))
            found.append(Proposal(f"conflict-{row['item']}", "conflict", reason, sides, **about))
    return found


def read_decision(store: Store, key: int) -> Row:
    """A decision that can be seen."""
    row = store.one("decision_shown", key=key)
    if row is None:
        raise gone(f"decision-{key}")
    return row


def gone(proposal_id: str) -> BadInput:
    return BadInput(f"Proposal {proposal_id} is no longer waiting. Look at the queue again.")


def shown_keys(one: Due) -> list[int]:
    """The segments that show what a step is about: what stays first."""
    stays = [note.key for note in one.step.seen if note.key not in one.step.keys]
    return [*stays, *one.step.keys][:SIDES]


def side_of(row: Row) -> Side:
    where = (row["conversation"], row["session"], row["id"], row["speaker"], from_micros(row["said_at"]))
    return Side(*where, row["text"])


def claimed(claim: Claim) -> Side:
    where = (claim.conversation, claim.session, claim.turn_ids[0], claim.speaker, claim.said_at)
    return Side(
        *where, first_characters(claim.quote, MOST_TEXT), label=f"{claim.relation.replace('_', ' ')} {claim.value}"
    )
