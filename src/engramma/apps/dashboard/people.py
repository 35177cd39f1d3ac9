"""Paths below /api/dashboard about people: who is known, what held of them when, and what was decided."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...errors import StoreError
from ...memory import Memory
from ...people.claims import RULES, claims_up_to_date, extract_block
from ...people.decisions import decision_of
from ...people.groups import GROUPS
from ...people.reading import read_claims
from ...people.settle import claims_of, names_of_person, settle, with_decisions
from ...people.workspace import moment
from ...records.people import Claim
from ...store.sqlite import Row
from ...store.store import as_json
from ...times import from_micros
from ..http.answers import Answer
from ..http.face import Asked
from ..http.problems import Refused
from ..http.shapes import Name, Text

BLOCKS = 2  # pieces of talk read while a view waits; the daemon reads the rest by itself
PEOPLE = 8  # reconciled meanwhile
PIECES = 16  # of one session that is looked at
MOST_PERIODS = 100  # of one side of a life
MOST_CONFLICTS = 100
SOURCES = 4  # shown of a period
MOST_TEXT = 400  # characters of a turn that is evidence

routes = APIRouter(include_in_schema=False)

Words = Annotated[Text | None, Query(max_length=200)]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=200)]
Person = Annotated[Name, Query(description="Somebody's name.")]


@routes.get("/people")
def people(where: Asked, q: Words = None, offset: Offset = 0, limit: Limit = 30) -> Answer:
    """Who is known, those named most first, with how much was said of them."""
    store = where.memory.store
    read_some(where.memory)
    with store.snapshot():
        counted = store.one("persons_count", words=q or None)
        keys = store.keys("persons_page", words=q or None, limit=limit, offset=offset).tolist()
        rows = {row["key"]: row for row in store.all("persons_listed", keys=as_json(keys))}
        items = [
            {
                "name": rows[key]["name"],
                "mentions": rows[key]["mentions"],
                "claims": rows[key]["claims"],
                "conflicts": rows[key]["conflicts"],
                "aliases": names_of_person(store, key, rows[key]["name"])[1:6],
            }
            for key in keys
            if key in rows
        ]
    return Answer(paged(items, 0 if counted is None else counted[0], offset, limit))


@routes.get("/person")
def person(where: Asked, name: Person) -> Answer:
    """What held of somebody when, where values follow or contradict each other, with sources."""
    memory = where.memory
    read_some(memory)
    key = found_person(memory, name)
    memory._settled(key)
    store = memory.store
    with store.snapshot():
        entity = store.one("entity_get", key=key)
        talks, relations = store.one("person_talks_count", key=key), store.all("person_relations", key=key)
        if entity is None or talks is None:
            raise nobody(name)
        names = names_of_person(store, key, entity["name"])
        known = [row for row in store.all("decisions_of_people", people=json.dumps(names)) if not row["hidden"]]
        found = with_decisions(names[0], claims_of(store, key, GROUPS), known, {})
    lanes = [
        {
            "group": group,
            "about": GROUPS[group].about,
            "periods": [
                {
                    "relation": period.relation,
                    "value": period.value,
                    "since": period.since,
                    "until": period.until,
                    "said": len(period.claims),
                    "sources": [told(claim) for claim in period.claims[:SOURCES]],
                }
                for period in periods[-MOST_PERIODS:]
            ],
        }
        for group, periods in found.timelines.items()
    ]
    met = [
        {
            "kind": one.kind,
            "group": one.entity,
            "note": one.note,
            "at": moment(one.later),
            "earlier": told(one.earlier),
            "later": told(one.later),
        }
        for one in sorted(found.conflicts, key=lambda one: moment(one.later))[-MOST_CONFLICTS:]
    ]
    return Answer(
        {
            "name": names[0],
            "aliases": names[1:12],
            "claims": sum(row["claims"] for row in relations),
            "relations": [dict(row) for row in relations],
            "conversations": talks[0],
            "decisions": len(known),
            "lanes": lanes,
            "conflicts": met,
        }
    )


@routes.get("/person/talks")
def talks(where: Asked, name: Person, offset: Offset = 0, limit: Limit = 10) -> Answer:
    """The conversations in which somebody is named, the latest first."""
    store, key = where.memory.store, found_person(where.memory, name)
    with store.snapshot():
        total = store.one("person_talks_count", key=key)
        rows = store.all("person_talks", key=key, limit=limit, offset=offset)
    times = ("first_at", "last_at")
    items = [{**dict(row), **{at: from_micros(row[at]) for at in times}} for row in rows]
    return Answer(paged(items, 0 if total is None else total[0], offset, limit))


@routes.get("/person/claims")
def claims(where: Asked, name: Person, relation: Words = None, offset: Offset = 0, limit: Limit = 20) -> Answer:
    """What was said of somebody, the latest first, with its sources."""
    store, key = where.memory.store, found_person(where.memory, name)
    with store.snapshot():
        counts = {row["relation"]: row["claims"] for row in store.all("person_relations", key=key)}
        bounds = {"key": key, "relation": relation or None, "limit": limit, "offset": offset}
        found = read_claims(store, store.keys("person_claims", **bounds).tolist())
    total = counts.get(relation, 0) if relation else sum(counts.values())
    return Answer(paged([told(claim) for claim in found], total, offset, limit))


@routes.get("/person/decisions")
def decisions(where: Asked, name: Person, offset: Offset = 0, limit: Limit = 10) -> Answer:
    """What was decided about somebody's things, with reason, evidence and confidence; what stands before what not."""
    store, key = where.memory.store, found_person(where.memory, name)
    with store.snapshot():
        entity = store.one("entity_get", key=key)
        names = names_of_person(store, key, "" if entity is None else entity["name"])
        known = [row for row in store.all("decisions_of_people", people=json.dumps(names)) if not row["hidden"]]
        known.sort(key=lambda row: (row["overruled"] > 0, row["entity"], row["key"]))
        page = known[offset : offset + limit]
        evidence = evidence_of(store.all("turns_of_decisions", keys=as_json([r["key"] for r in page]), most=MOST_TEXT))
    items = [
        {
            **{
                name: getattr(decision_of(row), name) for name in ("id", "verdict", "entity", "conversations", "reason")
            },
            "confidence": row["confidence"],
            "by": row["made_by"],
            "overruled": row["overruled"] or None,
            "act": row["act"] or None,
            "evidence": evidence.get(row["key"], []),
        }
        for row in page
    ]
    return Answer(paged(items, len(known), offset, limit))


def evidence_of(rows: Sequence[Row]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        turn = {**dict(row), "turn": row["id"], "said_at": from_micros(row["said_at"])}
        found.setdefault(row["decision"], []).append(turn)
    return found


def told(claim: Claim) -> dict[str, Any]:
    """A claim as the page shows it: what, by whom, when, in which words, and where."""
    names = ("id", "relation", "value", "speaker", "conversation", "session", "said_at", "quote", "negated", "modality")
    return {**{name: getattr(claim, name) for name in names}, "turn": claim.turn_ids[0], "from": claim.valid_from}


def found_person(memory: Memory, name: str) -> int:
    key = memory._person_key(name)
    if key is None:
        raise nobody(name)
    return key


def nobody(name: str) -> Refused:
    return Refused(404, f"Nothing was said of anybody called {name!r:.200}. The list of people has who is known.")


def read_some(memory: Memory) -> None:
    """Extract and reconcile a little of what is new; nobody waits here until a large import is read."""
    try:
        claims_up_to_date(memory.store, BLOCKS)
        settle(memory.store, PEOPLE)
    except StoreError:
        memory.store.check_place()  # what cannot be written is read as it is


def read_session(memory: Memory, session: int) -> None:
    """Extract what waits of one session, so that its claims stand beside its turns."""
    store = memory.store
    try:
        for row in store.all("extraction_waiting_of", session=session, version=RULES, limit=PIECES):
            extract_block(store, session, row["block"])
    except StoreError:
        store.check_place()


def paged(items: list[Any], total: int, offset: int, limit: int) -> dict[str, Any]:
    end = offset + limit
    return {"items": items, "total": total, "next": end if end < total else None}
