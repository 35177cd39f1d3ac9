"""Whose words a question asks for."""

from __future__ import annotations

import pytest

from engramma.language.whose_words import asks_for_answers, asks_of_oneself


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend for my back pain?",
        "Remind me which oil you suggested for the hinges.",
        "Which books have you mentioned so far?",
        "Can you give me a summary of the kitchen project?",
        "What have we discussed about the lease?",
        "What was your advice on the deposit?",
        "What did the assistant say about tides?",
    ],
)
def test_a_question_for_what_was_answered(question: str) -> None:
    assert asks_for_answers(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where did I meet Laura?",
        "What would you recommend for my back?",  # it asks for advice, not for what was advised
        "Can you help me set up a cache for my app?",
        "Which of our neighbours has a dog?",
        "What was said about tides?",
        "Wo habe ich Laura getroffen?",
    ],
)
def test_a_question_for_something_else(question: str) -> None:
    assert not asks_for_answers(question)


@pytest.mark.parametrize("question", ["Where did I meet Laura?", "How old is my aunt?", "Show me the plan", "I’m in?"])
def test_a_question_of_oneself(question: str) -> None:
    assert asks_of_oneself(question)


@pytest.mark.parametrize("question", ["What was said about tides?", "What is i.MX6?", "Who is Mimi?", ""])
def test_a_question_of_others(question: str) -> None:
    assert not asks_of_oneself(question)
