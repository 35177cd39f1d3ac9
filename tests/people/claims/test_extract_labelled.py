"""Claims of the demo's talk that were labelled by reading it: who is right about whom, and how many are found."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from engramma.people.claims.extract import extract
from engramma.people.claims.relations import RELATIONS
from engramma.records import Turn
from engramma.records.people import Claim

LABELS = Path(__file__).parent / "claims_labelled.jsonl"
LEAST_ATTRIBUTED = 0.97
LEAST_FOUND = 0.6


@cache
def demo() -> dict[tuple[str, str], tuple[Turn, ...]]:
    """The demo's sessions by conversation and session."""
    found: dict[tuple[str, str], list[Turn]] = defaultdict(list)
    text = (resources.files("engramma.apps.demo") / "conversations.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        row = json.loads(line)
        if row.get("type") == "turn":
            said_at = datetime.fromisoformat(row["said_at"])
            turn = Turn(row["speaker"], row["text"], said_at, row["id"], row["role"])
            found[row["conversation"], row["session"]].append(turn)
    return {key: tuple(turns) for key, turns in found.items()}


@cache
def claims_by_turn() -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = defaultdict(list)
    for (conversation, session), turns in demo().items():
        for claim in extract(turns, conversation, session):
            found[claim.turn_ids[0]].append(claim)
    return found


def labels() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]


def text_of(turn_id: str) -> str:
    return next(turn.text for turns in demo().values() for turn in turns if turn.id == turn_id)


def words(text: str) -> set[str]:
    return {word.strip(".,'").lower() for word in text.split()} - {"the", "a", "an", "my", "of"}


def found_for(label: dict[str, Any]) -> Claim | None:
    """The claim that says the labelled thing in the labelled words, whoever it is about."""
    start = text_of(label["turn"]).index(label["quote"])
    end = start + len(label["quote"])
    near = [
        claim
        for claim in claims_by_turn()[label["turn"]]
        if claim.start < end and start < claim.start + len(claim.quote)
    ]
    alike = [claim for claim in near if words(label["value"]) & words(claim.value)]
    alike.sort(
        key=lambda claim: (claim.relation != label["relation"], -len(words(label["value"]) & words(claim.value)))
    )
    return alike[0] if alike else None


def test_the_sample_is_of_a_hundred_claims_and_quotes_what_was_said():
    rows = labels()
    assert len(rows) >= 100
    assert {row["relation"] for row in rows} <= set(RELATIONS)
    assert all(row["quote"] in text_of(row["turn"]) for row in rows)


def test_claims_belong_to_whom_they_are_about_and_to_who_said_them():
    pairs = [(row, claim) for row in labels() if (claim := found_for(row)) is not None]
    wrong = [
        (row["quote"], claim.subject)
        for row, claim in pairs
        if (claim.subject, claim.speaker) != (row["subject"], row["speaker"])
    ]
    assert len(pairs) - len(wrong) >= LEAST_ATTRIBUTED * len(pairs), wrong


def test_most_of_the_labelled_claims_are_found():
    rows = labels()
    missed = [row["quote"] for row in rows if found_for(row) is None]
    assert len(rows) - len(missed) >= LEAST_FOUND * len(rows), missed


def test_what_is_denied_planned_or_wished_is_told_apart():
    pairs = [(row, claim) for row in labels() if (claim := found_for(row)) is not None]
    alike = [
        (row, claim) for row, claim in pairs if (claim.negated, claim.modality) == (row["negated"], row["modality"])
    ]
    assert len(alike) >= 0.85 * len(pairs)
    assert all(claim.negated == row["negated"] for row, claim in pairs)
