from __future__ import annotations

from collections.abc import Iterator

import pytest

from .server import EmbeddingServer


@pytest.fixture
def embedding() -> Iterator[EmbeddingServer]:
    """An embedding server, started."""
    made = EmbeddingServer().start()
    yield made
    made.stop()


@pytest.fixture
def hurry(monkeypatch):
    """The same limits, shorter: nobody waits for five seconds in a test."""
    from engramma.models import exchange

    monkeypatch.setattr(exchange, "HURRIED_SECONDS", 0.4)
    monkeypatch.setattr(exchange, "HURRIED_TEXT_SECONDS", 0.2)
