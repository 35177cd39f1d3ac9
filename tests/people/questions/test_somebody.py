"""Questions that ask for a person, and which texts name or describe one."""

from __future__ import annotations

import pytest

from engramma.people.questions.question_form import form_of, has_wanted_name
from engramma.people.questions.somebody import names_somebody


@pytest.mark.parametrize(
    "question",
    [
        "Who fixed the tap?",
        "who's coming on Friday?",
        "With whom did I travel?",
        "Whose idea was it?",
        "Who did I meet?",
    ],
)
def test_questions_for_a_person(question):
    assert form_of(question).wants == "person"


@pytest.mark.parametrize("question", ["Who is Anthony?", "Who was that?", "What did Ann say?", "When did who leave?"])
def test_other_questions(question):
    assert form_of(question).wants != "person"


def test_a_question_in_german_is_not_read_as_english():
    assert form_of("Wer hat den Wasserhahn repariert?").wants == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who fixed the tap?", "A man named Duncan Ashworth fixed it."),
        ("Who fixed the tap?", "The plumber came on Monday."),
        ("Who fixed the tap?", "My sister did it in ten minutes."),
        ("Who fixed the tap?", "Emma was here and did it."),
        ("Who fixed the tap?", "I did it myself."),
        ("Who sprayed the fence?", "It was Ray."),  # in "sprayed"
        ("Who planned the trip?", "Ann did."),
        ("Who repaired the boiler?", "It was Ed."),
        ("Who repaired the boiler?", "It was Özlem."),
        ("Who repaired the boiler?", "that was Jean-Luc"),
        ("Who managed the shop?", "A man with a beard."),
        ("Who is my vet?", "We have an appointment with Dr. Oyelaran."),
    ],
)
def test_a_text_that_tells_who(question, text):
    assert names_somebody(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who fixed the boiler in May?", "It is a Vaillant from 2014."),
        ("Who fixed the boiler?", "The boiler is dead again, F28 again!"),
        ("Who fixed my boiler?", "I called them on Monday."),  # the one who asks knows that much
        ("Who helped Ann Lee's sister?", "Ann Lee said that she got help."),
        ("Who lent Ann-Marie the tent?", "does anyone have a tent for Ann-Marie?"),
        ("Who lent Odile the tent?", "does anyone have a tent for Odile?"),
    ],
)
def test_a_text_that_tells_nobody(question, text):
    assert not names_somebody(question, text)
    assert not has_wanted_name(form_of(question), question, text)


def test_the_user_of_a_chat_is_not_whom_they_ask_for():
    question, text = "Who got the solo?", "And I auditioned for it."
    assert names_somebody(question, text)
    assert not names_somebody(question, text, by_user=True)
