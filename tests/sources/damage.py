"""How files and values are damaged, and what a reader may then do."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from engramma.errors import UnreadableSource

from .samples import read_all

MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "delete", "insert", "cut", "repeat"]),
        st.integers(0, 5000),
        st.binary(min_size=1, max_size=4) | st.sampled_from([b"\0", b"\n", b'"', b"\\ud800", b"1e999", b"[" * 3000]),
    ),
    min_size=1,
    max_size=6,
)


OUTCOME = re.compile(r"\b(skipped|kept|imported|replaced|placed|read as|their turns are (dated|left))\b")


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


def changed(value: Any, place: int, odd: Any) -> Any:
    """The value with the one at that place, counted through all that is nested, replaced."""
    if place == 0:
        return deepcopy(odd)
    spots = list(_spots(value))
    if spots:
        holder, key = spots[place % len(spots)]
        holder[key] = deepcopy(odd)
    return value


def _spots(value: Any) -> Any:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in list(inner):
        yield value, key
        yield from _spots(one)


def reads_or_refuses(path: Path, format: str | None) -> None:
    """Read it; whatever comes must be whole, and every problem must say what became of its record."""
    try:
        conversations, problems = read_all(path, format=format)
    except UnreadableSource:
        return
    for problem in problems:  # whoever reads a report must know whether the record is in the memory
        assert OUTCOME.search(problem.reason), problem.reason
    for conversation in conversations:
        assert conversation.sessions
        assert all(session.turns for session in conversation.sessions)
        for turn in (turn for session in conversation.sessions for turn in session.turns):
            assert turn.text.strip()
            assert all(isinstance(one, str) for fact in turn.meta.items() for one in fact)
