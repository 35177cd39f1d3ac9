"""Reconciling in the store: whose claims came or went is marked there, and only they are decided anew.

A person is read, decided and written in one go: the marks are looked at again before anything is written, so that any
number of processes may do this at once and a later change waits for the next look. What users decided is read and
never written; what a model decided stands as long as what it compared is the same.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...records.people import Claim, Decision, OneOrTwo
from ...store.acts import add_act
from ...store.sqlite.database import Row
from ...store.store import Store, encode_keys
from ..claims.hydrate import read_claims
from ..claims.relation_groups import GROUPS, groups_of_relation, relations_of
from .conflicts import write_conflicts
from .decisions import ACT, decision_of
from .policy import POLICY, Verdict, decide
from .reconcile import Judge, Ruling, basis_of, person_memory
from .workspace import Aspect, Conflict, PersonMemory, name_turn

USER = "user"  # who decided, in decisions.made_by
PAGE = 16  # people read together and written in one transaction

# Claims of one person that are looked at together, the latest. Nearly everybody has fewer; of somebody who speaks in
# thousands of conversations, what was decided about the older ones stays as it is.
LATEST = 800

Judging = Callable[[Mapping[str, Sequence[str]]], Judge]  # who sits with whom in which conversation -> a judge


@dataclass(frozen=True, slots=True)
class Settled:
    """What reconciling did: people checked, decisions made or remade, decisions dropped."""

    people: int = 0
    decided: int = 0
    dropped: int = 0

    def __add__(self, other: Settled) -> Settled:
        return Settled(self.people + other.people, self.decided + other.decided, self.dropped + other.dropped)


@dataclass(frozen=True, slots=True)
class ReconcileDraft:
    """The decisions to make about one person, seen from one state of the store."""

    key: int
    marks: Mapping[str, int]
    name: str | None  # None if it is no person
    touched: frozenset[str]
    known: Sequence[Row]
    rulings: Sequence[Ruling]
    looked_at: frozenset[str] | None = None  # conversations; None: all that there are
    conflicts: Sequence[Conflict] = ()


def settle(store: Store, limit: int | None = None) -> Settled:
    """Reconcile everybody of whom something came or went since, at most so many people; nothing new is one lookup."""
    done = Settled()
    while limit is None or done.people < limit:
        page = PAGE if limit is None else min(PAGE, limit - done.people)
        rows = store.all("unsettled_people", limit=page)
        if rows:
            done += _written(store, [drafted(store, row["person"]) for row in rows])
        if len(rows) < page:
            break
    return done


def settle_person(store: Store, key: int, judging: Judging | None = None) -> Settled:
    """Reconcile what changed of one person; with `judging`, a model decides everything of theirs anew."""
    return _written(store, [drafted(store, key, judging)])


def drafted(store: Store, key: int, judging: Judging | None = None) -> ReconcileDraft:
    """Read a person and decide, without writing."""
    with store.snapshot():
        marks = _marks_of(store, key)
        entity = store.one("entity_get", key=key)
        touched = frozenset(
            GROUPS if judging is not None else (name for relation in marks for name in groups_of_relation(relation))
        )
        if entity is None or entity["type"] != "person" or not touched:
            return ReconcileDraft(key, marks, None, touched, (), ())
        names = names_of_person(store, key, entity["name"])
        claims = claims_of(store, key, touched)
        known = store.all("decisions_of_people", people=json.dumps(names))
        partners = partners_of(store, claims, names) if judging is not None else {}
    memory, found = _decided(names[0], claims, known, partners, judging)
    rulings = [ruling for ruling in found if ruling.entity.split(" ")[0] in touched]
    looked_at = frozenset(claim.conversation for claim in claims) if len(claims) >= LATEST else None
    return ReconcileDraft(key, marks, names[0], touched, known, rulings, looked_at, memory.conflicts)


def _written(store: Store, drafts: Sequence[ReconcileDraft]) -> Settled:
    """Write some drafts in one transaction; what changed meanwhile, or another process did, is left as it is."""
    done = Settled(people=len(drafts))
    with store.transaction():
        for draft in drafts:
            if _marks_of(store, draft.key) != draft.marks:
                continue
            if draft.name is not None:
                made, dropped = _write(store, draft)
                write_conflicts(store, draft.key, draft.touched, draft.conflicts)
                done += Settled(0, made, dropped)
            marks = ({"person": draft.key, "relation": r, "changes": n} for r, n in draft.marks.items())
            store.many("unsettled_done", marks)
    return done


def _marks_of(store: Store, key: int) -> dict[str, int]:
    return {row["relation"]: row["changes"] for row in store.all("unsettled_of", person=key)}


def remembered(store: Store, key: int) -> PersonMemory | None:
    """All that is known of a person, as decided; read alone. None if nobody said anything of them."""
    entity = store.one("entity_get", key=key)
    if entity is None:
        return None
    names = names_of_person(store, key, entity["name"])
    keys = store.keys("claim_keys_of_subjects", entities=encode_keys([key]), relation=None, limit=-1).tolist()
    claims = read_claims(store, keys)
    if not claims:
        return None
    known = [row for row in store.all("decisions_of_people", people=json.dumps(names)) if not row["hidden"]]
    called = claims[0].subject  # "Ana's mother" of one who has no name
    return with_decisions(called, claims, known, partners_of(store, claims, names))


def with_decisions(
    name: str, claims: Sequence[Claim], known: Sequence[Row], partners: Mapping[str, Sequence[str]]
) -> PersonMemory:
    """A person's memory by the decisions that are stored."""
    memory, _ = person_memory(name, claims, partners, standing_of(known), _remembering(known, decide))
    return replace(memory, decisions=tuple(decision_of(row) for row in known))


# --- reading -----------------------------------------------------------------------------------------


def names_of_person(store: Store, key: int, name: str) -> list[str]:
    """What a person is called now, then what they were called before: decisions may stand under either."""
    return list(dict.fromkeys([name, *(row["name"] for row in store.all("names_kept", key=key))]))


def claims_of(store: Store, key: int, groups: Iterable[str]) -> list[Claim]:
    """A person's latest claims that may belong to some groups."""
    relations = sorted({relation for name in groups for relation in relations_of(GROUPS[name])})
    given = {"person": key, "relations": json.dumps(relations), "limit": LATEST}
    return read_claims(store, store.keys("claim_keys_by_relations", **given).tolist())


def partners_of(store: Store, claims: Iterable[Claim], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Who else speaks in the conversations of some claims."""
    talks = sorted({claim.conversation for claim in claims})
    found: dict[str, list[str]] = defaultdict(list)
    for row in store.all("speakers_of_conversations", conversations=json.dumps(talks)):
        if row["speaker"] not in names:
            found[row["conversation"]].append(row["speaker"])
    return {talk: tuple(speakers) for talk, speakers in found.items()}


def standing_of(known: Sequence[Row]) -> list[Decision]:
    """What users decided and did not take back, as far as it can be seen."""
    return [decision_of(row) for row in known if row["made_by"] == USER and not row["hidden"] and not row["overruled"]]


# --- deciding ----------------------------------------------------------------------------------------


def _decided(
    name: str,
    claims: Sequence[Claim],
    known: Sequence[Row],
    partners: Mapping[str, Sequence[str]],
    judging: Judging | None,
) -> tuple[PersonMemory, tuple[Ruling, ...]]:
    """A person's memory and the rulings over it: a model's where it decided the very same before, else the judge's."""
    judge = decide if judging is None else judging(partners)
    return person_memory(name, claims, partners, standing_of(known), _remembering(known, judge))


def _remembering(known: Sequence[Row], judge: Judge) -> Judge:
    """A judge that does not ask again what a model decided about the very same claims."""
    before = {row["basis"]: decision_of(row) for row in known if row["made_by"] not in (USER, POLICY) and row["basis"]}

    def asked(one: Aspect, other: Aspect) -> Verdict | None:
        if before and (decision := before.get(basis_of(one, other))) is not None:
            evidence = set(decision.evidence)
            rests_on = tuple(claim for claim in (*one.claims, *other.claims) if name_turn(claim) in evidence)
            return Verdict(decision.verdict, decision.reason, rests_on, decision.confidence, decision.by)
        return judge(one, other)

    return asked


# --- writing, inside the caller's transaction -----------------------------------------------------------


def _write(store: Store, draft: ReconcileDraft) -> tuple[int, int]:
    """Bring a person's stored decisions in line with the rulings; a decision that stays what it is keeps its number."""
    before: dict[tuple[str, tuple[str, ...]], list[Row]] = defaultdict(list)
    for row in draft.known:
        talks = tuple(json.loads(row["conversations"]))
        is_old = draft.looked_at is not None and not draft.looked_at.issuperset(talks)
        if row["made_by"] != USER and row["entity"].split(" ")[0] in draft.touched and not is_old:
            before[row["entity"], talks].append(row)
    made = dropped = 0
    assert draft.name is not None
    for ruling in draft.rulings:
        rows = before[ruling.entity, ruling.conversations]
        evidence = json.dumps(ruling.verdict.evidence, ensure_ascii=False)
        same = next((row for row in rows if row["evidence"] == evidence), rows[0] if rows else None)
        if same is not None:
            rows.remove(same)
            is_as_before = (same["verdict"], same["overruled"]) == (ruling.verdict.verdict, ruling.overruled_by)
            if draft.looked_at is not None and is_as_before:
                continue  # at the edge of what was looked at it was decided with more in sight
        made += _put(store, draft.name, ruling, same, evidence)
    for row in (row for rows in before.values() for row in rows):
        store.run("decision_turns_delete", key=row["key"])
        store.run("decision_delete", key=row["key"])
        dropped += 1
    return made, dropped


def _put(store: Store, name: str, ruling: Ruling, row: Row | None, evidence: str) -> bool:
    """Write a ruling as a new decision or over the one that it replaces; False if that says the same already."""
    verdict = ruling.verdict
    columns = {
        "verdict": verdict.verdict,
        "person": name,
        "reason": verdict.reason,
        "evidence": evidence,
        "confidence": verdict.confidence,
        "made_by": verdict.by,
        "overruled": ruling.overruled_by,
        "basis": ruling.basis,
    }
    if row is not None and all(row[name] == value for name, value in columns.items()):
        return False
    if row is None:
        next_row = store.one("decision_next")
        assert next_row is not None
        key = int(next_row[0])
        talks = json.dumps(ruling.conversations, ensure_ascii=False)
        about = {"key": key, "act": 0, "entity": ruling.entity, "conversations": talks, "created_at": _now()}
        store.run("decision_add", **about, **{k: v for k, v in columns.items() if k not in ("overruled", "basis")})
    else:
        key = row["key"]
        store.run("decision_turns_delete", key=key)
    store.run("decision_rewrite", key=key, **columns)
    store.many("decision_turn_add", ({"turn": turn, "decision": key} for turn in _turn_keys(store, verdict.claims)))
    return True


def write_overruling(store: Store, decision: Decision, verdict: OneOrTwo, reason: str) -> Decision:
    """Write a user's decision in place of another one, as an act that can be undone; returns it with its number."""
    next_row = store.one("decision_next")
    assert next_row is not None
    key = int(next_row[0])
    told = f"decision {decision.id} about {decision.person}'s {decision.entity}: {verdict}"
    act = add_act(store, ACT, told, {"decision": key, "overrules": decision.id})
    about = {"person": decision.person, "entity": decision.entity, "reason": reason, "verdict": verdict}
    lists = {"conversations": list(decision.conversations), "evidence": list(decision.evidence)}
    row = {**about, **{name: json.dumps(value, ensure_ascii=False) for name, value in lists.items()}}
    store.run("decision_add", key=key, act=act, confidence=1.0, made_by=USER, created_at=_now(), **row)
    turns = [one["turn"] for one in store.all("turns_of_decision", key=decision.id)]
    store.many("decision_turn_add", ({"turn": turn, "decision": key} for turn in turns))
    store.run("decision_overruled", key=decision.id, by=key)
    return replace(decision, id=key, verdict=verdict, reason=reason, confidence=1.0, by=USER, overruled=False)


def mark_undecided(store: Store, person: int, entity: str) -> None:
    """Note that a person's things of one kind are to be decided anew."""
    store.run("unsettled_add", person=person, relation=sorted(GROUPS[entity.split(" ")[0]].slots)[0])


def _turn_keys(store: Store, claims: Iterable[Claim]) -> list[int]:
    """The keys of the turns that some claims rest on."""
    places = dict.fromkeys((claim.conversation, claim.session, id) for claim in claims for id in claim.turn_ids)
    found = []
    for conversation, session, id in places:
        row = store.one("turn_key_at", conversation=conversation, session=session, id=id)
        if row is not None:
            found.append(int(row["key"]))
    return found


def _now() -> int:
    return time.time_ns() // 1000
