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
        ("How much does the transporter cost?", "transporter costs 89 € for the whole day", "89 €"),
        ("How much is the rent?", "the rent goes up to 1.250,50€ in autumn", "1.250,50€"),
        ("How much is the rent?", "The rent is 950 euros, warm.", "950 euros"),
        ("How much was the ticket?", "the ticket was CHF 64.90", "CHF 64.90"),
        ("How far is the lake?", "The lake is 12 km away.", "12 km"),
        ("How heavy is the parcel?", "The parcel has 3.5 kg.", "3.5 kg"),
        ("How many eggs did I buy?", "I bought 12 eggs.", "12"),
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
        ("When is the party?", "The party is not on the 8th of August but on the 18th of August.", "18 August 2023"),
        ("When is the party?", "The party is on the 18th of August, not on the 8th of August.", "18 August 2023"),
        ("When is the party?", "The party ist nicht am 8. August, sondern am 18. August!", "18 August 2023"),
        ("When is the party?", "The party is here, and not on 8 May.", ""),
        ("What time is the party?", "The party is at 7 pm, not at 8 pm.", "7 pm"),
    ],
)
def test_what_is_denied_is_no_answer(question: str, sentence: str, answer: str) -> None:
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


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Did Ann buy the greenhouse?", "I bought the greenhouse on Friday.", "Yes"),
        ("Did Ann buy the greenhouse?", "I ordered the greenhouse on Friday.", "Yes"),
        ("Did Ann buy the greenhouse?", "I looked at the greenhouse, nice hinges.", ""),
        ("Did Ann buy the greenhouse?", "I want to buy the greenhouse.", ""),
        ("Did Ann buy the greenhouse?", "We almost bought the greenhouse.", ""),
        ("Did Ann buy the greenhouse?", "We bought a tent instead of the greenhouse.", ""),
        ("Did Ann buy the greenhouse?", "There is no greenhouse here.", ""),
        ("Did Ann buy the greenhouse?", "We didn't buy the greenhouse.", "No"),
        ("Did Ann buy the greenhouse?", "I bought a shed, not the greenhouse.", "No"),
        ("Did Ann repair the pump?", "I repaired the pump this morning.", "Yes"),
        ("Did Ann repair the pump?", "The pump arrives on Friday.", ""),
        ("Did Ann leave the pharmacy?", "I've left the pharmacy.", "Yes"),
        ("Did Ann move out?", "I moved out in May.", "Yes"),
        ("Did Ann quit smoking?", "I quit smoking.", "Yes"),
        ("Does Ann smoke?", "I quit smoking.", "No"),
        ("Does Ann compete in dance contests?", "I used to compete in dance contests.", "No"),
        ("Did Ann compete in dance contests?", "I used to compete in dance contests.", "Yes"),
        ("Will Ann drive to Passau?", "I am not driving to Passau.", "No"),
        ("Was the radio stolen?", "Somebody stole the radio.", "Yes"),
        ("Was the radio stolen?", "The radio is in the shed.", ""),
        ("Is the meeting on 10 September?", "The meeting is on 9 September.", ""),
        ("Is the rehearsal on Monday?", "The rehearsal is on Tuesday.", ""),
        ("Is the meeting on 9 September?", "The meeting is on 9 September at 7 pm.", "Yes"),
    ],
)
def test_yes_and_no_need_the_verb_that_is_asked_for(question: str, sentence: str, answer: str) -> None:
    assert short(question, sentence) == answer
