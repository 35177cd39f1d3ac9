"""A question that asks for nothing but a time gets what was said then, however far its words are from it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn

ASKED = datetime(2026, 6, 24, 10, tzinfo=UTC)
SAID = {
    3: ["We booked the cabin for the summer.", "The cabin costs 300 euros."],
    5: ["Okra the cat was at the vet.", "The vet said she is fine.", "I started pottery lessons."],
    6: ["The train to Lisbon was late."],
}


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        for month, texts in SAID.items():
            start = datetime(2026, month, 3, 10, tzinfo=UTC)
            turns = [
                Turn(("Jonas", "Mira")[n % 2], text, start + timedelta(minutes=n), id=f"{month}-{n}")
                for n, text in enumerate(texts)
            ]
            memory.remember_session("talk", f"s{month}", turns)
        yield memory


def shown(memory, question, **bounds):
    entries = [one for one in memory.recall(question, asked_at=ASKED, **bounds).candidates if one.role == "entry"]
    return [turn for one in entries for turn in one.turn_ids]


@pytest.mark.parametrize("question", ["What did we talk about in May?", "Worüber haben wir im Mai gesprochen?"])
def test_shows_what_was_said_then_and_nothing_else(memory, question):
    assert sorted(shown(memory, question)) == ["5-0", "5-1", "5-2"]


def test_every_session_of_that_time_is_shown_before_the_second_turn_of_one(memory):
    found = shown(memory, "What did we talk about since March?")
    assert {turn[0] for turn in found[:3]} == {"3", "5", "6"} and len(found) == 6
    assert found[0][0] == "5", "the longest session first"


def test_filters_hold(memory):
    assert shown(memory, "What happened in May?", speaker="Mira") == ["5-1"]
    assert shown(memory, "What happened in May?", k=1) == shown(memory, "What happened in May?")[:1]
    assert shown(memory, "What happened in May?", exclude_session="s5") == []


def test_what_was_forgotten_is_not_shown(memory):
    memory.forget(speaker="Mira", session="s5")
    found = shown(memory, "What happened in May?")
    assert found and "5-1" not in found


def test_a_time_of_which_nothing_is_remembered_is_said_to_be_one(memory):
    found = memory.recall("What did we talk about in January?", asked_at=ASKED)
    assert not found.candidates and "nothing is remembered of that time" in found.trace.notes


def test_other_recipes_take_the_question_as_words(memory):
    assert shown(memory, "What did we talk about in May?", recipe="bm25") != shown(memory, "What happened in May?")


def test_ask_shows_it_and_claims_no_answer(memory):
    answer = memory.ask("What happened in March?")
    assert answer.verdict == "unsure" and answer.abstained and not answer.text
    assert {one.session for one in answer.evidence} == {"s3"} and answer.quote in answer.evidence[0].text


def test_of_too_much_the_latest_is_looked_at_whatever_was_stored_first(tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.recall.of_a_time.MOST_LOOKED_AT", 3)
    with Memory.open(tmp_path / "memory") as memory:
        for day in (23, 3):
            start = datetime(2026, 5, day, 10, tzinfo=UTC)
            turns = [Turn("Ann", f"Text {n} of day {day}.", start + timedelta(minutes=n)) for n in range(4)]
            memory.remember_session(f"day {day}", "s", turns)
        found = memory.recall("What happened in May?", asked_at=ASKED, conversation="day 3").candidates
        assert found and all("of day 3" in one.text for one in found)
        first = memory.recall("What happened in May?", asked_at=ASKED).candidates[0]
        assert "of day 23" in first.text


@pytest.mark.parametrize(
    "question",
    [
        *("What did Mira say in June?", "¿Qué dijo Mira en junio?", "Was hat Mira im Juni gesagt?"),
        *("Qu'a dit Mira en juin ?", "Cosa ha detto Mira a giugno?", "O que disse Mira em junho?"),
    ],
)
def test_what_somebody_said_in_a_time_is_what_they_said_then(memory, question):
    start = datetime(2026, 6, 5, 10, tzinfo=UTC)
    rows = [("Jonas", "June is the best month, giugno, junio, Juni."), ("Mira", "The dentist gave me a new crown.")]
    turns = [Turn(who, text, start + timedelta(minutes=n), id=f"x-{n}") for n, (who, text) in enumerate(rows)]
    memory.remember_session("talk", "s6b", turns)
    memory.remember_session("talk", "s5b", [Turn("Jonas", "In June it rains, says Mira.", start - timedelta(20))])
    assert shown(memory, question) == ["x-1"]
    answer = memory.ask(question)
    assert (answer.verdict, [one.turn_id for one in answer.evidence]) == ("unsure", ["x-1"])


def test_what_one_says_that_somebody_said_answers_as_any_words_do(tmp_path):
    start = datetime(2026, 5, 9, 10, tzinfo=UTC)
    texts = ("The doctor said in May that I need glasses.", "The soup was too salty.")
    with Memory.open(tmp_path / "diary") as diary:
        diary.remember_session("diary", "s", [Turn("Jonas", text, start) for text in texts])
        answer = diary.ask("What did the doctor say in May?")
    assert (answer.verdict, answer.quote) == ("answered", texts[0])
