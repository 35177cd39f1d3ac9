"""Reads made-up ChatGPT exports."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma.records import Conversation, Problem, Turn

from .export_samples import T0, as_json, line, said
from .samples import read_all, turns_of


def read_chats(tmp_path: Path, *chats: Any, **options: Any) -> tuple[list[Conversation], list[Problem]]:
    path = tmp_path / "conversations.json"
    path.write_bytes(as_json(list(chats)))
    return read_all(path, **options)


def read_one(tmp_path: Path, chat: Any, **options: Any) -> tuple[Conversation, list[str]]:
    (conversation,), problems = read_chats(tmp_path, chat, **options)
    return conversation, [problem.reason for problem in problems]


def read_turn(tmp_path: Path, message: dict[str, Any]) -> Turn:
    talk, _ = read_one(tmp_path, line("c", said("q", "user", "?", at=1), message))
    return turns_of(talk)[-1]


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(T0, UTC) + timedelta(seconds=seconds)


def texts(conversation: Conversation) -> list[list[str]]:
    return [[turn.text for turn in session.turns] for session in conversation.sessions]
