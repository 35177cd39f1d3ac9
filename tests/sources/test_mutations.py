"""Whatever happens to a file's bytes, a reader reports, refuses, or reads: it never breaks."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engramma import sources
from tests.conftest import some

from .chat_samples import LONGMEMEVAL, MCP_MEMORY, SLACK_DAY, TELEGRAM_CHAT, chat_files
from .damage import MUTATIONS, changed, mutated, reads_or_refuses
from .samples import LOCOMO, MESSAGES, valid_files

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", valid_files())
@settings(max_examples=some(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=MUTATIONS)
@example(mutations=[("cut", 0, b"x")])
def test_a_damaged_file_raises_nothing_but_unreadable(
    name: str, tmp_path: Path, mutations: list[tuple[str, int, bytes]]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(mutated(valid_files()[name], mutations))
    for format in (None, *sources.READERS):
        reads_or_refuses(path, format)


@settings(max_examples=some(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary() | st.text().map(str.encode))
def test_arbitrary_bytes_raise_nothing_but_unreadable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    for format in (None, *sources.READERS):
        reads_or_refuses(path, format)


@pytest.mark.parametrize("name", chat_files())
@settings(max_examples=some(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=MUTATIONS)
@example(mutations=[("cut", 0, b"x")])
def test_a_damaged_chat_raises_nothing_but_unreadable(
    name: str, tmp_path: Path, mutations: list[tuple[str, int, bytes]]
) -> None:
    format, content = chat_files()[name]
    path = tmp_path / "file"
    path.write_bytes(mutated(content, mutations))
    for asked in (None, format):
        reads_or_refuses(path, asked)


JSON_FILES: dict[str, tuple[str, str, Any]] = {
    "telegram": ("telegram", "file", TELEGRAM_CHAT),
    "telegram-account": ("telegram", "file", {"chats": {"list": [TELEGRAM_CHAT]}, "left_chats": {"list": []}}),
    "slack": ("slack", "general/2023-11-14.json", SLACK_DAY),
    "slack-users": ("slack", "users.json", [{"id": "U1", "name": "ann", "profile": {"display_name": "Annie"}}]),
    "slack-channels": ("slack", "channels.json", [{"id": "C1", "name": "general", "members": ["U1"]}]),
    "longmemeval": ("longmemeval", "file", LONGMEMEVAL),
    "mcp-memory": ("mcp-memory", "file", {"entities": MCP_MEMORY[:1], "relations": MCP_MEMORY[1:]}),
    "locomo": ("locomo", "file", LOCOMO),
    "messages": ("messages", "file", MESSAGES),
}
ODD: list[Any] = [
    *(None, True, 0, -1, 1e308, 10**40, "", " ", "x", "\ud800", "1e999", "2023-13-45", "9" * 40),
    *([], {}, [[]], [None], {"text": 3}, [{"text": None}], [[["deep"]]], {"": ""}),
]


@pytest.mark.parametrize("name", JSON_FILES)
@settings(max_examples=some(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 200), st.sampled_from(ODD)), min_size=1, max_size=4))
def test_values_of_any_kind_raise_nothing_but_unreadable(
    name: str, tmp_path: Path, changes: list[tuple[int, Any]]
) -> None:
    format, file, value = JSON_FILES[name]
    value = deepcopy(value)
    for place, odd in changes:
        value = changed(value, place, odd)
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    if format == "slack":
        (tmp_path / "general").mkdir(exist_ok=True)
        (tmp_path / "general" / "2023-11-15.json").write_text(json.dumps(SLACK_DAY))
    path.write_text(json.dumps(value))
    source = tmp_path if format == "slack" else path
    for asked in (None, format):
        reads_or_refuses(source, asked)
