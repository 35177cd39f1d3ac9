"""Hostile turns and names through a real store: what the context shows, parsed back, is what is stored."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from engramma.language import quoting
from engramma.recall import context
from tests.conftest import some

BENCH = Path(__file__).parents[2] / "evaluate" / "bench" / "context_fuzz.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("context_fuzz", BENCH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["context_fuzz"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["context_fuzz"]


def test_parsing_back_gives_exactly_the_true_speakers_times_and_texts(bench):
    found = bench.fuzz(some(10_000) if some(3) == 3 else 300, seed=7)
    assert found.wrong == () and found.turns >= 300


def test_the_fuzz_notices_text_that_is_not_quoted(bench, monkeypatch):
    monkeypatch.setattr(context, "quoted", lambda text: f"> {text}")
    with pytest.raises(ValueError, match="Not a"):
        bench.fuzz(100, seed=7)


def test_the_fuzz_notices_names_that_are_not_escaped(bench, monkeypatch):
    monkeypatch.setattr(context, "speaker_line", quoting.escaped)
    try:
        assert bench.fuzz(100, seed=7).wrong
    except ValueError as error:
        assert "Not a" in str(error)
