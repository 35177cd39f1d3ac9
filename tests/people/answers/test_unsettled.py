"""What may be, what is wanted, what an assistant is asked for: none of it tells what is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people.answers.sentences import asks_somebody, asks_the_same
from engramma.people.answers.unsettled import is_request, is_tentative


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
        ("i need a column in excel that turns tonnes into cubic metres", True),
        ("Can you suggest a quick dinner?", True),
        ("Thanks! Please write a letter to the council.", True),
        ("I need a plan for the mother of the bride, who is called Patty", False),
        ("Give me a plan without running, my left heel is sore", False),
        ("The formula is on the second sheet", False),
    ],
)
def test_what_an_assistant_is_asked_for(sentence, is_so):
    assert is_request(sentence) is is_so


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


def test_a_question_that_was_asked_before_is_no_answer():
    asked = "When will I finish the shawl?"
    assert asks_the_same("when will i finish if i start on row 61 tomorrow", asked)
    assert not asks_the_same("i will finish when i start on row 61", asked)
    assert not asks_the_same("when will she finish", asked)


@pytest.mark.parametrize("question", ["Who is Norman?", "What is Norman?"])
def test_a_quote_that_says_no_more_than_the_question_is_no_answer(tmp_path, question):
    with Memory.open(tmp_path / "store") as memory:
        at = datetime(2026, 11, 7, 20, tzinfo=UTC)
        said = (("Ann", "what are you calling the kitten"), ("Jean", "norman"), ("Ann", "norman"))
        memory.remember_session("cats", "one", [Turn(who, text, at) for who, text in said])
        assert memory.ask(question).verdict != "answered"


def test_what_came_about_is_told_rather_than_the_plan(tmp_path):
    said = (
        (5, 5, "the new software is called Tonnex. Tonnex going live 1 June"),
        (7, 6, "Tonnex went live today. all 41 trucks got out"),
        (8, 9, "Might repaint the kitchen green"),
        (8, 26, "The kitchen will be yellow, not green. Bought the paint"),
    )
    with Memory.open(tmp_path / "store") as memory:
        for month, day, text in said:
            memory.remember_session(
                "work", f"s{month}-{day}", [Turn("Orla", text, datetime(2026, month, day, 12, tzinfo=UTC))]
            )
        assert "went live today" in memory.ask("When did Tonnex actually go live?").quote
        assert "yellow" in memory.ask("What colour did Orla paint the kitchen?").text
