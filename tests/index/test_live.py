"""The index that follows a store."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.index.scan import FaissIndex
from tests.conftest import talk
from tests.fakes import HashEmbedder


def test_an_index_whose_loading_was_interrupted_is_loaded_again(tmp_path, monkeypatch):
    """It was kept without its rows, as one that knows the store up to its last change."""
    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ann: a heron by the lake", "Ben: the lake is frozen"))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(FaissIndex, "add", interrupted)
            memory.recall("frozen lake")
        index, seq = memory._core.live_index().fresh()
        assert (len(index), seq) == (2, memory._core.store.last_change())
        assert "the lake is frozen" in memory.recall("frozen lake").context
