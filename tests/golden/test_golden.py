"""A conversation in, the context out, as text a person can review.

When a change of the output is wanted, run `UPDATE_GOLDEN=1 make test` and read the difference.
"""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

import pytest

from engramma import Memory
from engramma.models.native import is_faster
from engramma.transfer.imports import import_file
from tests.hostile import untagged

ENTRIES = 7  # as the demo asks
HERE = Path(__file__).parent
DEMO = resources.files("engramma.apps") / "demo"
QUESTIONS = json.loads((DEMO / "questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("demo") / "memory") as memory:
        with resources.as_file(DEMO / "conversations.jsonl") as path:
            import_file(memory._core, path)
        yield memory


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("recipe", ["default", "pmg"])
def test_the_demo_questions_get_the_context_we_reviewed(demo, number, recipe):
    question = QUESTIONS["questions"][number - 1]["question"]
    text = f"{question}\n\n{untagged(demo.recall(question, k=ENTRIES, recipe=recipe).context)}\n"
    path = HERE / f"question-{number}-{recipe}.txt"
    by_onnx = path.with_name(f"{path.stem}-onnx.txt")  # where ONNX Runtime rounds otherwise than our library
    path = by_onnx if by_onnx.is_file() and not is_faster() else path
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("item", QUESTIONS["questions"], ids=lambda item: item["question"])
def test_the_demo_questions_find_every_turn_they_need(demo, item):
    found = {turn for c in demo.recall(item["question"], k=ENTRIES).candidates for turn in c.turn_ids}
    assert set(item["expected_turn_ids"]) <= found


def test_at_least_eight_of_the_nine_other_questions_find_what_they_need(demo):
    """One asks for a reason that shares no word with it and lies below the floor."""
    found = 0
    for item in QUESTIONS["more"]:
        turns = {turn for c in demo.recall(item["question"], k=10).candidates for turn in c.turn_ids}
        found += set(item["expected_turn_ids"]) <= turns
    assert found >= 8


def test_a_question_about_something_else_gets_nothing(demo):
    assert demo.recall("Which interest rate does the central bank of Japan set?").candidates == ()
