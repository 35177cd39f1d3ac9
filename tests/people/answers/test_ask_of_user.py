"""Questions about the user by name are the ones that the user asks with "I", wherever it was said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engramma import Memory
from tests.people.answers.everyday import Session
from tests.people.answers.test_everyday import told

TALKS: dict[str, list[Session]] = {
    "choir": [
        (
            "2025-02-10T20:00",
            [
                "Isolde: Rehearsal moves to Tuesdays from now on.",
                "Nadine: Fine with me. I have the Fauré score, who needs one?",
                "Korbinian: Me please. I lost mine on the tram.",
                "Nadine: My sister Verena sings in the opera choir in Linz.",
                "Nadine: I start at the Stadtwerke on 1 June by the way, in the water lab!",
                "Isolde: Congratulations, Nadine!",
                "Korbinian: My cat is called Mrs Miniver, she is allergic to everything.",
                "Nadine: Isolde, thank you for the soup on Sunday.",
                "Isolde: Any time! You left your reading glasses here by the way.",
            ],
        ),
    ],
    "chat": [
        (
            "2025-07-19T08:00",
            [
                "user: My cat is called Sir Toby and he hates the vet. Any tips for the carrier?",
                "assistant: Leave the carrier open for days and put a treat in it.",
                "user: I'm allergic to hazelnuts, so no nut treats around me please.",
                "assistant: Understood, no nuts.",
                "user: I bought a Brompton last Tuesday for 1,650 euros. How do I fold it?",
                "assistant: Fold the rear wheel under, then the main frame, then the handlebar.",
                "user: My dentist is Dr. Okonjo, she found two cavities. Does flossing really help?",
                "assistant: Yes, flossing helps to prevent cavities between teeth.",
            ],
        ),
    ],
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path: Path = tmp_path_factory.mktemp("user") / "store"
    with Memory.open(path) as memory:
        told(memory, TALKS)
        memory.people.me("Nadine")
        yield memory


@pytest.mark.parametrize(
    ("theirs", "own", "words"),
    [
        ("What is Nadine's cat called?", "What is my cat called?", "Sir Toby"),
        ("What is Nadine allergic to?", "What am I allergic to?", "hazelnuts"),
        ("How much did Nadine pay for the Brompton?", "How much did I pay for the Brompton?", "1,650"),
        ("Who is Nadine's dentist?", "Who is my dentist?", "Okonjo"),
        ("Who is Nadine's sister?", "Who is my sister?", "Verena"),
        ("When did Nadine start at the Stadtwerke?", "When did I start at the Stadtwerke?", "1 June 2025"),
    ],
)
def test_the_user_by_name_and_as_i_is_one(memory: Memory, theirs: str, own: str, words: str) -> None:
    by_name, as_i = memory.ask(theirs), memory.ask(own)
    assert words in by_name.text
    assert (by_name.text, by_name.evidence, by_name.confidence) == (as_i.text, as_i.evidence, as_i.confidence)


def test_the_question_is_told_as_it_was_asked(memory: Memory) -> None:
    assert memory.ask("Who is Nadine's dentist?").question == "Who is Nadine's dentist?"


def test_somebody_else_is_asked_about_as_before(memory: Memory) -> None:
    assert "Mrs Miniver" in memory.ask("What is Korbinian's cat called?").text


def test_what_i_did_at_somebodys_is_about_both(memory: Memory) -> None:
    assert "reading glasses" in memory.ask("What did I leave at Isolde's?").quote
