"""Questions that name somebody who does not talk, or ask what an assistant by its name said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.language.whose_words import call_it_assistant
from engramma.people.answers.sentences import split_turn
from engramma.people.answers.short_answer import short_answer
from engramma.people.questions.named_others import named_others, names_another, speaks_of_them, tells_of_another
from engramma.people.questions.question_form import form_of

MAY = datetime(2026, 5, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is Ines's favourite wine?", {"ines"}),
        ("Who pays for Kofi's course?", {"kofi"}),
        ("When does Grace start in Glasgow?", {"grace"}),
        ("What did I pay for the van?", set()),
        ("What is my favourite wine?", set()),
        ("When is the hearing in Bristol?", set()),
        ("What's the confirmation number?", set()),
        ("What does Pip's dog eat?", set()),
        ("What do Marg and her kids paint?", set()),
        ("What was Margos's reaction?", set()),
    ],
)
def test_those_who_are_named_and_do_not_talk_are_told(question, names):
    assert named_others(question, ["Pip", "Margo"]) == names


def test_a_text_speaks_of_them_by_any_of_their_names():
    names = named_others("When does Declan Murphy land?", [])
    assert speaks_of_them(names, "his flight lands at five", "declan is coming!!")
    assert not speaks_of_them(names, "his flight lands at five")
    assert speaks_of_them(frozenset(), "anything")


@pytest.mark.parametrize(
    ("question", "sentence", "is_another"),
    [
        ("What is Ines's favourite wine?", "Jan's favourite wine is Picpoul.", True),
        ("What is my favourite wine?", "Jan's favourite wine is Picpoul.", True),
        ("What is Jan's favourite wine?", "Jan's favourite wine is Picpoul.", False),
        ("What is Margo's favourite wine?", "My favourite wine is Picpoul.", False),
        ("What is my wine rack made of?", "Jan's favourite wine is Picpoul.", False),
        ("What is the best wine?", "Jan's favourite wine is Picpoul.", False),
    ],
)
def test_the_same_thing_of_somebody_else_is_told(question, sentence, is_another):
    assert tells_of_another(question, sentence) is is_another


@pytest.mark.parametrize(
    ("names", "sentence", "is_another"),
    [
        ({"ifan"}, "Mabli is 17 on the 9th of June and wants lessons.", True),
        ({"ifan"}, "And Sarah starts on Monday.", True),
        ({"ifan"}, "Mabli is 17, Ifan will be 12.", False),
        ({"ifan"}, "Dinner is on Friday.", False),
        ({"ifan"}, "He is NOT getting a drone.", False),
        (set(), "Mabli is 17 on the 9th of June.", False),
    ],
)
def test_a_sentence_that_begins_with_another_name_is_told(names, sentence, is_another):
    assert names_another(frozenset(names), sentence) is is_another


def test_what_is_said_of_another_or_of_nobody_by_that_name_is_no_answer(tmp_path):
    with Memory.open(tmp_path) as memory:
        turns = [
            Turn("user", "Jan's favourite wine is Picpoul, she hates Chardonnay.", MAY, "1"),
            Turn("assistant", "Noted.", MAY, "2"),
            Turn("user", "The van's registration is WX18 KDN and the MOT is due in February.", MAY, "3"),
            Turn("assistant", "Noted as well.", MAY, "4"),
        ]
        memory.remember_session("notes", "s", turns)
        assert memory.ask("What is Jan's favourite wine?").verdict == "answered"
        assert memory.ask("What is Ines's favourite wine?").verdict != "answered"
        assert memory.ask("What is the registration of Tunde's car?").verdict != "answered"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did ChatGPT tell me to offer?", "What did the assistant tell me to offer?"),
        ("Which van did claude recommend?", "Which van did the assistant recommend?"),
        ("Where does Claude live?", "Where does Claude live?"),
        ("What is ChatGPT?", "What is ChatGPT?"),
    ],
)
def test_an_assistant_asked_for_by_name_is_the_assistant(question, asked):
    assert call_it_assistant(question) == asked


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many lemons did it say to put in?", "How many lemons did the assistant say to put in?"),
        ("Which paint was it that it recommended?", "Which paint was it that the assistant recommended?"),
        ("What did it say on the letter?", "What did it say on the letter?"),
        ("What did it cost?", "What did it cost?"),
    ],
)
def test_it_that_says_things_is_the_assistant(question, asked):
    assert call_it_assistant(question, is_it=True) == asked
    assert call_it_assistant(question) == question


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Was it knotweed by the pond?", "I found what looks like knotweed by the pond."),
        ("Was the hearing on Tuesday?", "The hearing on Tuesday is off, his solicitor has flu."),
        ("Is the concert on Friday?", "The concert on Friday was cancelled."),
    ],
)
def test_what_only_seems_so_or_was_called_off_is_no_yes(question, said):
    sentence = split_turn(said)[0]
    rarity = dict.fromkeys(sentence.stems, 1.0)
    assert short_answer(question, form_of(question), sentence, said, MAY, rarity) == ""


def test_a_question_for_a_name_written_with_a_capital_inside_is_found(tmp_path):
    with Memory.open(tmp_path) as memory:
        turns = [
            Turn("user", "Good to know about LoSalt, I had just bought some. He went back to the surgery.", MAY, "1")
        ]
        memory.remember_session("c", "s", [*turns, Turn("assistant", "Then ask the doctor first.", MAY, "2")])
        for number in range(30):
            talk = [Turn("user", f"My bicycle number {number} has a flat tyre again.", MAY, f"{number}u")]
            memory.remember_session(
                f"c{number}", f"s{number}", [*talk, Turn("assistant", "Pump it.", MAY, f"{number}a")]
            )
        assert memory.recall("What did the assistant say about LoSalt?").candidates
