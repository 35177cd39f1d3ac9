"""The golden questions over the demo's talks: how many are right, and that nothing wrong is said with confidence."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from engramma import Memory
from tests.people.answers.golden import QUESTIONS, grade
from tests.people.answers.guesses import is_guess

CONFIDENT = 0.9


@pytest.mark.long
def test_the_golden_questions_are_answered_quoted_or_refused(tmp_path):
    counted: Counter[str] = Counter()
    confidently_wrong = []
    with Memory.open(tmp_path / "store") as memory:
        memory.import_(str(files("engramma") / "apps" / "demo" / "conversations.jsonl"))
        for item in QUESTIONS:
            answer = memory.ask(item["question"])
            grading = grade(item, answer)
            counted["guessed" if grading == "wrong" and is_guess(answer) else grading] += 1
            if grading == "wrong" and answer.confidence >= CONFIDENT:
                confidently_wrong.append((item["question"], answer.text))
    assert not confidently_wrong
    assert counted["right"] + counted["quoted"] >= 23, counted
    assert counted["wrong"] <= 9, counted
    assert counted["guessed"] <= 5, counted
