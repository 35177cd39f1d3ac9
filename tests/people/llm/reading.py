"""Memories whose model is behind an address, and what the tests of the queue say in them."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.config.settings import Config
from tests.fakes import HashEmbedder

HOMES = ("Ana: I live in Lyon.", "Ben: I live in Oslo.", "Ana: Nice to hear.")


@pytest.fixture
def reader(tmp_path):
    """Opens a memory whose model is behind this address."""
    opened = []

    def open_(address: str, **given: object) -> Memory:
        table = {"url": address, "model": "small", "retries": 0, "timeout": 5.0, "chunks": "turns", "chunk_turns": 2}
        memory = Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=Config(llm={**table, **given}))
        opened.append(memory)
        return memory

    yield open_
    for memory in opened:
        memory.close()


def is_well(memory: Memory) -> bool:
    return all(check.ok for check in doctor(memory._core))
