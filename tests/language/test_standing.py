"""What is to be done always, told from what merely has such a word."""

from __future__ import annotations

import pytest

from engramma.language.standing import asks_what_was_said, is_standing_instruction


@pytest.mark.parametrize(
    "message",
    [
        "Always give temperatures in Celsius when I ask about baking.",
        "Please never send me links to videos.",
        "From now on, answer in French.",
        "Also, whenever I ask about trains, tell me the platform first.",
        "Could you always add the price in euros?",
        "ok, going forward use short sentences",
        "Don’t ever book a window seat for me.",
        "Every time I plan a trip, remind me of my passport.",
        "Always embed the source.",
        "Never feed the model real names.",
        "Can you please always answer in Dutch?",
        "Could you please never use emoji?",
    ],
)
def test_standing_instructions(message):
    assert is_standing_instruction(message)


@pytest.mark.parametrize(
    "message",
    [
        "Never mind, I found it.",
        "Always been a fan of that band.",
        "I always forget my keys.",
        "My sister never calls from now on.",
        "What should I always pack?",
        "Nevertheless, let us go.",
        "Never again!",
        "Never, ever again am I flying with them!",
        "Always wondered why cats purr.",
        "Never tried sushi before, what should I order?",
        "Never seen that error. What is it?",
        "Never got the parcel.",
        "Always happy to help!",
        "Always late, that is me.",
        "Never going back to that dentist.",
        "",
    ],
)
def test_other_messages(message):
    assert not is_standing_instruction(message)


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("What was said about the budget?", True),
        ("Hi! When did I mention my new job?", True),
        ("How often have we talked about Rome?", True),
        ("What can you tell me about Rome?", False),
        ("Which hotel should I book for the trip we discussed?", False),
        ("How should I format my letter?", False),
    ],
)
def test_questions_about_the_talk_itself(question, is_so):
    assert asks_what_was_said(question) is is_so
