"""Whatever value stands anywhere in an export, it is read or reported: never an error."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma.errors import UnreadableSource
from tests.conftest import some

from .damage import OUTCOME
from .export_samples import CHATGPT, CLAUDE, as_json
from .samples import LOCOMO, MESSAGES, read_all

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["m2", "k1", "c1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
DOCUMENTS: dict[str, Any] = {"chatgpt": CHATGPT, "claude": CLAUDE, "locomo": LOCOMO, "messages": MESSAGES}


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    keys = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in list(keys) for place in ((value, key), *places(inner))]


@pytest.mark.parametrize("format", DOCUMENTS)
@settings(max_examples=some(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 10_000), VALUES | st.just(...)), min_size=1, max_size=4))
def test_any_value_anywhere_in_a_document_is_read_or_reported(
    format: str, tmp_path: Path, changes: list[tuple[int, Any]]
) -> None:
    document = deepcopy(DOCUMENTS[format])
    for place, value in changes:
        if found := places(document):
            container, key = found[place % len(found)]
            if value is ...:
                del container[key]
            else:
                container[key] = value
    path = tmp_path / "file.json"
    path.write_bytes(json.dumps(document).encode())
    try:
        conversations, problems = read_all(path, format=format)
    except UnreadableSource:
        return
    assert conversations or problems
    assert all(OUTCOME.search(problem.reason) for problem in problems)
    for conversation in conversations:
        as_json(
            [[turn.text, turn.speaker, dict(turn.meta)] for session in conversation.sessions for turn in session.turns]
        )
