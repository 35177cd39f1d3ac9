from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from tests.fakes import HashEmbedder

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def talk(*lines: str, day: int = 0, prefix: str = "t") -> list[Turn]:
    """Turns from "Name: text" lines, a minute apart, on a given day."""
    found = []
    for number, line in enumerate(lines, 1):
        speaker, _, text = line.partition(": ")
        said_at = START + timedelta(days=day, minutes=number)
        found.append(Turn(speaker, text, said_at, f"{prefix}{number}"))
    return found


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
