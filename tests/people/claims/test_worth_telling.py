"""Of what was said of somebody, a page leads with who they are, what they like and what happened."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people import Fact
from engramma.people.claims.worth_telling import facts_by_side, page_side
from engramma.records.people import Claim

AT = datetime(2026, 3, 1, tzinfo=UTC)


def fact(
    relation: str, value: str, *, negated: bool = False, modality: str = "fact", day: datetime | None = None
) -> Fact:
    claim = Claim("Ana", "person", relation, value, "text", "Ana", "talk", "s", ("t1",), AT, value, 0, day)
    return Fact("Ana", "person", relation, value, "text", negated, modality, (claim,))


@pytest.mark.parametrize(
    ("relation", "value", "side"),
    [
        ("works_as", "chef", "who"),
        ("is", "pregnant", "who"),
        ("from", "Houston", "who"),
        ("has_pet", "Max", "who"),
        ("has_friend", "Liza", "who"),
        ("has_friend", "close friends", "talk"),
        ("has_pet", "experiences with pets", "talk"),
        ("is_a", "junior and senior myself", "talk"),
        ("plays", "tennis", "who"),
        ("plays", "games", "talk"),
        ("plays", "so long", "talk"),
        ("likes", "carrot cake", "tastes"),
        ("likes", "trying out", "talk"),
        ("favourite", "actually ravioli", "tastes"),
        ("favourite", "by sushi or sashimi", "talk"),
        ("visited", "Santorini", "happened"),
        ("went_to", "bed", "talk"),
        ("got", "it for like 5 bucks", "talk"),
        ("got", "cold feet", "talk"),
        ("did", "went on a plane ride to Bangladesh", "happened"),
        ("did", "poured my heart out", "talk"),
        ("did", "Ran away", "talk"),
        ("feels", "afraid", "talk"),
        ("injured", "mouth raw and", "talk"),
        ("was_heard_of", "anything at all", "talk"),
    ],
)
def test_a_fact_has_its_side_of_the_page(relation: str, value: str, side: str):
    assert page_side(fact(relation, value)) == side


def test_what_is_wished_asked_or_denied_to_have_happened_is_small_talk():
    assert page_side(fact("visited", "Oslo", modality="wish")) == "talk"
    assert page_side(fact("visited", "Oslo", modality="question")) == "talk"
    assert page_side(fact("visited", "Oslo", negated=True)) == "talk"
    assert page_side(fact("likes", "Oslo", negated=True)) == "tastes"


def test_a_plan_is_told_with_a_name_or_a_day():
    assert page_side(fact("plans", "take a nap", modality="plan")) == "talk"
    assert page_side(fact("plans", "see Oslo", modality="plan")) == "happened"
    assert page_side(fact("plans", "run a marathon", modality="plan", day=AT)) == "happened"


def test_no_fact_is_lost(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = "I am a nurse. I love tea. I went to Rome. I got it. Maybe I will sing. Do I like it? I hate that."
        memory.remember_session("talk", "s", [Turn("Ana", said, AT)])
        found = memory.people.get("Ana")
    assert found is not None
    sides = facts_by_side(found.facts)
    assert sorted(map(id, found.facts)) == sorted(id(one) for facts in sides.values() for one in facts)
