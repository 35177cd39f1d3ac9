"""A likely quote that itself asks, or is of another or another time, is shown with doubt or gives way to another."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.people.answers.sentences import begins_asking, split_turn
from engramma.people.answers.short_answer import short_answer
from engramma.people.questions.question_form import form_of
from tests.people.answers.guesses import is_guess

SAID = {
    "1": ("Dilys", "Mabli is 17 on the 9th of June and wants driving lessons. Ifan will be 12 on 30 November.", 3),
    "2": ("Nerys", "Shall I bring a present for her?", 3),
    "3": ("Dilys", "whats the blue for the crest called again", 5),
    "4": ("Nerys", "RAL 5018, turquoise blue. Half a litre is enough for the crest", 5),
    "5": ("Nerys", "the garage has the Saab in it, it is full of junk", 9),
    "7": ("Nerys", "Carol and I are moving to Ludlow after the summer", 12),
    "8": ("Dilys", "Roof's leaking in the vestry, we have to be out by Saturday.", 14),
    "10": ("Dilys", "orange like last time? they were 28 each, the aprons", 16),
    "11": ("Nerys", "I'm getting married to Rhys, cast on my foot or not", 16),
    "9": ("Nerys", "I'm stepping down as treasurer at the end of September.", 15),
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("doubts")) as memory:
        for day in sorted({day for _, _, day in SAID.values()}):
            turns = [
                Turn(who, text, datetime(2026, 3, day, 12, int(number), tzinfo=UTC), number)
                for number, (who, text, on) in SAID.items()
                if on == day
            ]
            memory.remember_session("puppets", f"day{day}", turns)
        yield memory


def test_the_sentence_of_the_one_who_is_asked_about_is_taken(memory):
    answer = memory.ask("When is Ifan's birthday?")
    assert (answer.verdict, answer.short) == ("answered", "30 November 2026")


@pytest.mark.parametrize(
    "question",
    [
        "What did Carol say about Ludlow?",
        "When did the vestry roof start to leak?",
        "What colour is Nerys's Saab?",
        "What colour are the aprons?",  # only asked
        "When is Nerys getting married?",  # no day is told
    ],
)
def test_what_is_likely_and_of_another_matter_is_not_told_as_the_answer(memory, question):
    answer = memory.ask(question)
    assert answer.abstained or is_guess(answer)


def test_a_question_is_no_answer(memory):
    assert "whats the blue" not in memory.ask("What is the blue for the crest called?").text
    assert memory.ask("Is Nerys still the treasurer?").short == ""


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("whats the blue for the crest called again", True),
        ("Oh, where did you put it?", True),
        ("Did you know that I moved to Leeds?", False),
        ("What a day.", False),
        ("When I was ten we moved to Leeds.", False),
    ],
)
def test_what_begins_as_a_question_is_told(sentence, asks):
    assert begins_asking(sentence) is asks


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("When is Nerys arriving for Christmas?", "Christmas: Nerys arrives on the 22nd now, not the 23rd.", ""),
        ("When does Nerys arrive?", "Nerys arrives on 22 December.", "22 December 2026"),
        ("When did we go to Rome in May?", "We went to Rome on 12 May.", "12 May 2026"),
    ],
)
def test_a_time_that_the_question_names_is_not_the_one_asked_for(question, sentence, short):
    at = datetime(2026, 11, 2, 12, tzinfo=UTC)
    words = {stem: 1.0 for part in split_turn(question) for stem in part.stems}
    assert short_answer(question, form_of(question), split_turn(sentence)[0], sentence, at, words) == short


def test_a_day_that_something_is_moved_to_is_still_to_come(tmp_path):
    said_at = datetime(2026, 3, 24, 14, 5, tzinfo=UTC)
    with Memory.open(tmp_path) as memory:
        said = Turn("Mirela", "hospital says the operation is moved to 3 december", said_at)
        memory.remember_session("knee", "one", [said])
        assert memory.ask("When is the operation?").short == "3 December 2026"
