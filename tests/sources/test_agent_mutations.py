"""Whatever happens to a file of an agent, by bytes or by values, its reader reports, refuses, or reads."""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.conftest import some

from .agents import (
    CLAUDE_CODE,
    CODEX,
    CODEX_OLD,
    GEMINI_CHECKPOINT,
    GEMINI_LINES,
    GEMINI_LOG,
    GEMINI_SESSION,
    OLD_CHATS,
    TAKEOUT,
    agent_files,
    cursor_cells,
    cursor_database,
)
from .damage import MUTATIONS, changed, mutated, reads_or_refuses
from .samples import json_lines

with tempfile.TemporaryDirectory() as scratch:
    FILES = agent_files(Path(scratch))
FILES["codex.zst"] = zstandard.compress(FILES["codex.lines"])
FILES["codex.value"] = json.dumps({"session": CODEX_OLD[0], "items": CODEX_OLD[1:]}).encode()

VALUES: dict[str, Any] = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "codex.old": CODEX_OLD,
    "codex.value": {"session": CODEX_OLD[0], "items": CODEX_OLD[1:]},
    "gemini-cli": GEMINI_LINES,
    "gemini-cli.session": GEMINI_SESSION,
    "gemini-cli.logs": GEMINI_LOG,
    "gemini-cli.checkpoint": GEMINI_CHECKPOINT,
    "gemini-takeout": TAKEOUT,
    "cursor": {"cells": cursor_cells(), "items": {"workbench.panel.aichat.view.aichat.chatdata": OLD_CHATS}},
}
LINES = ("claude-code", "codex", "codex.old", "gemini-cli")
ODD: list[Any] = [
    *(None, True, 0, -1, 3, 1e308, 10**40, "", " ", "x", "\ud800", "<div>", "2026-13-45", "9" * 40, "subagent"),
    *([], {}, [[]], [None], ["text"], {"text": 3}, [{"text": None}], [{"type": "text", "text": 1}], {"": ""}),
]


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=some(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=MUTATIONS)
@example(mutations=[("cut", 0, b"x")])
def test_a_damaged_file_raises_nothing_but_unreadable(
    name: str, tmp_path: Path, mutations: list[tuple[str, int, bytes]]
) -> None:
    path = tmp_path / "rollout-file"
    path.write_bytes(mutated(FILES[name], mutations))
    for asked in (None, name.partition(".")[0]):
        reads_or_refuses(path, asked)


@pytest.mark.parametrize("at", range(0, 100, 4))
def test_a_database_that_is_cut_or_overwritten_anywhere(at: int, tmp_path: Path) -> None:
    whole = FILES["cursor.database"]
    place = len(whole) * at // 100
    path = tmp_path / "state.vscdb"
    for content in (whole[:place], whole[:place] + b"\xff" * 64 + whole[place + 64 :], whole[:place] + bytes(512)):
        path.write_bytes(content)
        for asked in (None, "cursor"):
            reads_or_refuses(path, asked)


@pytest.mark.parametrize("name", VALUES)
@settings(max_examples=some(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 400), st.sampled_from(ODD)), min_size=1, max_size=4))
def test_values_of_any_kind_raise_nothing_but_unreadable(
    name: str, tmp_path: Path, changes: list[tuple[int, Any]]
) -> None:
    value = deepcopy(VALUES[name])
    for place, odd in changes:
        value = changed(value, place + 1, odd)  # never the whole of it
    path = tmp_path / "file"
    path.unlink(missing_ok=True)
    if name == "cursor":
        cells, items = (one if isinstance(one, dict) else {} for one in value.values())
        cursor_database(path, cells, items)
    else:
        path.write_text(json_lines(value) if name in LINES else json.dumps(value))
    for asked in (None, name.partition(".")[0]):
        reads_or_refuses(path, asked)
