"""Which questions ask for a sum or a difference of things that they name, and which do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.people.questions.calculation import find_calculation


@pytest.mark.parametrize(
    ("question", "operation", "things", "measure"),
    [
        ("What is the total cost of the tent and the camping stove?", "sum", ("tent", "camping stove"), "money"),
        ("How much did I spend in total on the lamp, the rug and the desk?", "sum", ("lamp", "rug", "desk"), "money"),
        ("How many hours did I spend altogether at the dentist and at the bank?", "sum", ("dentist", "bank"), "time"),
        ("What is the total distance of the river walk and the lake walk I did?", "sum", None, "distance"),
        ("What was the average score of the spring and autumn exams?", "average", ("spring", "autumn exams"), ""),
        ("How much more expensive was the ferry than the bus?", "difference", ("ferry", "bus"), "money"),
        ("How many more pages did I read in March than in April?", "difference", ("March", "April"), "count"),
        ("What is the difference in price between the red bike and the blue one?", "difference", None, "money"),
        ("How much would I save by taking the coach instead of the plane?", "difference", ("coach", "plane"), "money"),
        ("How much did I save on the winter coat?", "saving", ("winter coat",), "money"),
    ],
)
def test_a_calculation_names_its_parts(question, operation, things, measure):
    found = find_calculation(question)
    assert found is not None
    assert (found.operation, found.measure) == (operation, measure)
    assert things is None or found.things == things


@pytest.mark.parametrize(
    "question",
    [
        "How much did I spend this year?",
        "What did Ana and Ben do together in May?",
        "How old am I?",
        "Which came first, the fence or the gate?",
        "How many plants do I have in total?",
        "How many years older am I than when I left school?",
        "Wie viel haben das Zelt und der Kocher zusammen gekostet?",
        "How much more do I like tea than I used to?" + " really" * 60,
        "",
    ],
)
def test_what_names_no_two_things_is_no_calculation(question):
    assert find_calculation(question) is None


WORDS = [
    "how much",
    "how many",
    "more",
    "than",
    "and",
    "of",
    "total",
    "save",
    "by",
    "instead of",
    "tent",
    ",",
    "'",
    "?",
]


@given(st.lists(st.sampled_from(WORDS), max_size=80))
def test_any_words_are_read(words):
    found = find_calculation(" ".join(words))
    assert found is None or all(thing.strip() for thing in found.things)
