"""Short answers: only of the wanted type, only from the quote, and yes only from a statement that says so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.people.answers.sentences import TurnSentence, find_content_stems, split_turn, telling
from engramma.people.answers.short_answer import short_answer, yes_or_no
from engramma.people.questions.question_form import form_of

SAID = datetime(2023, 5, 8, 12, tzinfo=UTC)


def short(question, sentence):
    rarity = dict.fromkeys(telling(question, ("Ann",), SAID), 1.0)
    return short_answer(question, form_of(question), split_turn(sentence)[0], sentence, SAID, rarity)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("How long is my commute?", "My daily commute takes 45 minutes each way.", "45 minutes"),
        ("What time do I get up?", "I usually get up at 6:30 am.", "6:30 am"),
        ("How much did the handbag cost?", "The handbag was $800, a treat.", "$800"),
        ("When did Ann go to the group?", "I went to the group yesterday.", "7 May 2023"),
        ("How old is Okra?", "It took eleven weeks and one sardine.", ""),
        ("How many bass did I catch?", "I caught a lot of bass.", ""),
        ("What is the name of my cat?", "My cat Luna is asleep.", ""),
        ("How much did I spend in total?", "I spent $20 there.", ""),
    ],
)
def test_a_short_answer_has_the_wanted_type_and_stands_alone(question, sentence, answer):
    assert short(question, sentence) == answer


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Did Ann visit Japan?", "I visited Japan in spring.", "Yes"),
        ("Did Ann visit Japan?", "I never visited Japan.", "No"),
        ("Did Ann visit Japan?", "I might visit Japan next year.", ""),
        ("Did Ann visit Japan?", "I love Japan.", ""),
        ("Did Ann visit Japan?", "Did you ever visit Japan?", ""),
    ],
)
def test_yes_only_from_a_statement_that_says_so(question, sentence, answer):
    assert short(question, sentence) == answer


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Did Maren change the code?", "I changed the lock, new code is 6082. Not on the shed, Dani.", "Yes"),
        ("Did Maren write the code on the shed?", "please don't write the code on the shed again", ""),
        ("Does Yuki smoke?", "I never smoke", "No"),
        ("Does Yuki smoke?", "Smoking? No, never.", "No"),
        ("Did we buy the press?", "We did not buy the press", "No"),
    ],
)
def test_a_no_denies_what_is_asked(question: str, sentence: str, answer: str) -> None:
    stems = find_content_stems(question.replace("Maren", "").replace("Yuki", ""))
    said = TurnSentence(sentence, 0, find_content_stems(sentence))
    assert yes_or_no(question, said, dict.fromkeys(stems, 1.0)) == answer
