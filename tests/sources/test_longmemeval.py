"""LongMemEval as a user would import it: the chats, and nothing that they are graded by."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.memory import Memory
from engramma.transfer.imports import import_file

from ..fakes import HashEmbedder
from .samples import read_all, turns_of

Chat = list[dict[str, Any]]


def chat(question: str, answer: str, **more: object) -> Chat:
    return [{"role": "user", "content": question, **more}, {"role": "assistant", "content": answer}]


def question(name: str, **sessions: tuple[object, object]) -> dict[str, Any]:
    """A question as the files have it, its sessions by id: (date, turns)."""
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "SECRET QUESTION",
        "answer": "SECRET ANSWER",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": [date for date, _ in sessions.values()],
        "haystack_session_ids": list(sessions),
        "haystack_sessions": [turns for _, turns in sessions.values()],
        "answer_session_ids": [name for name in sessions if name.startswith("answer")],
    }


BEES = chat("I keep bees.", "How many hives?", has_answer=True)
TEA = chat("Which tea is mild?", "White tea.")
QUESTIONS = [
    question("q1", answer_1=("2023/05/20 (Sat) 02:21", BEES), sharegpt_2=("2023/05/21 (Sun) 10:00", TEA)),
    question("q2_abs", sharegpt_2=("2023/05/21 (Sun) 10:00", TEA), ultra_3=("2023/05/25 (Thu) 08:00", TEA)),
]


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def test_a_session_is_a_conversation_and_is_taken_once(tmp_path: Path) -> None:
    path = written(tmp_path / "longmemeval_oracle.json", QUESTIONS)
    assert sources.sniff(path) == "longmemeval"
    found, problems = read_all(path)
    assert [[(turn.role, turn.text) for turn in turns_of(talk)] for talk in found] == [
        [("user", "I keep bees."), ("assistant", "How many hives?")],
        [("user", "Which tea is mild?"), ("assistant", "White tea.")],
        [("user", "Which tea is mild?"), ("assistant", "White tea.")],
    ]
    assert [turn.said_at for turn in turns_of(found[0])] == [
        datetime(2023, 5, 20, 2, 21, 0, tzinfo=UTC),
        datetime(2023, 5, 20, 2, 21, 1, tzinfo=UTC),
    ]
    assert [problem.reason for problem in problems] == ["sessions in several haystacks: 1; imported once each"]


def test_nothing_that_is_graded_by_is_kept(tmp_path: Path) -> None:
    found, problems = read_all(written(tmp_path / "lme.json", QUESTIONS))
    everything = repr((found, problems))
    for word in ("SECRET", "answer_1", "sharegpt", "has_answer", "q1", "_abs", "single-session"):
        assert word not in everything


def test_a_line_a_question_gives_the_same(tmp_path: Path) -> None:
    lines = tmp_path / "lme.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS))
    assert sources.sniff(lines) == "longmemeval"
    assert read_all(lines)[0] == read_all(written(tmp_path / "lme.json", QUESTIONS))[0]


def test_bad_parts_cost_only_themselves(tmp_path: Path) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    value = [
        question(
            "q",
            a=("someday", BEES),
            b=(None, TEA),
            c=("2023-05-20T02:21:00Z", [*TEA, None, {"role": "user", "content": None}, {"content": "x"}]),
            d=("2023/05/20 (Sat) 02:21", "no list"),
            e=("2023/05/20 (Sat) 02:21", []),
        ),
        {"question_id": "no sessions"},
        7,
        {**question("short", f=("2023/05/22 (Mon) 02:21", BEES)), "haystack_dates": []},
    ]
    found, problems = read_all(written(tmp_path / "lme.json", value), fallback_time=start)
    assert [turns_of(talk)[0].said_at for talk in found[:3]] == [start, start, datetime(2023, 5, 20, 2, 21, tzinfo=UTC)]
    assert len(found) == 4
    places = [problem.where.partition(" at byte ")[2].partition(", ")[2] for problem in problems]
    assert places == [
        "session 1",
        "session 2",
        "session 3, turn 3",
        "session 3, turn 4",
        "session 3, turn 5",
        "session 4",
        "session 5",
        "",
        "",
        "session 1",
    ]


def test_a_file_that_was_cut_off_gives_what_came_before(tmp_path: Path) -> None:
    path = written(tmp_path / "lme.json", QUESTIONS)
    path.write_bytes(path.read_bytes()[:-200])
    found, problems = read_all(path)
    assert len(found) == 2
    assert "ends" in problems[-1].reason


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "lme.json", QUESTIONS[:1])
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        assert (import_file(memory._core, path).turns, import_file(memory._core, path).turns) == (4, 0)
        written(path, QUESTIONS)
        assert import_file(memory._core, path).turns == 2


def test_a_chat_about_the_format_is_none(tmp_path: Path) -> None:
    path = written(tmp_path / "chat.json", {"messages": chat('What is {"haystack_sessions": [[]]}?', "A benchmark.")})
    assert sources.sniff(path) == "messages"


@pytest.mark.parametrize("value", [[], {}, [{"haystack_sessions": []}], "text", [None]])
def test_what_holds_no_session_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(UnreadableSource):
        read_all(written(tmp_path / "lme.json", value), format="longmemeval")
