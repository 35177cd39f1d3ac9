"""Questions about oneself: the user by name and "I" are one."""

from __future__ import annotations

import pytest

from engramma.people.questions.question import ParsedQuestion
from engramma.people.questions.question_scope import route
from engramma.people.questions.self_questions import of_oneself

NAMES = ("Nadine Brunner", "user")
PEOPLE = {"Nadine Brunner": {"choir"}, "user": {"chat"}, "assistant": {"chat"}, "Isolde": {"choir"}}


@pytest.mark.parametrize(
    ("theirs", "own"),
    [
        ("Where does Nadine work?", "Where do I work?"),
        ("What is Nadine's cat called?", "What is my cat called?"),
        ("Is Nadine the treasurer?", "Am I the treasurer?"),
        ("has nadine brunner paid?", "Have I paid?"),
        ("Who drove with Nadine?", "Who drove with me?"),
        ("What did Nadine Brunner sell?", "What did I sell?"),
        ("Where does Isolde work?", "Where does Isolde work?"),
    ],
)
def test_a_question_about_the_user_is_one_about_oneself(theirs: str, own: str) -> None:
    assert of_oneself(theirs, NAMES) == own


def test_a_name_that_is_a_word_is_meant_with_its_capital() -> None:
    assert of_oneself("When will Will start?", ("Will",)) == "When will I start?"


@pytest.mark.parametrize("question", ["Where does Nadine live?", "Where do I live?"])
def test_the_user_is_looked_for_under_every_name(question: str) -> None:
    found = route(question, PEOPLE, own=NAMES)
    assert found.named == NAMES
    assert found.person == "Nadine Brunner"
    assert found.conversations == ("chat", "choir")


def test_the_user_and_somebody_else_are_looked_for_where_both_talk() -> None:
    found = route("What did Nadine tell Isolde?", PEOPLE, own=NAMES)
    assert found.named == (*NAMES, "Isolde")
    assert found.conversations == ("choir",)


def test_without_a_word_who_it_is_the_user_has_no_name() -> None:
    assert route("Where do I live?", PEOPLE).named == ("user",)
    assert route("Where does Nadine live?", PEOPLE).named == ("Nadine Brunner",)


def test_only_a_question_about_the_user_alone_is_asked_as_ones_own() -> None:
    both = ParsedQuestion("What did Nadine tell Isolde?", PEOPLE, me=NAMES)
    assert both.as_own() is both
    # who never chats with an assistant
    talk = ParsedQuestion("Where does Nadine work?", PEOPLE, me=("Nadine Brunner",))
    assert talk.as_own() is talk
    assert ParsedQuestion("Where does Nadine work?", PEOPLE, me=NAMES).as_own().text == "Where do I work?"
