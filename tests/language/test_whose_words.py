"""Whose words a question asks for."""

from __future__ import annotations

import pytest

from engramma.language.whose_words import asks_for_own_words


@pytest.mark.parametrize(
    "question",
    [
        "Where did I meet Laura?",
        "How old is my aunt?",
        "What would you recommend for my back?",  # it asks for advice, not for what was advised
        "Can you help me set up a cache for my app?",
        "When do I’ve to leave?",
        "Show me the plan",
    ],
)
def test_a_question_for_what_one_said(question: str) -> None:
    assert asks_for_own_words(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend for my back pain?",
        "Remind me which oil you suggested for the hinges.",
        "Which books have you mentioned to me so far?",
        "Can you give me a summary of my kitchen project?",
        "What have we discussed about my lease?",
        "What was your advice on my deposit?",
        "What did the assistant say about my lease?",
        "What was said about tides?",
        "What is i.MX6?",
        "Who is Mimi?",
        "Which of our neighbours has a dog?",
        "",
    ],
)
def test_a_question_for_something_else(question: str) -> None:
    assert not asks_for_own_words(question)
