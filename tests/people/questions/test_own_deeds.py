"""What somebody else did or has is no answer to what the one who asks did or has."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people.questions.doers import AskedSubject
from engramma.people.questions.own_deeds import is_anothers_deed, is_anothers_thing

ME = AskedSubject(frozenset(), True)


@pytest.mark.parametrize(
    ("question", "sentence", "is_anothers"),
    [
        ("Where did I keep bees?", "She kept bees behind the chapel.", True),
        ("Where did I keep bees?", "I kept bees behind the chapel, my aunt did too.", False),
        ("How long have I had asthma?", "She herself has had it in the lungs, 30 years.", True),
        ("How long have I had asthma?", "30 years now, and it never got better.", False),
        ("How long have I had asthma?", "Thirty years I wheeze, she says I exaggerate.", False),
        ("When did I catch measles?", "My cousin Ottokar went on holiday and caught measles.", True),
        ("Which bus do I drive now?", "He's 30, he drives the 14 in Graz.", True),
        ("Which bus do I drive now?", "I'm driving the 14 since May.", False),
        ("Which bus do I drive now?", "I love him but he drives the 14 like a tractor.", True),
        ("How many books did I read?", "I've been on a streak lately, having read fifteen.", False),
        ("What did I finally clean?", "I'm glad I got around to cleaning the oven.", False),
        ("What did Ada drive?", "He drives the 14.", False),
        ("What is my hat made of?", "She says felt.", False),
    ],
)
def test_a_deed_is_told_of_who_did_it(question, sentence, is_anothers):
    assert is_anothers_deed(question, sentence, ME) is is_anothers


@pytest.mark.parametrize(
    ("question", "sentence", "is_anothers"),
    [
        ("What is my cholesterol?", "On account of his cholesterol, it was 7.2.", True),
        ("Where does my sister live?", "Ada wants to be near her sister in Graz.", True),
        ("Where does my sister live?", "Ada's sister lives in Graz, my sister in Linz.", False),
        ("Where does my sister live?", "The sister is in Linz.", False),
        ("Where does Ada's sister live?", "Ada wants to be near her sister in Graz.", False),
    ],
)
def test_a_thing_is_told_of_whose_it_is(question, sentence, is_anothers):
    assert is_anothers_thing(question, sentence) is is_anothers


def test_what_another_did_is_only_shown(tmp_path):
    at = datetime(2026, 5, 3, 12, tzinfo=UTC)
    with Memory.open(tmp_path) as memory:
        memory.remember_session(
            conversation="help",
            session="one",
            turns=[
                Turn("user", "Write a card for Ottokar. He used to keep bees behind the chapel in Graz.", said_at=at),
                Turn("assistant", "Dear Ottokar, may your days be sweet.", said_at=at),
                Turn("user", "I kept goats on the hill above Weiz before that.", said_at=at),
            ],
        )
        assert memory.ask("Where did I keep bees?").verdict != "answered"
        assert "Weiz" in memory.ask("Where did I keep goats?").text
