"""What may be, what is wanted, what was taken back: none of it tells what is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people.answers.sentences import asks_somebody
from engramma.people.answers.unsettled import is_tentative


@pytest.mark.parametrize(
    ("question", "sentence", "is_so"),
    [
        ("What colour did I paint the kitchen?", "Might repaint the kitchen green. Might also leave it.", True),
        ("Which song did Dad sing?", "my dad wants to sing", True),
        ("Which school is Lea at?", "thinking of moving Lea to Saint Ann's", True),
        ("What colour did I paint the kitchen?", "Might repaint the hall. The kitchen is green now.", False),
        ("What does Lea want to study?", "Lea wants to study law", False),
        ("What were we thinking of doing in May?", "Maybe the Azores", False),
        ("Where does Lea live?", "Lea lives in Bonn", False),
        ("How much did Lea get for the boat?", "A man came to see the boat. Offered 3500", True),
        ("How much did Lea get for the boat?", "A man offered 3500, sold it to Jo for 4000", False),
        ("How much did the man offer?", "Offered 3500", False),
        ("When is the sale?", "Plant sale. I say 10th May", True),
        ("How many eggs are in the fridge?", "I was thinking of using our eggs - we've got 20 dozen there", False),
        ("Where did Lea get a place?", "Lea was offered a place in Graz", False),
    ],
)
def test_what_only_may_be(question, sentence, is_so):
    assert is_tentative(question, sentence) is is_so


@pytest.mark.parametrize(
    ("sentence", "is_so"),
    [
        ("anyone want a ton of gravel", True),
        ("does anybody have the other trestle", True),
        ("are they in the green trunk", True),
        ("did dr Whitty not refer her in January", True),
        ("did the shopping with Whitty", False),
        ("Whitty is back in January.", False),
    ],
)
def test_a_question_without_its_mark(sentence, is_so):
    assert asks_somebody(sentence, "When is Dr Whitty back?") is is_so


def test_what_was_taken_back_is_no_answer(tmp_path):
    said = (
        ("Colm", "I'm moving to Peru with the goats in May"),
        ("Petra", "what?!"),
        ("Colm", "only joking, where would I get the money"),
    )
    with Memory.open(tmp_path / "store") as memory:
        at = datetime(2026, 10, 6, 9, tzinfo=UTC)
        memory.remember_session("news", "s", [Turn(who, text, at) for who, text in said])
        assert memory.ask("When is Colm moving to Peru?").abstained
