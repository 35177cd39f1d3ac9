"""Ctrl-C while a transaction or a snapshot begins leaves none of them open."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from engramma import Memory
from engramma.errors import StoreError
from tests.conftest import talk
from tests.fakes import HashEmbedder


class Interrupted:
    """A connection that begins a transaction and is told of Ctrl-C only then, as after a wait for others."""

    def __init__(self, connection):
        self._connection = connection

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def execute(self, sql, *values):
        done = self._connection.execute(sql, *values)
        if sql.startswith("BEGIN"):
            raise KeyboardInterrupt
        return done


@pytest.fixture
def pair(tmp_path):
    embedder = HashEmbedder()
    with (
        Memory.open(tmp_path / "m", embedder=embedder) as one,
        Memory.open(tmp_path / "m", embedder=embedder) as other,
    ):
        one.remember_session("c", "s", talk("Ann: the lake is frozen"))
        yield one, other


@pytest.mark.parametrize("begun", ["transaction", "transaction without waiting", "snapshot"])
def test_what_is_interrupted_as_it_begins_is_over(pair, monkeypatch, begun):
    one, other = pair
    database = one._core.store.database
    using = database._using

    @contextmanager
    def cut(**how):
        with using(**how) as connection:
            yield Interrupted(connection)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(database, "_using", cut)
        with database.snapshot() if begun == "snapshot" else database.transaction(wait=begun == "transaction"):
            raise AssertionError("it has not begun")
    assert not database.is_writing
    other.remember("the heron is back")  # nobody holds the lock
    assert "heron" in one.recall("the heron").context  # nor an old state
    one.remember("the otter, too")
    assert "otter" in other.recall("the otter").context


def test_a_transaction_within_another_is_refused_and_ends_nothing(pair):
    one, other = pair
    store = one._core.store
    with store.transaction():
        store.put_meta("outer", "a")
        with pytest.raises(StoreError, match="within a transaction"), store.transaction():
            raise AssertionError("it has not begun")
        assert store.database.is_writing
    assert other._core.store.meta("outer") == "a"
