"""What the adapters rest on: JSON beside a turn's words, texts in pieces, a clear word when a package is missing."""

from __future__ import annotations

import importlib
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.apps.adapters.packing import masked, pack_value, unpack_value
from engramma.apps.adapters.slots import PIECE, cut_value_text
from engramma.redaction import redact
from tests.conftest import some

TEXTS = st.text(st.characters(codec=None), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_a_value_comes_back_exactly_unless_there_is_a_secret_in_it(value):
    if not redact(json.dumps(value)).redactions:
        assert unpack_value(pack_value(value, redact, 10**6)) == value


def test_a_long_value_is_masked_before_it_is_cut():
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    for before in range(3_950, 4_005, 3):
        value = {"text": "x " * (before // 2) + token + " y" * 3_000}
        meta = pack_value(value, redact, 10**6)
        assert len(meta) > 1 and max(map(len, meta.values())) <= 4_000
        assert unpack_value(meta) == {"text": value["text"].replace(token, "[redacted:github-token]")}


@pytest.mark.parametrize(
    "secret", [{"password": "hunter2xyz"}, {"password": 73915528, "b": [1]}, ["my password is x9Kq2!!z"]]
)
def test_what_is_masked_is_still_json(secret):
    clean = masked(json.dumps(secret), redact)
    assert type(json.loads(clean)) is type(secret) and not redact(clean).redactions


@settings(max_examples=some(150))
@given(
    st.lists(st.sampled_from(["a", "\n", " ", "word " * 300, "x" * 3_000, "\r\n", "\u2028"]), max_size=12).map("".join)
)
def test_pieces_together_are_the_text_and_none_is_blank(text):
    parts = cut_value_text(text)
    assert "".join(parts) == text
    if text.strip():
        assert all(part.strip() for part in parts)
        assert all(len(part.strip()) <= PIECE for part in parts)


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("langgraph", "langgraph.store.base", "engramma[langgraph]"),
        ("openai_agents", "agents.memory", "engramma[openai-agents]"),
        ("anthropic", "anthropic.lib.tools", "engramma[anthropic]"),
    ],
)
def test_a_missing_package_names_its_extra(monkeypatch, adapter, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"engramma.apps.adapters.{adapter}", raising=False)
    with pytest.raises(ImportError) as error:
        importlib.import_module(f"engramma.apps.adapters.{adapter}")
    assert f"pip install '{extra}'" in str(error.value)
