"""Files that grow: importing them again adds what is new, and nothing a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engramma.memory import Memory
from engramma.records import RememberReport
from engramma.transfer.imports import Reading, import_file

from ..fakes import HashEmbedder
from .samples import json_lines

START = datetime(2024, 1, 1, tzinfo=UTC)


def exchange(question: str, answer: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


BEGIN = exchange("What goes into borscht?", "Beetroot.")
MORE = exchange("And into minestrone?", "Beans.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


def take(memory: Memory, path: Path, text: str, day: int = 0) -> RememberReport:
    """Import a file as if it had been written on that day: the time of turns that have none."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return import_file(memory._core, path, Reading(fallback_time=START + timedelta(days=day)))


def added(report: RememberReport) -> tuple[int, int, int]:
    return report.conversations, report.turns, report.known_turns


def test_a_list_of_messages_without_times_or_ids(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    assert added(take(memory, path, json.dumps(BEGIN))) == (1, 2, 0)
    assert added(take(memory, path, json.dumps(BEGIN), day=1)) == (0, 0, 2)
    assert added(take(memory, path, json.dumps(BEGIN + MORE), day=2)) == (0, 2, 2)
    assert added(take(memory, path, json.dumps(BEGIN + MORE), day=3)) == (0, 0, 4)


def test_a_common_instruction_does_not_join_chats(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    system = {"role": "system", "content": "Be brief."}
    assert added(take(memory, path, json.dumps([system, *exchange("hi", "Hello!")]))) == (1, 3, 0)
    assert added(take(memory, path, json.dumps([system, *exchange("hi", "Good day.")]))) == (1, 3, 0)


def test_conversations_that_begin_alike_keep_their_places(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    talks = [BEGIN, BEGIN + MORE, BEGIN, BEGIN + exchange("And salt?", "A pinch.")]
    report = take(memory, path, json_lines([{"messages": talk} for talk in talks]))
    assert added(report) == (3, 10, 0)
    assert [problem.reason for problem in report.problems if "twice" in problem.reason]
    talks[2] = BEGIN + exchange("Cabbage?", "Yes.")
    grown = json_lines([{"messages": talk} for talk in talks])
    assert added(take(memory, path, grown, day=1)) == (1, 4, 10)
    assert added(take(memory, path, grown, day=2)) == (0, 0, 14)


@pytest.mark.parametrize("line", ["{}", "[2024-01-01 10:00] {}"])
def test_a_transcript(memory: Memory, tmp_path: Path, line: str) -> None:
    rows = [line.format(row) + "\n" for row in ("Ann: hi", "Ben: hey", "Ann: bye", "Ben: bye")]
    assert added(take(memory, tmp_path / "chat.txt", "".join(rows[:2]))) == (1, 2, 0)
    assert added(take(memory, tmp_path / "chat.txt", "".join(rows), day=1)) == (0, 2, 2)
    assert added(take(memory, tmp_path / "chat.txt", "".join(rows), day=2)) == (0, 0, 4)


def test_files_of_the_same_name_are_other_conversations(memory: Memory, tmp_path: Path) -> None:
    assert added(take(memory, tmp_path / "a" / "chat.txt", "Ann: hi\nBen: hey\n")) == (1, 2, 0)
    assert added(take(memory, tmp_path / "b" / "chat.txt", "Eva: hi\nBen: hey\n")) == (1, 2, 0)
    assert len({row.conversation for row in memory.sessions()}) == 2
