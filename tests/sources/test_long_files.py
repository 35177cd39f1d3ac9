"""A file of any length: memory follows what is held of a talk, not the file, and pieces are one conversation."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from engramma import sources
from engramma.memory import Memory
from engramma.records import Conversation, Turn
from engramma.sources import agent_turns, claude_code, codex, gemini_cli, json_text, sessions
from engramma.sources.checks import check_conversations
from engramma.transfer.imports import Reading, import_file
from engramma.transfer.preview import preview_file

from ..fakes import HashEmbedder
from .agents import SESSION, claude_row, codex_event, codex_message, codex_row
from .samples import GAP

START = datetime(2024, 1, 1, tzinfo=UTC)
COUNT = 3000


def moment(n: int) -> datetime:
    """Twenty messages a sitting."""
    return START + timedelta(minutes=n + n // 20 * 60)


def stated(n: int) -> str:
    return moment(n).isoformat()


def words(n: int) -> str:
    return f"word {n} " * 100


def telegram(count: int) -> Iterator[str]:
    yield '{"name": "Ann", "type": "personal_chat", "id": 7, "messages": ['
    for n in range(count):
        message: dict[str, Any] = {"id": n, "type": "message", "from": "Ann", "text": words(n)}
        message["date_unixtime"] = str(int(moment(n).timestamp()))
        yield ("," if n else "") + json.dumps(message) + "\n"
    yield "]}"


def claude_lines(count: int) -> Iterator[str]:
    for n in range(count):
        kind = "assistant" if n % 2 else "user"
        yield json.dumps(claude_row(kind, f"u{n}", 0, words(n), timestamp=stated(n))) + "\n"
    yield json.dumps({"type": "custom-title", "customTitle": "Kites", "sessionId": SESSION}) + "\n"


def codex_lines(count: int) -> Iterator[str]:
    yield json.dumps(codex_row(0, "session_meta", id=SESSION, timestamp=stated(0), cwd="/home/ann")) + "\n"
    for n in range(count):
        role, event = ("assistant", "agent_message") if n % 2 else ("user", "user_message")
        for row in (codex_message(0, role, words(n)), codex_event(0, event, words(n))):
            yield json.dumps({**row, "timestamp": stated(n)}) + "\n"


def gemini_lines(count: int) -> Iterator[str]:
    yield json.dumps({"sessionId": SESSION, "projectHash": "p", "startTime": stated(0)}) + "\n"
    for n in range(count):
        kind = "gemini" if n % 2 else "user"
        yield json.dumps({"id": f"m{n}", "timestamp": stated(n), "type": kind, "content": words(n)}) + "\n"


WRITERS: dict[str, Callable[[int], Iterator[str]]] = {
    "telegram": telegram,
    "claude-code": claude_lines,
    "codex": codex_lines,
    "gemini-cli": gemini_lines,
}


def written(path: Path, name: str, count: int) -> Path:
    with path.open("w") as file:
        file.writelines(WRITERS[name](count))
    return path


def conversations(path: Path) -> list[Conversation]:
    return [item for item in sources.read_source(path, idle_gap=GAP) if isinstance(item, Conversation)]


def in_pieces_of(turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sessions, agent_turns, claude_code, codex, gemini_cli):
        monkeypatch.setattr(module, "PIECE_TURNS", turns)


@pytest.mark.long
@pytest.mark.parametrize("name", WRITERS)
def test_memory_follows_a_piece_of_the_talk_not_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "CHUNK_BYTES", 32 * 1024)
    in_pieces_of(100, monkeypatch)
    assert conversations(written(tmp_path / "file", name, 200))  # what is loaded once is not counted
    path = written(tmp_path / "file", name, COUNT)
    assert sources.sniff(path) == name
    tracemalloc.start()
    count = 0
    for item in sources.read_source(path, idle_gap=GAP):
        count += sum(len(session.turns) for session in item.sessions) if isinstance(item, Conversation) else 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == COUNT
    assert peak < 0.7 * sum(len(words(n)) for n in range(COUNT))  # the words alone, let alone the records


@pytest.mark.parametrize("name", WRITERS)
def test_the_pieces_are_the_conversation(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "file", name, 200)
    (whole,) = conversations(path)
    in_pieces_of(30, monkeypatch)
    pieces = conversations(path)
    assert len(pieces) > 3
    assert [piece.continues for piece in pieces] == [False] + [True] * (len(pieces) - 1)
    assert [session for piece in pieces for session in piece.sessions] == list(whole.sessions)
    assert {piece.id for piece in pieces} == {whole.id}
    assert pieces[-1].title == whole.title


def test_a_memory_takes_the_pieces_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PIECE_TURNS", 30)
    path = written(tmp_path / "result.json", "telegram", 200)
    late = Reading(since=moment(150))
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        seen = preview_file(memory._core, path, late)
        assert (seen.conversations, seen.new_conversations, seen.new_turns) == (1, 1, 50)
        report = import_file(memory._core, path)
        assert (report.conversations, report.sessions, report.turns) == (1, 10, 200)
        again = preview_file(memory._core, path)
        assert (again.conversations, again.new_turns, again.known_turns) == (1, 0, 200)


def test_a_long_conversation_that_stands_twice_is_taken_once() -> None:
    def piece(n: int, continues: bool) -> Conversation:
        return Conversation("c", (sessions.Session(f"s{n}", (Turn("Ann", f"text {n}", id="1"),)),), continues=continues)

    first = [piece(1, False), piece(2, True), piece(3, True)]
    found = list(check_conversations([*first, *first], "x"))
    assert [item for item in found if isinstance(item, Conversation)] == first
    other = list(check_conversations([*first, *first[:2], piece(9, True)], "x"))
    (rest,) = [item for item in other[3:] if isinstance(item, Conversation)]
    assert (rest.id, rest.continues, rest.sessions[0].turns[0].text) == ("c#2", False, "text 9")


def test_a_packed_session_is_read_as_it_is_unpacked(tmp_path: Path) -> None:
    whole = "".join(codex_lines(200))
    (tmp_path / "rollout-1.jsonl").write_text(whole)
    (tmp_path / "rollout-2.jsonl.zst").write_bytes(zstandard.compress(whole.encode()))
    assert conversations(tmp_path / "rollout-1.jsonl") == conversations(tmp_path / "rollout-2.jsonl.zst")
