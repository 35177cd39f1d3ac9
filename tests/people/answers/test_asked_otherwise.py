"""A question asked otherwise: of whoever else speaks of it, and without the words that the best turn lacks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.models.reader import Passage, PassageReading, load_reader
from engramma.people.answers.asked_otherwise import read_otherwise
from engramma.people.answers.attribution import AttributedQuestion, attributed
from engramma.people.answers.read_turns import read_turns
from engramma.people.answers.sentences import telling
from engramma.people.answers.turns import RecalledTurn

AT = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)


def said(speaker: str, to: str, text: str, score: float = 0.5) -> RecalledTurn:
    return RecalledTurn("c", "s", text[:12], speaker, AT, text, 0.2, 7.0, (to,), text, "", score)


def otherwise(question: str, *turns: RecalledTurn, people: tuple[str, ...] = ("Ana",)) -> dict[str, float]:
    """By the packaged reader."""
    words = telling(question, people, AT)
    asked = AttributedQuestion(people, dict.fromkeys(words, 0.8), words)
    found, read = attributed(asked, turns), load_reader().read
    own = read_turns(read, question, [one.said for one in found if one.own >= 0.5], asked.rarity)
    return read_otherwise(read, question, asked, found, own)


def questions_read(question: str, people: tuple[str, ...], *turns: RecalledTurn) -> list[str]:
    """How the question is asked of others' turns."""
    words, asked_as = telling(question, people, AT), list[str]()

    def note(text: str, passages: Sequence[Passage]) -> list[PassageReading]:
        asked_as.append(text)
        return [PassageReading(0.0, 0.0, 0, 1) for _ in passages]

    asked = AttributedQuestion(people, dict.fromkeys(words, 0.8), words)
    found = attributed(asked, turns)
    own = read_turns(note, question, [one.said for one in found if one.own >= 0.5], asked.rarity)
    asked_as.clear()
    read_otherwise(note, question, asked, found, own)
    return asked_as


RACE = said("Ben", "Ana", "I ran a charity race for the animal shelter last Saturday.")
TRIP = said("Ana", "Ben", "I took a long train to Lisbon and slept all the way.")


def test_what_somebody_else_did_is_answered_better_by_their_name():
    of_other = otherwise("What did Ana run a charity race for?", TRIP, RACE)["others"]
    of_own = otherwise("Where did Ana take a train to?", TRIP, RACE)["others"]
    assert of_other > 2 > 0 > of_own


def test_what_has_another_thing_in_it_is_answered_better_without_that():
    class_ = said("Ana", "Ben", "I signed up for a cooking class because I wanted to learn something new.")
    changed = otherwise("Why did Ana sign up for a ballet class?", class_, RACE)["changed"]
    as_said = otherwise("Why did Ana sign up for a cooking class?", class_, RACE)["changed"]
    assert changed > as_said == 0


@pytest.mark.parametrize(
    ("question", "person", "asked"),
    [
        ("What did Melanie's race raise?", "Melanie", "What did Ben's race raise?"),
        ("What did Mel run for, and did Mel win?", "Melanie", "What did Ben run for, and did Ben win?"),
        ("what did zoë le goff run for?", "Zoë Le Goff", "what did Ben run for?"),
        ("What did Zoe run for?", "Zoë Le Goff", "What did Ben run for?"),
    ],
)
def test_others_are_asked_by_their_own_name(question, person, asked):
    own = said(person, "Ben", "I ran for the race, and I raised a lot.")
    assert asked in questions_read(question, (person,), own, RACE)


def test_two_who_are_named_have_no_other_in_their_place():
    both = said("Ana", "Ben", "We ran together.")
    assert "others" not in otherwise("What did Ana and Ben run for?", both, RACE, people=("Ana", "Ben"))


def test_a_question_that_names_nobody_is_not_asked_otherwise():
    assert otherwise("Who ran a race?", TRIP, RACE, people=()) == {}


def test_what_is_somebody_elses_is_not_known(tmp_path):
    with Memory.open(tmp_path) as memory:
        turns = [
            ("Ana", "I signed up for a cooking class two days ago, I wanted to learn something new."),
            ("Ben", "Great! I adopted a kitten from the shelter, she is called Miso."),
            ("Ana", "Lovely. My train to Lisbon leaves on Friday, I booked a window seat."),
            ("Ben", "Enjoy it! I have to repair the roof of the shed before the rain."),
        ]
        memory.remember_session(
            conversation="Ana and Ben",
            session="s",
            turns=[Turn(speaker=who, text=text, said_at=AT, id=f"t{n}") for n, (who, text) in enumerate(turns)],
        )
        assert "Miso" in memory.ask("What is the name of Ben's kitten?").text
        assert memory.ask("What is the name of Ana's kitten?").verdict == "not known"
        assert memory.ask("What does Ana have to repair?").verdict == "not known"
