"""Two made-up circles of people and what one would ask of them: most answers are right, and hardly any is made up."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.records import Role
from tests.people.answers import everyday
from tests.people.answers.everyday import Question, Session
from tests.people.answers.guesses import is_guess

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


def told(memory: Memory, talks: dict[str, list[Session]]) -> None:
    for talk, sessions in talks.items():
        for number, (start, lines) in enumerate(sessions, 1):
            first = datetime.fromisoformat(start).replace(tzinfo=UTC)
            pairs = [line.split(": ", 1) for line in lines]
            turns = [
                Turn(who, text, first + timedelta(minutes=n), f"D{number}:{n}", ROLES.get(who))
                for n, (who, text) in enumerate(pairs, 1)
            ]
            memory.remember_session(talk, f"s{number}", turns)


@pytest.mark.long
@pytest.mark.parametrize(
    ("talks", "asked"),
    [(everyday.FIRST, everyday.FIRST_ASKED), (everyday.SECOND, everyday.SECOND_ASKED)],
    ids=["first", "second"],
)
def test_most_answers_are_right_and_hardly_any_is_made_up(
    tmp_path: Path, talks: dict[str, list[Session]], asked: list[Question]
) -> None:
    right, made_up, guessed = [], [], []
    with Memory.open(tmp_path / "store") as memory:
        told(memory, talks)
        for question, pattern in asked:
            answer = memory.ask(question)
            if pattern is None and not answer.abstained:
                (guessed if is_guess(answer) else made_up).append((question, answer.text))
            elif pattern is not None and re.search(pattern, answer.text):
                right.append(question)
    answerable = [question for question, pattern in asked if pattern is not None]
    wrong = [question for question in answerable if question not in right]
    assert len(right) >= 0.8 * len(answerable), wrong  # without claims: 0.63
    assert len(made_up) <= 0.15 * (len(asked) - len(answerable)), made_up  # without claims: 0.29
    assert len(guessed) <= 0.1 * (len(asked) - len(answerable)), guessed
