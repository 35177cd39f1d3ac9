"""Sums and differences of what was said: worked out from quoted amounts, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn

START = datetime(2024, 3, 4, 18, 0, tzinfo=UTC)
SAID = (
    "Any tips for camping? By the way, I bought a new tent for $180 on Saturday.",
    "How do I clean a camping stove? Mine cost me $45. It gets dirty quickly.",
    "I took the ferry to the island today, it was around $30.",
    "The bus to the harbour was only $4 this morning.",
    "I got my winter coat for $90 - is wool hard to wash?",
    "My winter coat originally retailed for $250, so I'm happy.",
    "I read two books at the cabin. The lamp there was $20, the other lamp was $35.",
    "I listen to one episode a week of the Deep Sea podcast.",
    "I finished 7 episodes of the Night Train podcast.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("calculate") / "memory") as memory:
        for number, text in enumerate(SAID):
            at = START + timedelta(days=3 * number)
            turns = [Turn("user", text, at), Turn("assistant", "That sounds good! It could be $999.", at)]
            memory.remember_session(f"chat {number}", f"s{number}", turns)
        yield memory


@pytest.mark.parametrize(
    ("question", "short", "text", "first"),
    [
        ("What is the total cost of the tent and the camping stove?", "$225", "$225 ($180 + $45)", "tent"),
        ("How much more was the ferry than the bus?", "about $26", "about $26 ($30 − $4)", "ferry"),
        ("How much did I save on the winter coat?", "$160", "$160 ($250 − $90)", "retailed"),
    ],
)
def test_amounts_that_were_said_are_added_and_subtracted(memory, question, short, text, first):
    answer = memory.ask(question)
    assert (answer.verdict, answer.short, answer.text) == ("answered", short, text)
    assert first in answer.evidence[0].text and len(answer.evidence) == 2
    assert answer.quote in answer.evidence[0].text


@pytest.mark.parametrize(
    "said",
    [
        "I almost bought a drone for $600, but I didn't.",
        "The drone is $600, but I won't buy it.",
        "The drone was $600 but I returned it and got a full refund.",
        "I bought a drone for $600. The shop gave me my money back.",
        "I got a $50 discount on the drone.",
        "I paid a $200 deposit on the drone.",
        "I sold my drone for $600.",
        "My colleague Ben paid $600 for his drone.",
        "If the drone were $600 I would buy it.",
        "The drone cost one hundred and fifty dollars or so, two hundred fifty with the case.",
        "The drone was $500-600.",
        "Drones are $600 each.",
        "I bought a drone. The rucksack was $85.",
    ],
)
def test_what_was_not_paid_is_not_added(tmp_path, said):
    with Memory.open(tmp_path / "memory") as memory:
        memory.remember_session("a", "a", [Turn("user", said, START)])
        memory.remember_session("b", "b", [Turn("user", "I bought a tripod for $45 yesterday.", START)])
        assert memory.ask("How much did I spend in total on the drone and the tripod?").abstained


@pytest.mark.parametrize(
    "question",
    [
        "How much more was the bus than the ferry?",
        "How much cheaper was the ferry than the bus?",
        "How much did I save by taking the ferry instead of the bus?",
    ],
)
def test_what_is_the_other_way_round_is_left_open(memory, question):
    assert memory.ask(question).abstained


def test_one_price_of_two_things_counts_once(tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        said = "The tent and the stove were $100 together."
        memory.remember_session("a", "a", [Turn("user", said, START)])
        memory.remember_session("b", "b", [Turn("user", "I got the tent and the stove for $100 as a set!", START)])
        assert memory.ask("What is the total cost of the tent and the stove?").abstained


def test_a_pasted_price_list_takes_no_time_to_speak_of(tmp_path, monkeypatch):
    from engramma.people.answers import calculate

    looked = []
    monkeypatch.setattr(calculate, "_distance", lambda places, amount: looked.append(amount) or 1.0)
    listed = " ".join(f"tent ${n} stove ${n}" for n in range(1, 300))
    with Memory.open(tmp_path / "memory") as memory:
        memory.remember_session("a", "a", [Turn("user", listed, START)])
        memory.ask("What is the total cost of the tent and the stove?")
    assert len(looked) <= 4 * calculate.MOST_AMOUNTS


@pytest.mark.parametrize(
    "question",
    [
        "What is the total cost of the tent and the lamp?",  # two lamps, two prices
        "What is the total cost of the tent and the canoe?",  # no canoe
        "What is the total number of episodes of the Deep Sea and Night Train podcasts?",  # one a week is no count
    ],
)
def test_what_is_not_clear_is_not_worked_out(memory, question):
    assert memory.ask(question).abstained


def test_people_who_talk_to_each_other_are_not_added_up(tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        turns = [
            Turn("Ana", "My tent was $180 and I love it.", START),
            Turn("Ben", "Mine is older. My stove was $45 last year.", START + timedelta(minutes=1)),
        ]
        memory.remember_session("talk", "s", turns)
        assert memory.ask("How much did Ana pay in total for the tent and the stove?").abstained
