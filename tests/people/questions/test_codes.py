"""Questions for a code that somebody was given, and what is one: no year, no amount."""

from __future__ import annotations

import pytest

from engramma.people.questions.codes import tells_code
from engramma.people.questions.question_form import form_of, has_shape


@pytest.mark.parametrize(
    "question",
    [
        "What is my booking reference?",
        "Whats my booking reference?",
        "what's the confirmation code for the ferry?",
        "Tell me my booking reference",
        "Please give me the order number for the lamp again.",
        "Can you remind me of my library card number?",
        "Could you please show me our policy number?",
        "Do you know my customer ID?",
        "Which ticket number did I get?",
        "My booking ref?",
        "Tracking number?",
        "Order no.?",
        "PNR?",
        "What was the PNR of my flight to Oslo?",
        "Ferry booking number?",
    ],
)
def test_questions_for_a_code(question):
    assert form_of(question).wants == "code"


@pytest.mark.parametrize(
    "question",
    [
        "What does a booking reference look like?",
        "How many order numbers are there?",
        "When did I get my booking reference?",
        "My booking reference is lost.",
        "Who has my card?",
        "Tell me about my booking",
        "Is my order number long?",
        "Where do I find my ticket number?",
        "What happens if my policy number is wrong?",
    ],
)
def test_other_questions(question):
    assert form_of(question).wants != "code"


@pytest.mark.parametrize(
    "text",
    [
        "It is X7K2QP.",
        "4471-BQ",
        "Your number: 20931",
        "The order number is 2024.",
        "Membership no. 77",
        "PNR 1987",
        "It is flight LH 441.",
        "Order #88 has been sent.",
        "Your code is 991.",
        "It is invoice 2024-00815.",
        "12-3456-7 it was",
    ],
)
def test_codes(text):
    assert has_shape("code", text)


@pytest.mark.parametrize(
    "text",
    [
        "I booked it in 2024.",
        "The booking of 1999 was the best.",
        "We paid 1,200 for it.",
        "It cost € 450 or so.",
        "It cost 450 €.",
        "EUR 1200 were due.",
        "The flight was 350.",
        "I paid 2,450.50 for the flights.",
        "about 45k",
        "The booking is for 12 March.",
        "Summer 2024-2025 is booked out.",
        "We booked it on 2024-05-03.",
        "for 3-4 of us",
    ],
)
def test_years_and_amounts_are_no_codes(text):
    assert not has_shape("code", text)


def test_whose_code_it_is():
    assert tells_code("What is my order number?", "Your order is on its way: 88-KL.")
    assert not tells_code("What is my order number?", "The tracking number is 88-KL.")
    assert tells_code("PNR?", "Your booking reference is X7K2QP.")
    assert tells_code("Whats my booking reference?", "The PNR is X7K2QP.")
    assert not tells_code("PNR?", "The order number is 88-KL.")
    assert tells_code("Who called?", "Nobody.")
