"""Another model for the whole store, resumably, while others look on."""

from __future__ import annotations

import pytest

from engramma import EmbedderMismatch, Memory
from engramma.transfer import export_lines
from engramma.upkeep import doctor, reindex
from tests.conftest import talk
from tests.fakes import HashEmbedder


class Failing(HashEmbedder):
    """Breaks down after some calls, as a machine does that is switched off."""

    def __init__(self, calls: int) -> None:
        super().__init__("new")
        self.calls = calls

    def embed(self, texts, kind="document", progress=None):
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("power cut")
        return super().embed(texts, kind, progress)


def fill(memory, sessions=30):
    for number in range(sessions):
        memory.remember_session(
            "c", f"s{number:02}", talk(*(f"Ana: train {n % 3} rain {number % 5}" for n in range(20)), day=number)
        )


@pytest.fixture
def new_embedder(monkeypatch):
    """The store will ask for its new model by name."""
    import engramma.memory as module

    new = HashEmbedder("new")
    monkeypatch.setattr(module, "load", lambda spec=None: new)
    return new


def test_a_reindexed_store_is_what_it_would_be_with_the_new_model_from_the_start(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory)
        said = list(export_lines(memory))
        assert reindex(memory, new_embedder, "new") == 600
        assert list(export_lines(memory)) == said
        with Memory.open(tmp_path / "b", embedder=new_embedder) as fresh:
            fill(fresh)
            assert sorted(memory.graph()[1]) == sorted(fresh.graph()[1])
            one, other = memory.recall("rain 3"), fresh.recall("rain 3")
            assert one.candidates == other.candidates
        assert [c for c in doctor(memory) if not c.ok] == []


def test_an_interrupted_reindex_goes_on_where_it_stopped(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory)
        before = memory.recall("rain 3").candidates
        with pytest.raises(RuntimeError, match="power cut"):
            reindex(memory, Failing(calls=1), "new")
        assert memory.recall("rain 3").candidates == before, "until the swap the old vectors serve"
        done: list[int] = []
        reindex(memory, new_embedder, "new", lambda now, total: done.append(now))
        assert done[0] > 256, "the first batch was not embedded again"


def test_a_memory_that_was_open_meanwhile_is_told_to_open_again(tmp_path, new_embedder):
    with (
        Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory,
        Memory.open(tmp_path / "a", embedder=HashEmbedder()) as other,
    ):
        fill(memory, 3)
        other.recall("rain")
        reindex(memory, new_embedder, "new")
        with pytest.raises(EmbedderMismatch, match=r"[Oo]pen it again"):
            other.recall("rain")
        with pytest.raises(EmbedderMismatch):
            other.remember_session("c", "late", talk("Ana: too late", day=90))


def test_every_namespace_is_reindexed(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", "one", embedder=HashEmbedder()) as one:
        fill(one, 2)
    with Memory.open(tmp_path / "a", "two", embedder=HashEmbedder()) as two:
        fill(two, 3)
        assert reindex(two, new_embedder, "new") == 100
    for name in ("one", "two"):
        with Memory.open(tmp_path / "a", name, embedder=new_embedder) as memory:
            assert [c for c in doctor(memory) if not c.ok] == []
