"""What a text must speak of to answer a question for somebody's somebody, for a number or for a birth."""

from __future__ import annotations

import pytest

from engramma.people.questions.kind_of_answer import has_marks
from engramma.people.questions.owned_things import owned_noun, speaks_of_owned


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Who is my accountant?", "accountant"),
        ("Who was our old landlord?", "landlord"),
        ("What is the name of my cat?", "cat"),
        ("What is the name of Yuki's husband?", "husband"),
        ("What's Anna Keller's dog called?", "dog"),
        ("What is our boat's name?", "boat"),
        ("Who is my physio now?", "physio"),
        ("Who is my accountant's brother?", "brother"),
        ("Who is Anthony?", ""),
        ("Who is the treasurer of the club?", ""),
        ("What is my salary?", ""),
        ("What is the name of the playlist I created?", ""),
        ("What did my sister say?", ""),
    ],
)
def test_what_is_asked_for_is_somebodys(question: str, noun: str) -> None:
    assert owned_noun(question) == noun


@pytest.mark.parametrize(
    ("question", "text", "is_spoken_of"),
    [
        ("Who is my accountant?", "Our conductor is Gwilym Parry.", False),
        ("Who is my accountant?", "I changed accountants, now it is Gwen.", True),
        ("What is the name of Yuki's husband?", "She married a ferry captain called Haruto.", False),
        ("Who is my mother?", "Mum is Ruth.", True),
        ("Where does Ann live?", "In Bern.", True),
    ],
)
def test_the_answer_speaks_of_it(question: str, text: str, is_spoken_of: bool) -> None:
    assert speaks_of_owned(question, text) is is_spoken_of


@pytest.mark.parametrize(
    ("question", "text", "has"),
    [
        ("What is Marcus's phone number?", "Ferry on the 15th of August, ref PXQ3318B", False),
        ("What is Marcus's phone number?", "call me on +41 79 555 01 23", True),
        ("What is Ann's email address?", "write to ann@example.org", True),
        ("What is Ann's email address?", "write to Ann", False),
        ("When was Priya born?", "I'm vegetarian again, since May", False),
        ("When was Priya born?", "My birthday is in May", True),
        ("How many phone numbers do I have?", "two", True),
    ],
)
def test_numbers_and_births_have_their_marks(question: str, text: str, has: bool) -> None:
    assert has_marks(question, text) is has
