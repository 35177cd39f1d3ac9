"""What is asked of somebody and was never spoken of by anybody is no answer, whatever was found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engramma import Memory
from tests.people.answers.everyday import Session
from tests.people.answers.test_everyday import told

TALKS: dict[str, list[Session]] = {
    "garden": [
        (
            "2025-05-11T09:00",
            [
                "Ferdi: I looked at the Hartmann greenhouse yesterday, 1,890 euros, nice hinges.",
                "Bao: The Gardena one is 1,240. I'd think twice about Hartmann.",
                "Nadine: Bao you are a star. I start at the Stadtwerke on 1 June by the way!",
                "Lucinda: I visited the seed fair in Freising on Saturday.",
                "Bao: I repaired the water pump this morning. It was only the seal.",
                "Ferdi: The meeting with the council is on 9 September at 7 pm.",
                "Lucinda: I priced the green paint, 64 for two tins. Not buying before June.",
                "Ferdi: My dog Wastl is seven years old, he sleeps in the hut.",
            ],
        ),
    ],
    "chat": [
        (
            "2025-07-19T08:00",
            [
                "user: I run 8 km every Sunday along the river.",
                "assistant: That is a good habit.",
                "user: I bought a Brompton last Tuesday for 1,650 euros. How do I fold it?",
                "assistant: Fold the rear wheel under, then the main frame, then the handlebar.",
                "user: I wear glasses and I am 34 years old.",
                "assistant: Noted.",
            ],
        ),
    ],
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("never") / "store") as memory:
        told(memory, TALKS)
        yield memory


@pytest.mark.parametrize(
    "question",
    [
        "What is Ferdi's shoe size?",
        "What is Bao's blood type?",
        "What is Lucinda's middle name?",
        "What star sign is Bao?",
        "When did Ferdi get his driving licence?",
        "How many children does Bao have?",
        "What is the name of Bao's hamster?",
        "What is my shoe size?",
        "What is my passport number?",
        "What is Lucinda's maiden name?",
        "Which bus does Ferdi take to his dentist?",
    ],
)
def test_what_nobody_spoke_of_is_not_guessed(memory: Memory, question: str) -> None:
    found = memory.ask(question)
    assert found.abstained
    assert found.text == found.short == ""


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How old is Ferdi's dog?", "seven"),
        ("What is the name of Ferdi's dog?", "Wastl"),
        ("How much did I pay for my Brompton?", "1,650"),
        ("When is the meeting with the council?", "9 September"),
    ],
)
def test_what_was_told_is_answered(memory: Memory, question: str, words: str) -> None:
    assert words in memory.ask(question).text


@pytest.mark.parametrize(
    ("question", "is_said"),
    [
        ("Did Ferdi buy the Hartmann greenhouse?", False),
        ("Did Lucinda buy the green paint?", False),
        ("Did Bao sell the water pump?", False),
        ("Did Lucinda organise the seed fair in Freising?", False),
        ("Did I sell my Brompton?", False),
        ("Did Bao repair the water pump?", True),
        ("Did Lucinda visit the seed fair in Freising?", True),
        ("Did I buy a Brompton?", True),
    ],
)
def test_yes_is_answered_only_where_the_verb_is_said(memory: Memory, question: str, is_said: bool) -> None:
    found = memory.ask(question)
    assert found.text == ("Yes" if is_said else "")
    assert is_said or found.quote  # what was found is shown
