"""What an assistant was told to do always comes with what it holds for, and only the one that fits best."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.recall.recipes import EVIDENCE, RECIPES

START = datetime(2024, 3, 1, 12, tzinfo=UTC)
CHATS = [
    ("Always give temperatures in Celsius when I ask about baking.", "I will."),
    ("Never suggest meat when I ask what to cook.", "Understood, no meat."),
    ("How long does a sponge cake take in the oven?", "A sponge cake takes about 30 minutes in the oven."),
    ("My sourdough bread was too dense again.", "Let the dough rise longer before it goes into the oven."),
    ("Which flour is best for bread rolls?", "Strong white flour makes the best bread rolls."),
    ("How hot should the oven be for pizza?", "As hot as your oven gets."),
    ("The cookies burnt on the lower shelf of the oven.", "Bake cookies on the middle shelf."),
    ("I am planning a hike to the lake on Sunday.", "Take enough water and a rain jacket."),
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("standing")) as opened:
        for day, (message, answer) in enumerate(CHATS):
            at = START + timedelta(days=day)
            turns = [Turn("user", message, at), Turn("assistant", answer, at + timedelta(minutes=1))]
            opened.remember_session("kitchen", f"day {day}", turns)
        yield opened


def place(memory, question, session, plan):
    return [one.session_id for one in memory.recall(question, k=8, recipe=plan).entries].index(session)


def test_the_instruction_for_what_is_asked_moves_up_and_is_told(memory):
    without = replace(RECIPES["default"], weights={k: v for k, v in EVIDENCE.items() if k != "standing"})
    question = "What temperature should I use for baking a cake?"
    assert place(memory, question, "day 0", RECIPES["default"]) <= place(memory, question, "day 0", without)
    told = [one for one in memory.recall(question, k=8).entries if "standing" in one.evidence]
    assert [one.session_id for one in told] == ["day 0"] and told[0].evidence["standing"] == EVIDENCE["standing"]


def test_only_the_one_that_fits_best_is_preferred(memory):
    told = [
        one for one in memory.recall("What can I cook without meat tonight?", k=8).entries if "standing" in one.evidence
    ]
    assert [one.session_id for one in told] == ["day 1"]


def test_who_asks_what_was_said_is_not_told_what_to_do(memory):
    found = memory.recall("What was said about baking temperatures?", k=8).entries
    assert found and not any("standing" in one.evidence for one in found)


def test_none_is_preferred_where_none_is_near(memory):
    found = memory.recall("What should I take on my hike to the lake?", k=8).entries
    assert found[0].session_id == "day 7" and not any("standing" in one.evidence for one in found)
