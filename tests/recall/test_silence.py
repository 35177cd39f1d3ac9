"""Silence: plain tasks bring back no talk, while keywords, other languages, phrases and identifiers still do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.language.lexical import terms
from engramma.recall.search import SearchBounds, lexical
from engramma.recall.silence import MANY, count_telling_words, is_plain_english, stand_together

SAID = datetime(2024, 3, 1, 12, tzinfo=UTC)
TALK = [
    "My daughter's piano is still on the stairs because nobody can lift it.",
    "We spent the whole weekend at the lake and grilled trout every evening.",
    "Ticket TKT-4471 is about the broken boiler in the cellar.",
    "Meine Schwester wohnt seit dem Sommer in Lissabon und lernt Portugiesisch.",
    "I used to change the default ringtone on every phone I owned.",
    "We queued for an hour at the town hall for the new parking permits, and the clerk with a green scarf told all of "
    "us that cars behind the glebe have to go by Monday, or the trailers of the circus cannot turn at the bakery.",
    "The dentist says that my wisdom teeth have to come out before Easter.",
    "The drains were cleaned on Tuesday, the hedge comes next, and whoever wants the key to the drying room "
    "rings at Mrs. Adler on the second floor, but never before ten and never on a Sunday.",
    "For the summer fair we still lack two tables, a tent and paper cups; Katharina brings the projector, and somebody "
    "has to ask the school for the extension leads, which are in the gym behind the mats.",
    "The first machine that I ever bought ran Docker badly, had a cracked lid and smelled of the cellar where its last "
    "owner had kept it for years next to the potatoes and the bicycles.",
    "Before the storms came we cleaned the gutters of both sheds with Wendolin's ladder, which is too short for the "
    "chimney, so that part has to wait until the scaffold of the neighbours stands.",
    "The old upright in the basement was under water for two days, and it was Éloïse Brontë who dried the hammers one "
    "by one and found the insurance papers behind the pedals.",
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("silence")) as memory:
        for number in range(60):
            text = TALK[number] if number < len(TALK) else f"Nothing special on day {number}, only rain and soup again."
            memory.remember_session(f"c{number}", f"s{number}", [Turn("Ann", text, SAID)])
        yield memory


@pytest.mark.parametrize(
    "task",
    ["Change the default port to 8090", "Delete the unused imports", "Refactor this class into smaller functions"],
)
def test_a_task_for_a_coding_assistant_brings_back_no_talk(memory, task):
    assert memory.recall(task, k=3).candidates == ()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("Where did we spend the weekend?", "lake"),
        ("piano on the stairs", "piano"),
        ("What was TKT-4471 about?", "TKT-4471"),
        ("Wo wohnt meine Schwester?", "Lissabon"),
        ("boiler cellar", "boiler"),
        ("ringtone venue", "ringtone"),
        ("what is the dentist fee", "dentist"),
    ],
)
def test_what_was_said_is_still_found(memory, asked, words):
    assert words in memory.recall(asked, k=3).candidates[0].text


@pytest.mark.parametrize(
    "asked", ["What does 'glebe' mean?", "What does “glebe” mean?", 'What is a "glebe"?', "What does 'glèbe' mean?"]
)
def test_a_question_that_quotes_a_word_means_that_word(memory, asked):
    assert "glebe" in memory.recall(asked, k=3).candidates[0].text
    assert memory.recall("Rename the method 'glebe' to 'plot'", k=3).candidates == (), "a task is not asked so"


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("I want to see Mrs. Adler.", "Adler"),
        ("Write a short letter to Mrs Adler", "Adler"),
        ("Please call Adler back", "Adler"),
        ("Adler came by", "Adler"),
        ("What should we get Katharina for her birthday?", "Katharina"),
        ("I am having lunch with Katharina today", "Katharina"),
        ("I am having lunch with Wendolin today", "Wendolin"),  # of whom only the ladder was spoken of
        ("I am having lunch with Eloise today", "Éloïse"),
    ],
)
def test_a_rare_name_that_was_said_is_reason_enough(memory, message, name):
    assert name in memory.recall(message, k=3).candidates[0].text


@pytest.mark.parametrize(
    "message",
    [
        "Build the image with Docker and push it",  # a task, and nobody's name
        "I want to see Mrs. Zeller.",  # nobody named her
        "I want to adler my boots",  # no name
        "I want to see the film Ladder",  # a word, as it was said
        "We could go for a run on Tuesday",  # a day is nobody's name
    ],
)
def test_other_words_are_no_names(memory, message):
    assert memory.recall(message, k=3).candidates == ()


def test_english_is_told_by_its_function_words():
    assert is_plain_english("Revert the last commit")
    assert not is_plain_english("Wo wohnt meine Schwester?")
    assert not is_plain_english("kubernetes ERR_4711")


# --- a sentence of a long answer --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chats(tmp_path_factory):
    """Sixty chats; one answer, about something else as a whole, has a sentence on labels in its second half."""
    advice = "Keep the soil moist, turn the pots every week, and move the seedlings into the light as they grow. "
    aside = "Laminated labels survive watering longer than pencil on birch sticks. "
    with Memory.open(tmp_path_factory.mktemp("chats")) as memory:
        for number in range(60):
            answer = advice * 12 + (aside if number == 17 else "") + advice * 6
            turns = [Turn("user", f"How do I grow vegetable number {number} on a balcony?", SAID)]
            memory.remember_session(f"c{number}", f"s{number}", [*turns, Turn("assistant", answer, SAID)])
        yield memory


def test_a_sentence_of_a_long_answer_is_found_by_its_words_in_one_passage(chats):
    asked = "What was said about pencil, birch sticks and watering?"
    assert chats.recall(asked, k=3).candidates[0].session_id == "s17"
    assert stand_together(chats._core.store, asked, lexical(chats._core.store, terms(asked), 10, SearchBounds()))


@pytest.mark.parametrize("task", ["Write a bash script that rotates the logs", "Pin the labels of the release"])
def test_a_task_that_shares_a_word_with_a_long_answer_brings_nothing(chats, task):
    assert chats.recall(task, k=3).candidates == ()


def test_words_that_are_strewn_over_a_long_answer_are_not_enough(tmp_path):
    advice = "Keep the soil moist, turn the pots every week, and move the seedlings into the light as they grow. " * 8
    strewn = f"Laminated. {advice} Invoices. {advice} Kilometres. {advice} Reimbursed."
    with Memory.open(tmp_path) as memory:
        for number in range(60):
            turns = [Turn("user", f"How do I grow vegetable number {number} on a balcony?", SAID)]
            answer = strewn if number == 17 else advice
            memory.remember_session(f"c{number}", f"s{number}", [*turns, Turn("assistant", answer, SAID)])
        hits = lexical(memory._core.store, terms("laminated invoices kilometres reimbursed"), 10, SearchBounds())
        assert hits
        assert not stand_together(memory._core.store, "laminated invoices kilometres reimbursed", hits)


def test_a_word_that_is_looked_for_in_its_parts_is_one_word():
    task = "Set up GitHub Actions for Python 3.12"
    assert count_telling_words(task) == 6 < MANY <= len(terms(task)), "set, github, actions, python, 3, 12"


def test_words_in_the_order_in_which_they_were_said_are_found_in_a_long_text(memory):
    (found,) = memory.recall("that clerk with a green scarf").candidates
    assert "clerk with a green scarf" in found.text
