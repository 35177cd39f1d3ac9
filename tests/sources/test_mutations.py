"""Whatever happens to a file's bytes, a reader reports, refuses, or reads: it never breaks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engramma import sources
from engramma.errors import UnreadableSource

from .samples import read_all, valid_files

MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "delete", "insert", "cut", "repeat"]),
        st.integers(0, 5000),
        st.binary(min_size=1, max_size=4) | st.sampled_from([b"\0", b"\n", b'"', b"\\ud800", b"1e999", b"[" * 3000]),
    ),
    min_size=1,
    max_size=6,
)


OUTCOME = re.compile(r"\b(skipped|kept|taken|their turns are (placed|left))\b")


def mutated(content: bytes, mutations: list[tuple[str, int, bytes]]) -> bytes:
    for kind, where, data in mutations:
        at = where % (len(content) + 1)
        if kind == "flip":
            content = content[:at] + data + content[at + len(data) :]
        elif kind == "delete":
            content = content[:at] + content[at + len(data) :]
        elif kind == "insert":
            content = content[:at] + data + content[at:]
        elif kind == "cut":
            content = content[:at]
        else:
            content = content[:at] + content[at // 2 :]
    return content


@pytest.mark.parametrize("name", valid_files())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=MUTATIONS)
@example(mutations=[("cut", 0, b"x")])
def test_a_damaged_file_raises_nothing_but_unreadable(
    name: str, tmp_path: Path, mutations: list[tuple[str, int, bytes]]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(mutated(valid_files()[name], mutations))
    for format in (None, *sources.READERS):
        try:
            conversations, problems = read_all(path, format=format)
        except UnreadableSource:
            continue
        for problem in problems:
            # Whoever reads a report must know whether the record is in the memory.
            assert OUTCOME.search(problem.reason), problem.reason
        for conversation in conversations:
            assert conversation.sessions
            assert all(session.turns for session in conversation.sessions)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary() | st.text().map(str.encode))
def test_arbitrary_bytes_raise_nothing_but_unreadable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    for format in (None, *sources.READERS):
        try:
            read_all(path, format=format)
        except UnreadableSource:
            continue
