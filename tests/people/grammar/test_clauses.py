"""Clauses: what a sentence without a subject says, and how long it takes to see that there is none."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from engramma import Turn
from engramma.people.claims.extract import extract

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def said(text: str) -> set[tuple[str, str]]:
    turns = [Turn("Ann", text, START, id="t1")]
    return {(claim.relation, claim.value) for claim in extract(turns, "chat", "one", ())}


@pytest.mark.parametrize("text", ["Finally moved to Oslo.", "(and then moved to Oslo.", "Yes, moved to Oslo."])
def test_a_sentence_begins_with_its_verb(text):
    assert ("moved_to", "Oslo") in said(text)


@pytest.mark.parametrize("mark", ["(", "—", "( ", "so ", "really "])
def test_a_page_of_marks_is_read_at_once(mark):
    began = time.process_time()
    said(mark * 4_000)
    assert time.process_time() - began < 4
