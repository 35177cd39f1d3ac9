"""Reads LongMemEval's development half and keeps a third of its questions from all training."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEPT_APART = 3  # one question in so many is never trained on


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said in a session."""

    role: str  # "user" or "assistant"
    text: str
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation, under a number that tells nothing about it."""

    number: int
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the sessions of its history, and which of them answer it."""

    key: str
    text: str
    kind: str
    sessions: tuple[int, ...]
    answering: tuple[int, ...]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class LongMemEval:
    """All questions and sessions; equal sessions are one."""

    questions: tuple[Question, ...]
    sessions: tuple[Session, ...]
    names: tuple[str, ...]  # the data's own ids, only to tell sessions apart


def fold_of(question: str) -> int:
    """Which third of the questions this id belongs to."""
    return int(hashlib.sha1(question.encode()).hexdigest(), 16) % KEPT_APART


def is_kept_apart(question: str) -> bool:
    """Whether the question with this id is for reporting only."""
    return fold_of(question) == 0


def read(path: Path) -> LongMemEval:
    """The oracle file, with session ids replaced: gold ones are marked in the data's own."""
    rows: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    numbers: dict[str, int] = {}
    sessions: list[Session] = []
    questions: list[Question] = []
    for row in rows:
        for name, turns in zip(row["haystack_session_ids"], row["haystack_sessions"], strict=True):
            if name not in numbers:
                numbers[name] = len(sessions)
                sessions.append(Session(numbers[name], tuple(_turn(turn) for turn in turns)))
        mine = tuple(numbers[name] for name in row["haystack_session_ids"])
        gold = tuple(numbers[name] for name in row["answer_session_ids"] if name in numbers)
        questions.append(
            Question(row["question_id"], row["question"], row["question_type"], mine, gold, str(row.get("answer", "")))
        )
    return LongMemEval(tuple(questions), tuple(sessions), tuple(numbers))


def trainable(data: LongMemEval) -> tuple[list[Question], list[Session]]:
    """The questions that may be trained on, and the sessions that belong to no question kept apart."""
    apart = {number for q in data.questions if is_kept_apart(q.key) for number in q.sessions}
    questions = [q for q in data.questions if not is_kept_apart(q.key)]
    return questions, [session for session in data.sessions if session.number not in apart]


def read_snippets(path: Path, known: Iterable[str]) -> dict[str, list[str]]:
    """User lines of the other sessions, by session; those that hold answers and those known in full are left out."""
    skip = set(known)
    found: dict[str, list[str]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            for session in json.loads(line)["sessions"]:
                name = session["session_id"]
                if name not in skip and name not in found and not name.startswith("answer_"):
                    found[name] = _lines(session["user_text_500"])
    return found


def _turn(turn: dict[str, Any]) -> Turn:
    return Turn(turn["role"], turn["content"], bool(turn.get("has_answer")))


def _lines(text: str) -> list[str]:
    """The lines, less a last one that was cut off."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(text) >= 500 and lines and lines[-1][-1] not in ".?!":
        end = max(lines[-1].rfind(mark) for mark in ".?!")
        lines[-1] = lines[-1][: end + 1]
    return [line for line in lines if len(line) > 15]
