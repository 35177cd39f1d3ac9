"""Where what was found made somebody ask the very thing, the answer is what came back; a joke is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn

START = datetime(2026, 10, 3, 9, tzinfo=UTC)
TALKS = {
    "farm": (
        "Colm: morning all",
        "Colm: sold the old Massey tractor",
        "Wanda: you did not",
        "Petra: for how much",
        "Colm: 3,400. a man from Borris",
        "Mam: your father would turn in his grave",
    ),
    "trip": (
        "Petra: booked the Lisbon trip for the girls. 720 total, 150 deposit by 18 October",
        "Wanda: when is it",
        "Petra: 8 to 12 March",
        "Wanda: half each?",
    ),
    "shop": (
        "Petra: what do you want from the shop",
        "Wanda: Barry's tea and the bread mix",
        "Petra: gold blend or the red box",
        "Wanda: the red",
        "Petra: done",
    ),
    "news": (
        "Colm: I'm moving to Peru with the goats in May",
        "Petra: what?!",
        "Colm: only joking, where would I get the money",
    ),
    "sale": (
        "Petra: plant sale. I say the 10th of May",
        "Wanda: church fete is the 10th. 17th better",
        "Mam: 17 is good",
        "Petra: 17th it is then. 10 till 1",
    ),
    "dockets": (
        "Wanda: three loads of larch were put in as spruce",
        "Petra: where's that",
        "Wanda: in the blue book",
    ),
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("replies")) as memory:
        for day, (talk, lines) in enumerate(TALKS.items()):
            turns = [
                Turn(*line.split(": ", 1), START + timedelta(days=day, minutes=minute), f"{talk}{minute}")
                for minute, line in enumerate(lines)
            ]
            memory.remember_session(talk, "s", turns)
        yield memory


@pytest.mark.parametrize(
    ("question", "turn", "text"),
    [
        ("How much did Colm sell the Massey tractor for?", "farm4", "3,400"),
        ("When is the Lisbon trip?", "trip2", "8 March 2027 to 12 March 2027"),
        ("Which Barry's tea does Wanda want?", "shop3", "the red"),
    ],
)
def test_what_was_asked_back_is_answered_by_the_reply(memory, question, turn, text):
    answer = memory.ask(question)
    assert (answer.verdict, answer.text) == ("answered", text)
    assert answer.evidence[0].turn_id == turn
    assert len(answer.evidence) > 1  # what it is a reply to stands beside it


def test_who_asks_where_just_that_is_asks_something_else(memory):
    answer = memory.ask("Where were the loads of larch put in?")
    assert all(one.turn_id != "dockets2" for one in answer.evidence[:1])


def test_what_was_taken_back_is_no_answer(memory):
    answer = memory.ask("When is Colm moving to Peru?")
    assert answer.abstained


def test_a_day_that_was_settled_soon_after_is_quoted(memory):
    answer = memory.ask("When is the plant sale?")
    assert answer.quote.startswith("17th it is then") and "10 May" not in answer.text
