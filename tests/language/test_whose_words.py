"""Whose words a question asks for."""

from __future__ import annotations

import pytest

from engramma.language.whose_words import asks_for_own_words, asks_of_before, asks_what_was_said


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


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("What was said about the budget?", True),
        ("Hi! When did I mention my new job?", True),
        ("How often have we talked about Rome?", True),
        ("What can you tell me about Rome?", False),
        ("Which hotel should I book for the trip we discussed?", False),
        ("How should I format my letter?", False),
        ("When was the leaking roof discussed?", True),
        ("What has been said about the roof so far?", True),
        ("Who mentioned the blue folder?", True),
        ("What does Ines say about the roof?", True),
        ("How often do we talk about money?", True),
        ("Did anybody mention the blue folder?", True),
        ("Has my brother ever said anything about the farm?", True),
        ("Was the farm ever mentioned?", True),
        ("Have I ever told you about my uncle's farm?", True),
        ("How do I tell my boss I quit?", False),
        ("What should I say to my sister?", False),
        ("What do I say at a funeral?", False),
        ("How do you say thank you in Thai?", False),
        ("How does one tell a crow from a raven?", False),
        ("When do I have to tell my landlord that I move out?", False),
        ("Where do people talk about old radios?", False),
        ("What do you say to a glass of wine?", False),
        ("Do I have to mention the scratch when I sell the car?", False),
        ("Who should I tell about the noise?", False),
    ],
)
def test_questions_about_the_talk_itself(question, is_so):
    assert asks_what_was_said(question) is is_so


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("Which oven did we buy?", True),
        ("Name a musician who came to the wedding.", True),
        ("Name two of the plants that had mildew", True),
        ("Name the function after what it returns", False),
        ("Name all variables in snake case", False),
        ("Rename the branch that was merged", False),
        ("Why does it fail?", False),
    ],
)
def test_questions_about_what_was(question: str, is_so: bool) -> None:
    assert asks_of_before(question) is is_so
