"""A budget of tokens is filled with as many entries as fit, unless their number is asked for."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.language.text import estimate_tokens
from engramma.records.query import ENTRIES, MOST_IN_BUDGET
from tests.conftest import talk

ROOMS = 60


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("house") / "store") as memory:
        for number in range(ROOMS):
            lines = talk(f"Ana: The boiler in room {number} leaks.", day=number, prefix=f"r{number}-")
            memory.remember_session(conversation="house", session=f"s{number}", turns=lines)
        yield memory


def entries(found):
    return [one.segment_id for one in found.candidates if one.role == "entry"]


def test_without_a_budget_there_are_ten(memory):
    assert len(entries(memory.recall("Which boiler leaks?"))) == ENTRIES


def test_a_budget_is_filled(memory):
    few, many = (memory.recall("Which boiler leaks?", budget_tokens=size) for size in (150, 1500))
    for found, size in ((few, 150), (many, 1500)):
        assert estimate_tokens(found.context) <= size
        assert {one.segment_id for one in found.candidates} == set(found.shown)
        assert "left_out_of_context" in found.trace.counts
    assert 1 <= len(entries(few)) < ENTRIES < len(entries(many)) <= MOST_IN_BUDGET
    assert entries(many)[: len(entries(few))] == entries(few)
    assert few.trace.counts["left_out_of_context"] > 0 == many.trace.counts["left_out_of_context"]


def test_a_number_that_is_asked_for_stays(memory):
    assert len(entries(memory.recall("Which boiler leaks?", k=3, budget_tokens=4000))) == 3
    assert len(entries(memory.recall("Which boiler leaks?", k=12, budget_tokens=150))) == 12


def test_a_plan_with_a_number_of_entries_keeps_it(memory):
    assert len(entries(memory.recall("Which boiler leaks?", recipe="pmg", budget_tokens=4000))) <= 3
