"""Two purges of one store, one of which is overtaken by the other."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.forget import forget, purge
from tests.fakes import HashEmbedder
from tests.forget.test_forget import fill, unwell

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        fill(opened)
        yield opened


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_purge_that_another_one_finished_meanwhile_has_done_it_and_writes_no_word_again(
    memory, tmp_path, monkeypatch, is_killed
):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as other:
        archive_pending, overtaken = forget.archive_pending, []

        def hidden(*given: object) -> None:
            archive_pending(*given)
            if not overtaken:
                overtaken.append(True)
                other.purge(query="nobody said this")  # finishes what was begun

        monkeypatch.setattr(forget, "archive_pending", hidden)
        if is_killed:
            remove = purge.remove_whole
            monkeypatch.setattr(
                purge,
                "remove_whole",
                lambda store, *rest: remove(store, *rest) if store is not memory._core.store else 1 / 0,
            )
            with pytest.raises(ZeroDivisionError):
                memory.purge(query="heliotrope")
        else:
            done = memory.purge(query="heliotrope")
            assert (done.turns, done.purged) == (1, True)
    assert overtaken
    assert "heliotrope" not in repr(memory.acts.all())
    assert unwell(memory) == []
