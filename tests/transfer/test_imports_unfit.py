"""Characters that no text file holds cost no message: they are replaced, and the report says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engramma import Memory

SAID = ["Where do I park?", "The bike \0 shed is \ud83d green.", "\0", "Thanks, that helps."]
KEPT = ["Where do I park?", "The bike \ufffd shed is \ufffd green.", "\ufffd", "Thanks, that helps."]
AT = "2026-01-01T10:00:00Z"
ROLES = ["user", "assistant", "user", "assistant"]


def messages(said: list[tuple[str, str]]) -> str:
    return json.dumps(
        [{"id": "c", "messages": [{"role": role, "content": text, "timestamp": AT} for role, text in said]}]
    )


def chatgpt(said: list[tuple[str, str]]) -> str:
    nodes = {
        str(number): {
            "id": str(number),
            "parent": str(number - 1) if number else None,
            "children": [str(number + 1)] if number + 1 < len(said) else [],
            "message": {
                "id": f"m{number}",
                "author": {"role": role},
                "create_time": 1_760_000_000 + number,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
        for number, (role, text) in enumerate(said)
    }
    talk = {"conversation_id": "c", "title": "a \0 title", "create_time": 1_760_000_000, "mapping": nodes}
    return json.dumps([{**talk, "current_node": str(len(said) - 1)}])


def claude_code(said: list[tuple[str, str]]) -> str:
    rows = [
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "s",
            "timestamp": f"2026-01-01T10:00:0{number}Z",
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(said)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("name", "write"),
    [("talk.json", messages), ("conversations.json", chatgpt), ("s.jsonl", claude_code)],
    ids=["messages", "chatgpt", "claude-code"],
)
def test_a_message_with_a_nul_is_kept_with_a_replacement_and_a_remark(tmp_path: Path, name, write):
    path = tmp_path / name
    path.write_text(write(list(zip(ROLES, SAID, strict=True))), encoding="utf-8")
    with Memory.open(tmp_path / "store") as memory:
        report = memory.import_(path)
        assert report.turns == len(SAID)
        turns = [turn.text for found in memory.sessions() for turn in memory.turns(found.conversation, found.id)]
        assert turns == KEPT
        assert sum("NUL character" in problem.reason for problem in report.problems) >= 2
