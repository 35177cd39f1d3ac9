"""Words are counted as they come and go, and BM25 is summed from what the server says of them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.errors import StoreError
from engramma.store.postgres.database import Postgres
from engramma.store.postgres.word_ranks import SPREAD, summed
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines

COUNTED = "SELECT term, documents FROM word_counts ORDER BY term"
AGAIN = (
    'SELECT l.term COLLATE "C", count(*) FROM words w CROSS JOIN unnest(tsvector_to_array(w.body)) l(term) '
    "WHERE w.cold = 0 GROUP BY 1 ORDER BY 1"
)
# A store as it was before words were counted, and whether somebody waits for one who writes.
BEFORE = (
    "DROP TABLE word_counts",
    "DROP FUNCTION words_came, words_gone CASCADE",
    "UPDATE meta SET value = 'i15' WHERE key = 'schema_version'",
)
WAITING = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'words'::regclass"


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


def rows(memory: Memory, sql: str) -> list[tuple]:
    told = memory._core.store.database._with_connection(lambda c: c.execute(sql).fetchall())
    return list(map(tuple, told))


def test_counts_follow_what_comes_is_forgotten_and_goes(memory):
    memory.remember_session("c", "s", talk("Ann: a heron by the lake", "Ben: the lake is frozen"))
    memory.remember_session("c", "t", talk("Ann: no heron today"))
    assert rows(memory, COUNTED) == rows(memory, AGAIN) != []
    assert memory._core.store.document_counts(["heron", "lake", "otter"]) == {"heron": 2, "lake": 2, "otter": 0}
    assert memory._core.store.words_that_begin(["fr"], 9) == ["frozen"]
    store = memory._core.store
    with store.transaction():
        for key in store.keys("keys_all").tolist():
            store.remove_words(key)
    assert rows(memory, COUNTED) == rows(memory, AGAIN) == []


def test_wrong_counts_are_found(memory):
    memory.remember_session("c", "s", talk("Ann: a heron by the lake"))
    store = memory._core.store
    store.all("words_integrity")
    with store.transaction():
        store.database._writer().execute("UPDATE word_counts SET documents = 2 WHERE term = 'heron'")
    with pytest.raises(StoreError, match="counts of the words are wrong"):
        store.all("words_integrity")
    assert any(not check.ok for check in doctor(memory._core))
    assert all(check.ok for check in doctor(memory._core, fix=True))
    assert rows(memory, COUNTED) == rows(memory, AGAIN)


def test_no_word_of_a_deleted_namespace_is_left(tmp_path, memory):
    memory.remember_session("c", "s", talk("Ann: a heron by the lake"))
    with Memory.open(tmp_path / "store", "other", embedder=HashEmbedder()) as other:
        other.remember_session("c", "s", talk("Ann: an otter by the lake"))
        with other._core.store.transaction():
            other._core.store.database._writer().execute("UPDATE word_counts SET documents = 2 WHERE term = 'otter'")
    memory.namespaces.delete("other")
    assert rows(memory, COUNTED) == rows(memory, AGAIN) == [("a", 1), ("by", 1), ("heron", 1), ("lake", 1), ("the", 1)]


def test_words_that_come_or_go_while_a_store_is_brought_up_to_date_are_counted(memory):
    """An older version that has it open writes on meanwhile."""
    memory.remember_session("c", "s", talk("Ann: a heron by the lake", "Ben: an otter"))
    store = memory._core.store
    key = store.keys("keys_all").tolist()[1]
    store.database._with_connection(lambda c: [c.execute(one) for one in BEFORE])
    opening = threading.Thread(target=lambda: Postgres(store.database.address, busy_seconds=60).close())
    with store.transaction():
        store.remove_words(key)
        opening.start()
        while not rows(memory, WAITING):
            assert opening.is_alive()
    opening.join()
    assert rows(memory, COUNTED) == rows(memory, AGAIN) != []


def test_sums_are_the_same_however_far_apart_keys_are():
    near = [(np.array([1, 3, 4]), np.array([0.1, 0.2, 0.3])), (np.array([4, 1]), np.array([0.7, 1e-6]))]
    far = [(keys * SPREAD * 10, told) for keys, told in near]
    (keys, costs), (others, again) = summed(near), summed(far)
    assert (others // (SPREAD * 10)).tolist() == keys.tolist() == [1, 3, 4]
    assert again.tolist() == costs.tolist() == [-(0.1 + 1e-6), -0.2, -(0.3 + 0.7)]


def test_what_was_read_ahead_is_not_told_once_it_is_written(memory):
    store = memory._core.store
    assert store.meta("told") is None
    with store.transaction():
        assert store.meta("told") is None
        store.put_meta("told", "a")
        assert store.meta("told") == "a"
    with store.snapshot():
        assert store.meta("told") == "a"


def test_statements_are_prepared_once_and_survive_a_rollback(memory):
    store = memory._core.store
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), store.transaction():
            store.put_meta("told", "b")
            raise ZeroDivisionError
    assert store.meta("told") is None
    connection = store.database._pool.get()
    try:
        assert connection.kept is not None and connection.kept.prepared
        assert len(set(connection.kept.prepared.values())) == len(connection.kept.prepared)
    finally:
        store.database._pool.put(connection)
