"""Answers in a model's words: from the verified turns alone, checked, and never worse than without it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.apps.cli.main import app
from engramma.errors import ModelError
from engramma.models.llm import Completion
from tests.conftest import talk
from tests.models.chat_server import said, scripted
from tests.models.servers import serve
from tests.people.reconcile.test_agent import Scripted

__all__ = ["serve"]

LINES = (
    "Ana: I repaired my old red motorcycle in the garage yesterday.",
    "Ben: Nice! I baked a lemon cake for my neighbours.",
)
QUESTION = "What did Ana repair?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("worded") / "store"
    with Memory.open(place) as memory:
        memory.remember_session("c", "s", talk(*LINES))
    return place


def replied(text: str, *turns: object) -> Completion:
    return Completion(json.dumps({"turns": turns, "answer": text}))


def asked(folder, script, question: str = QUESTION):
    model = Scripted(script)
    with Memory.open(folder) as memory:
        return memory.ask(question, llm=model), model


def test_a_supported_wording_is_the_answer_and_its_turns_come_first(folder):
    answer, model = asked(folder, lambda messages: replied("An old red motorcycle", 1))
    assert (answer.text, answer.abstained, answer.trace["worded"]) == ("An old red motorcycle", False, model.model)
    assert answer.evidence[0].turn_id == "t1"
    shown = model.seen[0][1]["content"]
    assert "[1] " in shown and "Ana: I repaired my old red motorcycle" in shown
    assert shown.endswith(f"Question: {QUESTION}")


def test_a_date_worked_out_from_the_turn_is_supported(folder):
    answer, _ = asked(folder, lambda messages: replied("4 January 2026", 1), "When did Ana repair her motorcycle?")
    assert answer.text == "4 January 2026"
    assert answer.trace["worded"] == "scripted-1"
    lie, _ = asked(folder, lambda messages: replied("6 March 2025", 1), "When did Ana repair her motorcycle?")
    assert (lie.text, lie.trace["worded"]) == ("4 January 2026", "unsupported")


@pytest.mark.parametrize(
    ("reply", "how"),
    [
        (replied("A blue Vespa scooter", 1), "unsupported"),
        (replied("An old red motorcycle", 9), "unsupported"),
        (replied("An old red motorcycle"), "unsupported"),
        (replied("An old red motorcycle", "1", None), "unsupported"),
        (Completion("It was a motorcycle."), "malformed"),
        (Completion(""), "malformed"),
        (Completion('{"turns": 1, "answer": "x"}'), "malformed"),
        (Completion("[" * 5_000 + "{}"), "malformed"),
    ],
)
def test_a_lie_and_a_mess_leave_the_answer_as_it_was(folder, reply, how):
    with Memory.open(folder) as memory:
        plain = memory.ask(QUESTION)
    answer, _ = asked(folder, lambda messages: reply)
    assert (answer.text, answer.evidence, answer.confidence) == (plain.text, plain.evidence, plain.confidence)
    assert answer.trace["worded"] == how


def test_a_model_that_fails_leaves_the_answer_as_it_was(folder):
    def broken(messages):
        raise ModelError("away")

    answer, _ = asked(folder, broken)
    assert "motorcycle" in answer.text
    assert answer.trace["worded"] == "failed"


def test_a_model_that_finds_nothing_abstains(folder):
    answer, _ = asked(folder, lambda messages: replied("", 1))
    assert (answer.text, answer.abstained) == ("", True)
    assert answer.verdict == "unsure"
    assert "scripted-1" in answer.reason


def test_what_is_refused_already_is_not_shown_to_the_model(folder):
    answer, model = asked(folder, lambda messages: replied("A motorcycle", 1), "What did Ben repair in the garage?")
    assert answer.abstained
    assert model.seen == []


def test_the_command_asks_the_configured_model_and_says_so_without_one(serve, tmp_path):
    store = tmp_path / "store"
    with Memory.open(store) as memory:
        memory.remember_session("c", "s", talk(*LINES))
    without = CliRunner().invoke(app, ["ask", QUESTION, "--llm", "--store", str(store)])
    assert without.exit_code == 1
    server = serve(scripted(said('```json\n{"turns": [1], "answer": "red motorcycle"}\n```')))
    table = f'[llm]\nurl = "{server.address}"\nmodel = "small"\nretries = 0\n'
    (store / "config.toml").write_text(table, encoding="utf-8")
    shown = CliRunner().invoke(app, ["ask", QUESTION, "--llm", "--explain", "--store", str(store)])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith("red motorcycle\n")
    assert "phrased by   small" in shown.stdout
    with Memory.open(store) as memory:
        assert memory.llm.status().days[0].requests == 1
