"""The form of a question: the type of words it wants, what nobody can have said, and what it compares."""

from __future__ import annotations

import pytest

from engramma.people.questions.question_form import form_of, has_shape, names_something


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("What time does the train leave?", "clock"),
        ("How long is my commute?", "duration"),
        ("How many days did we stay?", "duration"),
        ("How much did the bike cost?", "number"),
        ("How often do I see Dr. Smith?", "frequency"),
        ("When did Caroline move?", "date"),
        ("Did Jonas ever visit Japan?", "yes_no"),
        ("I bought a lens in May. How much was it?", "number"),
        ("What is the name of my cat?", "name"),
    ],
)
def test_what_type_of_words_a_question_wants(question, wants):
    assert form_of(question).wants == wants


@pytest.mark.parametrize(
    "question",
    [
        "How much did I spend in total on workshops?",
        "How many years older am I than my sister?",
        "How many weeks ago did I attend the sale?",
        "What is the average age of my team?",
        "How much more was the taxi compared to the train?",
    ],
)
def test_sums_differences_and_times_between_have_to_be_worked_out(question):
    assert form_of(question).is_worked_out


@pytest.mark.parametrize(
    "question", ["How much did the taxi cost?", "How many cats do I have?", "How long was I away?"]
)
def test_what_somebody_may_have_said_does_not(question):
    assert not form_of(question).is_worked_out


def test_two_things_of_which_one_came_first():
    form = form_of("Which seeds were started first, the tomatoes or the marigolds?")
    assert (form.options, form.asked, form.wants_later) == (
        ("the tomatoes", "the marigolds"),
        "seeds were started",
        False,
    )
    assert form_of("Who joined last, Ann or Bob?").wants_later
    assert form_of("Do I prefer tea or coffee?").options is None


def test_now_and_before():
    assert form_of("How many followers do I have?").of_now
    assert not form_of("What was my previous job?").of_now
    past = form_of("How many fish did I catch?")
    assert not past.of_now


def test_what_the_assistant_said():
    assert form_of("Can you remind me of the restaurant you recommended?").of_assistant
    assert not form_of("Where did I have dinner?").of_assistant


@pytest.mark.parametrize(
    ("wants", "has", "lacks"),
    [
        ("clock", "I get up at 6:30 am.", "I get up early."),
        ("duration", "It took four hours.", "It took ages."),
        ("number", "I have twenty-five coins.", "I have coins."),
        ("frequency", "I go three times a week.", "I go with Ann."),
        ("weekday", "We meet on Fridays.", "We meet in town."),
    ],
)
def test_words_of_a_type(wants, has, lacks):
    assert has_shape(wants, has)
    assert not has_shape(wants, lacks)
    assert has_shape("", lacks)


@pytest.mark.parametrize(
    ("question", "text", "is_named"),
    [
        ("What is the name of my cat?", "My cat Luna likes fish.", True),
        ("What is the name of my cat?", "I'm having some issues with my cat, and I was wondering why.", False),
        ("What is the name of the playlist on Spotify?", "I made a playlist on Spotify.", False),
        ("What is the name of the playlist on Spotify?", "I made one on Spotify, called Summer Vibes.", True),
        ("What was that hall called?", "10. Revolution Hall", True),
        ("What is the name of my cat?", "My cat is lovely and sleeps all day on Monday.", False),
        ("What is my boat called?", "My new boat is finally in the water at Marina Bay.", False),
        ("What is the name of the restaurant?", "We ate at Roscioli.", True),
        ("What was that book called?", 'It was "Middlemarch".', True),
    ],
)
def test_a_name_is_asked_for_and_told(question, text, is_named):
    assert form_of(question).wants == "name"
    assert names_something(question, text) is is_named


@pytest.mark.parametrize(
    "question", ["Who named the boat?", "How many names of birds are there?", "Was it called off?"]
)
def test_no_name_is_asked_for(question):
    assert form_of(question).wants != "name"
