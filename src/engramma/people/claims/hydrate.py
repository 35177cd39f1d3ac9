"""Claims as they are read: hydrated with their sources, and grouped into facts that several people may have said."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import prod
from typing import Any

from ...language.times import from_micros
from ...records.people import UNKNOWN, Claim
from ...store.sqlite.database import Row
from ...store.store import Store, encode_keys
from ..entities.name_forms import is_proper

ALL = -1  # as a limit: as many as there are


@dataclass(frozen=True, slots=True)
class Fact:
    """What was said once or more often: a relation of the graph, with every claim that says so, the oldest first."""

    subject: str
    subject_type: str
    relation: str
    value: str  # the name of the entity that it names, or the words last said
    value_type: str
    negated: bool
    modality: str
    claims: tuple[Claim, ...]
    subject_key: int = 0
    value_key: int = 0  # 0: the value is a text

    @property
    def mentioned_by(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(claim.speaker for claim in self.claims))

    @property
    def last_said(self) -> datetime:
        return max(claim.said_at for claim in self.claims)

    @property
    def confidence(self) -> float:
        """That at least one of the claims is right; a person who says a thing twice is no second witness."""
        best: dict[str, float] = {}
        for claim in self.claims:
            best[claim.speaker] = max(best.get(claim.speaker, 0.0), claim.confidence)
        return round(1.0 - prod(1.0 - value for value in best.values()), 3)


def read_claims(store: Store, keys: Iterable[int]) -> list[Claim]:
    """Claims by their keys, in that order; what rests on a hidden turn is not there."""
    return [claim for claim, _ in _read(store, list(keys))]


def read_facts(store: Store, keys: Iterable[int], whole: bool = True) -> list[Fact]:
    """The facts of some claims, in the order in which they come first; `whole`: with every other claim of theirs."""
    listed = list(keys)
    rows = _read(store, listed)
    order = dict.fromkeys(row["fact"] for _, row in rows)
    if whole:
        rows = _read(store, store.keys("claim_keys_of_facts", facts=encode_keys(order)).tolist())
    groups: dict[int, list[tuple[Claim, Row]]] = defaultdict(list)
    for claim, row in rows:
        groups[row["fact"]].append((claim, row))
    return [_fact(sorted(groups[fact], key=lambda pair: (pair[0].said_at, pair[1]["key"]))) for fact in order]


def _fact(pairs: Sequence[tuple[Claim, Row]]) -> Fact:
    last, row = pairs[-1]
    return Fact(
        last.subject,
        last.subject_type,
        last.relation,
        row["object_name"] or last.value,
        last.value_type,
        last.negated,
        last.modality,
        tuple(claim for claim, _ in pairs),
        row["subject"],
        row["object"],
    )


def _read(store: Store, keys: list[int]) -> list[tuple[Claim, Row]]:
    rows = {row["key"]: row for row in store.all("claims_by_keys", keys=encode_keys(keys))}
    facts = encode_keys({row["fact"] for row in rows.values()})
    said: dict[int, list[str]] = defaultdict(list)
    for row in store.all("claim_speakers", facts=facts):
        said[row["fact"]].append(row["speaker"])
    others = {key for row in rows.values() if row["others"] for key in json.loads(row["others"])}
    ids = {row["key"]: row["id"] for row in store.all("claim_turn_ids", keys=encode_keys(others))} if others else {}
    return [(claim_of(rows[key], said, ids), rows[key]) for key in dict.fromkeys(keys) if key in rows]


def whole_name(row: Row) -> str:
    """Whom a claim is about; somebody's common noun by whose it is: "Ana's sister"."""
    name = row["subject_name"] or UNKNOWN
    return f"{row['subject_owner']}'s {name}" if row["subject_owner"] and not is_proper(name) else str(name)


def claim_of(row: Row, said: dict[int, list[str]], ids: dict[int, str]) -> Claim:
    more = tuple(ids[key] for key in json.loads(row["others"]) if key in ids) if row["others"] else ()
    questions: Any = json.loads(row["questions"]) if row["questions"] else ()
    return Claim(
        subject=whole_name(row),
        subject_type=row["subject_type"] or "person",
        relation=row["relation"],
        value=row["value"],
        value_type=row["object_type"] or "text",
        speaker=row["speaker"],
        conversation=row["conversation"],
        session=row["session_id"],
        turn_ids=(row["turn_id"], *more),
        said_at=from_micros(row["said_at"]),
        quote=row["quote"],
        start=row["start"],
        valid_from=None if row["valid_from"] is None else from_micros(row["valid_from"]),
        valid_to=None if row["valid_to"] is None else from_micros(row["valid_to"]),
        negated=bool(row["negated"]),
        modality=row["modality"],
        confidence=row["confidence"],
        mentioned_by=tuple(said[row["fact"]]),
        method=row["method"],
        questions=tuple((question, answer) for question, answer in questions),
        id=row["id"],
    )
