"""People as pages show them: who is known, one's life in lanes, talks, claims and decisions, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.core import Core
from ..errors import StoreError
from ..language.text import GENERIC_SPEAKERS
from ..language.times import from_micros
from ..records.people import Claim, Period
from ..store.database import Row
from ..store.store import Store, encode_keys
from .claims.hydrate import read_claims, read_facts
from .claims.predicates import predicate_words
from .claims.relation_groups import GROUPS
from .claims.store import claims_up_to_date
from .claims.worth_telling import facts_by_side
from .entities.user_identity import find_me, generic_keys
from .persons import People
from .reconcile.decisions import decision_of
from .reconcile.reconcile import life_lines
from .reconcile.reconcile_store import claims_of, names_of_person, settle
from .reconcile.workspace import Conflict, find_start

BLOCKS = 2  # pieces of talk read while a view waits; the daemon reads the rest by itself
PEOPLE = 8  # reconciled meanwhile
MOST_PERIODS = 100  # of one side of a life
MOST_CONFLICTS = 100
SOURCES = 4  # shown of a period
LATEST = 400  # claims among which a page looks for what is worth telling
KNOWN = 12  # facts of one side: who they are, what they like, what happened
MOST_TEXT = 400  # characters of a turn that is evidence
MOST_ALIASES, ALIASES_LISTED = 11, 5

Values = dict[str, Any]
Page = tuple[list[Values], int]  # some of them, and how many there are in all


class Profiles:
    """Pages about people. Each reads only a little of what is new: nobody waits here until an import is read."""

    def __init__(self, core: Core, people: People) -> None:
        self._core, self._people = core, people

    def read_some(self) -> None:
        """Extract and reconcile a little of what is new."""
        try:
            claims_up_to_date(self._core.store, BLOCKS)
            settle(self._core.store, PEOPLE)
        except StoreError:
            self._core.store.check_place()  # what cannot be written is read as it is

    def page(self, words: str | None = None, limit: int = 30, offset: int = 0) -> Page:
        """Who is known, those named most first, with how much was said of them."""
        self.read_some()
        store = self._core.store
        with store.snapshot():
            keys = store.keys("persons_page", words=words or None, everything=0, limit=limit, offset=offset).tolist()
            rows = {row["key"]: row for row in store.all("persons_listed", keys=encode_keys(keys))}
            lines = [
                {
                    "key": key,
                    "name": rows[key]["name"],
                    "mentions": rows[key]["mentions"],
                    "claims": rows[key]["claims"],
                    "conflicts": rows[key]["conflicts"],
                    "aliases": names_of_person(store, key, rows[key]["name"])[1 : 1 + ALIASES_LISTED],
                }
                for key in keys
                if key in rows
            ]
            total = self._people.count(words)
        return lines, total

    def get(self, name: str) -> Values | None:
        """What held of somebody when, and where values follow or contradict each other, with sources."""
        self.read_some()
        if (key := self._people.key_meant(name)) is None:
            return None
        self._people.settle(key)
        store = self._core.store
        with store.snapshot():
            entity = store.one("entity_get", key=key)
            talks, relations = store.one("person_talks_count", key=key), store.all("person_relations", key=key)
            if entity is None or talks is None:
                return None
            names = names_of_person(store, key, entity["name"])
            decided = self._decision_rows(names)
            timelines, conflicts = life_lines(names[0], claims_of(store, key, GROUPS))
            latest = store.keys("person_claims", key=key, relation=None, limit=LATEST, offset=0).tolist()
            sides = facts_by_side(read_facts(store, latest))
            known = {
                side: [_told(fact.claims[-1]) for fact in sides[side][:KNOWN]] for side in ("who", "tastes", "happened")
            }
            lanes, met = lanes_of(timelines), conflicts_of(conflicts)
            shown = [source for lane in lanes for period in lane["periods"] for source in period["sources"]]
            shown += [side for one in met for side in (one["earlier"], one["later"])]
            put_titles(store, (*shown, *(told for side in known.values() for told in side)))
        return {
            "key": key,
            "name": names[0],
            "aliases": names[1 : 1 + MOST_ALIASES],
            "claims": sum(row["claims"] for row in relations),
            "relations": [dict(row) for row in relations],
            "conversations": talks[0],
            "decisions": len(decided),
            "known": known,
            "lanes": lanes,
            "conflicts": met,
        }

    def me(self) -> Values:
        """Who the user is, if anything tells, and under which names that are none somebody speaks."""
        store = self._core.store
        with store.snapshot():
            found, row = find_me(store), store.one("entity_me")
            return {
                "name": None if found is None else found.name,
                "said": found is not None and found.said,
                "act": None if found is None else found.act,
                "key": None if row is None else row["key"],
                "keys": generic_keys(store),
                "speakers": [
                    name for name in GENERIC_SPEAKERS if len(store.keys("keys_of_speaker", speaker=name, limit=1))
                ],
            }

    def talks(self, name: str, limit: int = 10, offset: int = 0) -> Page | None:
        """The conversations in which somebody is named, the latest first; None if nobody is called so."""
        if (key := self._people.key_meant(name)) is None:
            return None
        store = self._core.store
        with store.snapshot():
            total = store.one("person_talks_count", key=key)
            rows = store.all("person_talks", key=key, limit=limit, offset=offset)
        times = ("first_at", "last_at")
        return [{**dict(row), **{at: from_micros(row[at]) for at in times}} for row in rows], (
            0 if total is None else total[0]
        )

    def claims(self, name: str, relation: str | None = None, limit: int = 20, offset: int = 0) -> Page | None:
        """What was said of somebody, the latest first, with its sources; None if nobody is called so."""
        if (key := self._people.key_meant(name)) is None:
            return None
        store = self._core.store
        with store.snapshot():
            counts = {row["relation"]: row["claims"] for row in store.all("person_relations", key=key)}
            bounds = {"key": key, "relation": relation or None, "limit": limit, "offset": offset}
            found = [_told(claim) for claim in read_claims(store, store.keys("person_claims", **bounds).tolist())]
            put_titles(store, found)
        total = counts.get(relation, 0) if relation else sum(counts.values())
        return found, total

    def decisions(self, name: str, limit: int = 10, offset: int = 0) -> Page | None:
        """What was decided about somebody's things, with reason and evidence; what stands before what does not."""
        if (key := self._people.key_meant(name)) is None:
            return None
        store = self._core.store
        with store.snapshot():
            entity = store.one("entity_get", key=key)
            names = names_of_person(store, key, "" if entity is None else entity["name"])
            known = self._decision_rows(names)
            known.sort(key=lambda row: (row["overruled"] > 0, row["entity"], row["key"]))
            page = known[offset : offset + limit]
            listed = encode_keys([row["key"] for row in page])
            evidence = evidence_of(store.all("turns_of_decisions", keys=listed, most=MOST_TEXT))
            told = [decision_values(row, evidence.get(row["key"], [])) for row in page]
            put_titles(store, (turn for turns in evidence.values() for turn in turns))
            titles = titles_of(store, {talk for one in told for talk in one["conversations"]})
        return [{**one, "titles": [titles.get(talk) for talk in one["conversations"]]} for one in told], len(known)

    def _decision_rows(self, names: Sequence[str]) -> list[Row]:
        rows = self._core.store.all("decisions_of_people", people=json.dumps(names))
        return [row for row in rows if not row["hidden"]]


def lanes_of(timelines: Mapping[str, Sequence[Period]]) -> list[Values]:
    """A lane for each side of a life, with what held when."""
    return [
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
                    "sources": [_told(claim) for claim in period.claims[:SOURCES]],
                }
                for period in periods[-MOST_PERIODS:]
            ],
        }
        for group, periods in timelines.items()
    ]


def conflicts_of(conflicts: Sequence[Conflict]) -> list[Values]:
    """Where values follow or contradict each other, in the order of time."""
    return [
        {
            "kind": one.kind,
            "group": one.entity,
            "note": one.note,
            "at": find_start(one.later),
            "earlier": _told(one.earlier),
            "later": _told(one.later),
        }
        for one in sorted(conflicts, key=lambda one: find_start(one.later))[-MOST_CONFLICTS:]
    ]


def decision_values(row: Row, evidence: Sequence[Values]) -> Values:
    decision = decision_of(row)
    return {
        **{name: getattr(decision, name) for name in ("id", "verdict", "entity", "conversations", "reason")},
        "confidence": row["confidence"],
        "by": row["made_by"],
        "overruled": row["overruled"] or None,
        "act": row["act"] or None,
        "evidence": list(evidence),
    }


def evidence_of(rows: Sequence[Row]) -> dict[int, list[Values]]:
    found: dict[int, list[Values]] = {}
    for row in rows:
        turn = {**dict(row), "turn": row["id"], "said_at": from_micros(row["said_at"])}
        found.setdefault(row["decision"], []).append(turn)
    return found


def titles_of(store: Store, conversations: Iterable[str]) -> dict[str, str | None]:
    """What conversations are called, by their ids."""
    rows = (store.one("conversation_get", id=id) for id in sorted(conversations))
    return {row["id"]: row["title"] for row in rows if row is not None}


def put_titles(store: Store, told: Iterable[Values]) -> None:
    """Add to what was said somewhere what that conversation is called: readers know it by its title, not its id."""
    listed = list(told)
    titles = titles_of(store, {one["conversation"] for one in listed})
    for one in listed:
        one["title"] = titles.get(one["conversation"])


def _told(claim: Claim) -> Values:
    """A claim as a page shows it: what, by whom, when, in which words, and where."""
    text = predicate_words(claim.relation, claim.value, claim.negated)
    names = ("id", "relation", "value", "speaker", "conversation", "session", "said_at", "quote", "negated", "modality")
    values = {name: getattr(claim, name) for name in names}
    return {**values, "text": text, "turn": claim.turn_ids[0], "from": claim.valid_from}
