"""Recall within bounds: by speaker, time, tag and source, on every recipe, before anything is cut off."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from engramma import BadInput, Memory, Query
from engramma.recall.across_namespaces import recall_together
from engramma.recall.recipes import RECIPES
from tests.conftest import START, talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

TOO_EARLY = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))  # in the year 0 elsewhere
LOUD = 300  # turns of somebody else that are nearer to the question than what is asked for


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("filters") / "store", embedder=HashEmbedder()) as opened:
        for number in range(LOUD // 10):
            lines = [f"Bob: the boat is red {number * 10 + line}" for line in range(10)]
            opened.remember_session("harbour", f"b{number}", talk(*lines, day=number, prefix=f"b{number}-"))
        for number in range(5):
            quiet = f"Ana: a boat of another colour lies at pier {number} tonight and nobody knows whose it is"
            turns = talk(quiet, day=100 + number, prefix=f"a{number}-")
            opened.remember_session("pier", f"a{number}", turns, source="whatsapp")
        later = START + timedelta(days=200)
        opened.remember("the boat is insured", tags=["boat", "papers"], source="letter", at=later)
        opened.remember("the boat is painted", tags=["boat"], at=later + timedelta(days=1))
        yield opened


def said(found):
    return [candidate.text for candidate in found.candidates]


@pytest.mark.parametrize("recipe", sorted(set(RECIPES) - {"pmg"}))  # pmg's floor of 0.6 is its own
def test_whoever_is_asked_for_is_found_however_much_others_say(memory, recipe):
    found = memory.recall("boat red", k=5, recipe=recipe, speaker="ana")
    assert len(found.entries) == 5
    assert {name for candidate in found.candidates for name in candidate.speakers} == {"Ana"}


def test_a_span_has_its_beginning_and_not_its_end(memory):
    day = START + timedelta(days=101, minutes=1)
    assert [text[:40] for text in said(memory.recall("the boat", since=day, until=day + timedelta(days=1)))] == [
        "a boat of another colour lies at pier 1 "
    ]
    assert said(memory.recall("the boat", since=day - timedelta(days=1), until=day)) == [
        text for text in said(memory.recall("the boat", speaker="Ana")) if "pier 0" in text
    ]


def test_tags_and_sources(memory):
    assert said(memory.recall("the boat", tag="papers")) == ["the boat is insured"]
    assert set(said(memory.recall("the boat", tag="boat"))) == {"the boat is insured", "the boat is painted"}
    assert said(memory.recall("the boat", source="letter")) == ["the boat is insured"]
    assert len(memory.recall("the boat", source="whatsapp").entries) == 5


def test_bounds_are_met_together(memory):
    assert said(memory.recall("the boat", speaker="user", tag="boat", source="letter")) == ["the boat is insured"]
    assert said(memory.recall("the boat", speaker="Ana", tag="boat")) == []


def test_a_document_is_a_source_by_its_name(memory, tmp_path):
    path = tmp_path / "manual.md"
    path.write_text("# Boat\n\nThe boat needs new ropes every other year.\n", encoding="utf-8")
    memory.documents.ingest(path, name="manual")
    try:
        (text,) = said(memory.recall("boat", source="manual"))
        assert "new ropes" in text
    finally:
        memory.forget(conversation="engramma:documents")


def test_what_nobody_said_is_told(memory):
    for bounds, remark in (
        ({"speaker": "Zoe"}, "nobody called 'Zoe' has spoken here"),
        ({"tag": "attic"}, "no note has the tag 'attic'"),
        ({"source": "slack"}, "nothing comes from 'slack'; known: whatsapp"),
    ):
        found = memory.recall("the boat", **bounds)
        assert found.candidates == () and remark in found.trace.notes


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"since": datetime(2026, 1, 1)}, "since must be a datetime with a time zone"),
        ({"until": "2026-01-01"}, "until must be a datetime with a time zone"),
        ({"since": TOO_EARLY}, "since cannot be used: the time is outside the calendar in UTC"),
        ({"as_of": TOO_EARLY}, "as_of cannot be used: the time is outside the calendar in UTC"),
        ({"asked_at": TOO_EARLY}, "asked_at cannot be used: the time is outside the calendar in UTC"),
        ({"since": START, "until": START}, "must be before until"),
        ({"speaker": " "}, "speaker must be a name"),
        ({"tag": 7}, "tag must be a name"),
        ({"source": "x" * 1001}, "source must be a name of at most 1000 characters"),
    ],
)
def test_values_that_mean_nothing_are_refused(memory, bounds, words):
    with pytest.raises(BadInput, match=words):
        memory.recall("the boat", **bounds)


@pytest.mark.parametrize("bound", ["since", "until"])
def test_nothing_is_forgotten_before_the_calendar_begins(memory, bound):
    with pytest.raises(BadInput, match=f"{bound} cannot be used"):
        memory.forget(**{bound: TOO_EARLY})


def test_a_query_carries_them_also_over_several_namespaces(memory):
    assert said(memory.recall(Query("the boat", tag="papers"))) == ["the boat is insured"]
    together = recall_together({"default": memory}, "the boat", tag="papers")
    assert [one.candidate.text for one in together.candidates] == ["the boat is insured"]


def test_a_first_name_bounds_to_the_only_one_who_speaks_under_it(memory):
    lines = ["Siân Slams: the dinghy is blue", "Dave Bread: the dinghy leaks", "Dave Ref: the dinghy is sold"]
    memory.remember_session("club", "b", talk(*lines, day=300, prefix="club-"))
    assert said(memory.recall("dinghy", speaker="sian")) == ["the dinghy is blue"]
    several = memory.recall("dinghy", speaker="dave")
    assert several.candidates == () and several.trace.notes[0].startswith("'dave' may be Dave ")
