"""A question in one language over talk in another: which sentence is quoted, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from engramma import Memory, Turn
from engramma.errors import EmbedderAway
from engramma.language.sentence_language import is_told_in_another
from engramma.models.reader import Passage, PassageReading
from engramma.people.answers.across import MeantSentence, QuestionAcross, word_meanings
from engramma.people.answers.read_turns import ReadTurn, order_by_meaning, read_turns
from engramma.people.answers.turns import RecalledTurn
from engramma.people.answers.verdict import ANSWERED_ACROSS, HINTED_ACROSS, SHOWN_ACROSS, judge_across
from engramma.people.questions.question_form import form_of

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
GERMAN = (
    ("Hanna", "Guten Morgen! Die Werkstatt hat angerufen. Die neue Batterie für das Auto kostet 210 Euro."),
    ("Ralf", "Unser Nachbar hat gestern einen Hund aus dem Tierheim geholt."),
    ("Hanna", "Der Hund bellt die ganze Nacht. Ich habe kein Auge zugemacht."),
    ("Ralf", "Im Sommer fahren wir mit dem Zug nach Portugal."),
    ("Hanna", "Meine Schwester lernt jetzt Klavier, sie übt jeden Abend."),
)
ENGLISH = (
    ("Wendy", "The garage called this morning. The new battery for the car costs 210 pounds."),
    ("Rob", "Our neighbours have bought a horse and they keep it in the garden."),
    ("Wendy", "In the summer we are going to Portugal by train."),
)


def remember(memory: Memory, said: Sequence[tuple[str, str]]) -> None:
    turns = [Turn(name, text, START + timedelta(minutes=n), f"t{n}") for n, (name, text) in enumerate(said)]
    memory.remember_session("chat", "one", turns)


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("german")) as memory:
        remember(memory, GERMAN)
        yield memory


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("english")) as memory:
        remember(memory, ENGLISH)
        yield memory


def test_an_english_question_is_answered_with_the_german_sentence_that_says_it(german: Memory) -> None:
    answer = german.ask("How much does the new battery for the car cost?")
    assert (answer.verdict, answer.quote) == ("answered", "Die neue Batterie für das Auto kostet 210 Euro.")
    assert "Hanna said so" in answer.reason


def test_a_german_question_is_answered_with_the_english_sentence_that_says_it(english: Memory) -> None:
    answer = english.ask("Wie viel kostet die neue Batterie für das Auto?")
    assert (answer.verdict, answer.quote) == ("answered", "The new battery for the car costs 210 pounds.")
    assert "Wendy hat es gesagt" in answer.reason


@pytest.mark.parametrize(
    ("question", "place"),
    [("Where are we going in summer?", 3), ("Which instrument is the sister learning?", 4)],
)
def test_what_is_found_in_another_language_is_shown(german: Memory, question: str, place: int) -> None:
    answer = german.ask(question)
    assert answer.verdict != "not known"
    assert answer.quote in GERMAN[place][1]


@pytest.mark.parametrize("question", ["What is Ralf's shoe size?", "When was my grandfather born?"])
def test_what_nobody_said_in_another_language_is_refused(german: Memory, question: str) -> None:
    assert german.ask(question).verdict == "not known"


@pytest.mark.parametrize("question", ["What is the name of the dog?", "What colour is the car?"])
def test_a_sentence_on_the_matter_that_does_not_tell_it_is_no_answer(german: Memory, question: str) -> None:
    assert german.ask(question).verdict != "answered"


def test_a_question_in_the_language_of_the_talk_is_not_compared_by_meaning(german: Memory, english: Memory) -> None:
    assert "meant" not in german.ask("Wohin fahren wir im Sommer?").trace
    assert "meant" not in english.ask("Where are we going in the summer?").trace


def turn(text: str, score: float = 0.5) -> RecalledTurn:
    return RecalledTurn("c", "s", text[:9], "Ann", START, text, 0.1, 1.0, (), text, "", score)


def across(near: dict[str, float], language: str = "") -> QuestionAcross:
    """A question whose cosine to a sentence is that of the first word of it that is listed."""

    def embed(texts: Sequence[str], kind: str) -> NDArray[np.float32]:
        if kind == "query":
            return np.array([[1.0]], np.float32)
        found = [next((value for word, value in near.items() if word in text), 0.0) for text in texts]
        return np.array([[value] for value in found], np.float32)

    return QuestionAcross("What does the dog eat?", (), language, embed)


def read_the_end(_: str, passages: Sequence[Passage]) -> list[PassageReading]:
    return [PassageReading(1.0, 0.0, len(one.text) - 5, len(one.text)) for one in passages]


def test_the_sentence_nearest_by_meaning_is_quoted_rather_than_the_readers() -> None:
    said = turn("Der Hund frisst nur Lachs und Reis. Wir waren gestern den ganzen Tag am Meer.")
    [read] = read_turns(read_the_end, "What does the dog eat?", [said], {}, "", across({"Lachs": 0.6, "Meer": 0.1}))
    assert read.sentence.text == "Der Hund frisst nur Lachs und Reis."


def test_a_sentence_that_asks_counts_half() -> None:
    said = turn("Was frisst der Hund von den Nachbarn? Er bekommt von ihnen nur Lachs und Reis.")
    [read] = read_turns(read_the_end, "What does the dog eat?", [said], {}, "", across({"Was": 0.7, "Lachs": 0.4}))
    assert "Lachs" in read.sentence.text


def test_foreign_turns_change_places_among_themselves_only() -> None:
    def read(text: str, score: float) -> ReadTurn:
        return ReadTurn(turn(text, score), 0.0, 0.0, (0, 3), (0, len(text)), 0.0)

    far = read("Wir waren gestern mit der ganzen Familie am Meer.", 0.6)
    near = read("Der Hund frisst nur Lachs und auch nicht viel davon.", 0.4)
    own = read("The dog is with her and they are at the beach.", 0.5)
    ordered = order_by_meaning([far, own, near], {}, across({"Lachs": 0.7, "Meer": 0.0}))
    assert [one.turn for one in ordered] == [near.turn, own.turn, far.turn]
    assert ordered[1] is own


def test_without_the_encoder_a_turn_stays_as_it_was_read() -> None:
    def is_away(texts: Sequence[str], kind: str) -> NDArray[np.float32]:
        raise EmbedderAway("away")

    said = turn("Der Hund frisst nur Lachs und Reis. Wir waren gestern den ganzen Tag am Meer.")
    question = QuestionAcross("What does the dog eat?", (), "", is_away)
    [read] = read_turns(read_the_end, question.text, [said], {}, "", question)
    assert read.meant is None and "Meer" in read.sentence.text


def test_words_of_different_languages_that_stand_for_the_same_english_word_are_shared() -> None:
    assert across({}).count_shared("Der Hund schläft.") == (1, 2)
    assert across({}).count_shared("Wir fahren ans Meer.") == (0, 2)
    assert word_meanings("und der die", "de") == []


def test_names_of_people_asked_about_are_not_counted() -> None:
    question = QuestionAcross("When does Hanna arrive?", ("Hanna",), "", across({}).embed)
    assert question.count_shared("Hanna hat einen neuen Mantel.") == (0, 1)


PLAIN = form_of("What does the dog eat?")


@pytest.mark.parametrize(
    ("sure", "recalled", "verdict"),
    [
        (ANSWERED_ACROSS, -3.0, "answered"),
        (ANSWERED_ACROSS - 0.01, 5.0, "unsure"),
        (SHOWN_ACROSS, -3.0, "unsure"),
        (SHOWN_ACROSS - 0.01, 0.0, "not known"),
        (HINTED_ACROSS, 2.0, "unsure"),  # recall finds it clearly
        (HINTED_ACROSS - 0.01, 5.0, "not known"),
    ],
)
def test_a_quote_across_is_answered_shown_or_left_out_by_its_confidence(
    sure: float, recalled: float, verdict: str
) -> None:
    measured = {"recalled": recalled, "own": 1.0, "shapeless": 0.0, "hardly_shared": 0.0}
    assert judge_across(PLAIN, measured, sure, False) == verdict
    assert judge_across(PLAIN, measured | {"own": 0.1}, sure, True) == "not known"
    for doubt in ("shapeless", "hardly_shared"):
        assert judge_across(PLAIN, measured | {doubt: 1.0}, sure, False) != "answered"


def test_a_nearer_sentence_and_one_with_more_of_the_words_are_surer() -> None:
    plain = MeantSentence(0, 0.4, 0.3)
    assert MeantSentence(0, 0.5, 0.3).sure > plain.sure
    assert MeantSentence(0, 0.4, 0.6).sure > plain.sure


@pytest.mark.parametrize(
    ("text", "language", "is_other"),
    [
        ("Der Hund frisst nur Lachs.", "", True),
        ("Der Hund frisst nur Lachs.", "de", False),
        ("The dog eats salmon and nothing else.", "de", True),
        ("Ellie passed her driving test at the third attempt.", "de", True),  # "the" may be Vietnamese, "at" Danish
        ("Ellie passed her driving test at the third attempt.", "", False),
        ("Собака ест только лосося.", "", True),
        ("Bello!", "", False),  # tells nothing
        ("Bello!", "de", False),
    ],
)
def test_a_text_tells_that_it_is_in_another_language(text: str, language: str, is_other: bool) -> None:
    assert is_told_in_another(text, language) is is_other
