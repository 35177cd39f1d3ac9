from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from engramma import Memory, Turn
from tests.fakes import HashEmbedder

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def some(examples: int) -> int:
    """How many examples a law is tried with: a third of what it deserves, and with ENGRAMMA_LONG all."""
    return examples if os.environ.get("ENGRAMMA_LONG") else examples // 3


def talk(*lines: str, day: int = 0, prefix: str = "t") -> list[Turn]:
    """Turns from "Name: text" lines, a minute apart, on a given day."""
    found = []
    for number, line in enumerate(lines, 1):
        speaker, _, text = line.partition(": ")
        said_at = START + timedelta(days=day, minutes=number)
        found.append(Turn(speaker, text, said_at, f"{prefix}{number}"))
    return found


@pytest.fixture(scope="session", autouse=True)
def one_encoder() -> Iterator[None]:
    """The packaged encoder is loaded once a process, however many memories a test opens."""
    from engramma.models import onnx

    load, packaged = onnx.load_packaged, cache(onnx.load_packaged)

    def loaded(folder: Path = onnx.WEIGHTS) -> onnx.OnnxEmbedder:
        return packaged() if folder == onnx.WEIGHTS else load(folder)

    onnx.load_packaged = loaded
    yield
    onnx.load_packaged = load


@pytest.fixture(scope="session", autouse=True)
def own_trust(tmp_path_factory) -> Iterator[None]:
    """What tests confirm lies in a folder of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENGRAMMA_TRUST", str(tmp_path_factory.mktemp("trust")))
        yield


@pytest.fixture
def memory(tmp_path):
    """A memory with the cheap embedder."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def real(tmp_path):
    """A memory with the encoder that ships."""
    with Memory.open(tmp_path / "real") as opened:
        yield opened
