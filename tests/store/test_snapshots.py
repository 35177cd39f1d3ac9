"""What one state of the database says of itself is read once; inside a transaction it is read each time."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.errors import StoreError
from engramma.store.store import RELISTED
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def counted(memory, monkeypatch):
    """The store of a memory, and the names of the statements that it runs."""
    store, names = memory._core.store, []
    asked = store.database.all
    monkeypatch.setattr(store.database, "all", lambda name, params: names.append(name) or asked(name, params))
    return store, names


def test_a_state_is_asked_once_for_its_last_change_and_each_meta_value(counted):
    store, names = counted
    with store.snapshot():
        seen = {(store.last_change(), store.meta("store_id")) for _ in range(3)}
        with store.snapshot():
            seen.add((store.last_change(), store.meta("store_id")))
    assert len(seen) == 1
    assert sorted(names) == ["change_last", "meta_get", "namespace_name"]


def test_the_next_state_is_asked_again(memory):
    store = memory._core.store
    with store.snapshot():
        before = store.last_change()
    memory.remember_session("c", "s", talk("Ada: A kiln"))
    with store.snapshot():
        assert store.last_change() > before


def test_inside_a_transaction_what_was_just_written_is_seen(memory):
    store = memory._core.store
    with store.transaction(), store.snapshot():
        before = store.last_change()
        store.run("change_add", key=1, op=RELISTED)
        store.put_meta("a test", "first")
        assert (store.last_change(), store.meta("a test")) == (before + 1, "first")
        store.put_meta("a test", "second")
        assert store.meta("a test") == "second"


@pytest.mark.not_on("postgres")
def test_what_goes_wrong_inside_a_snapshot_is_told_in_our_words(memory):
    store = memory._core.store
    with pytest.raises(StoreError), store.snapshot():
        store.database.all("words_counts", {"ns": 4_711, "terms": '["kiln"]'})
        store.database.all("words_search", {"ns": 4_711, "match": '"unclosed', "limit": 3})


def test_another_memory_that_writes_meanwhile_does_not_change_the_state(memory, tmp_path):
    store = memory._core.store
    with Memory.open(memory.path, embedder=memory._core.embedder) as other, store.snapshot():
        before = store.last_change()
        other.remember_session("c", "s", talk("Ada: A kiln"))
        assert store.last_change() == before
