"""A process with an index in memory sees at once what others add, replace and remove, and outlives their crashes."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from engramma import Turn
from engramma.core.names import segment_key
from engramma.index import live as indexes
from engramma.index.scan import FaissIndex
from engramma.transfer.backup import backup
from engramma.transfer.restore import restore
from tests.conftest import START, talk
from tests.crash.processes import answer, opened, run_commands, said, started, unwell

pytestmark = pytest.mark.long

FIRST = talk("user: where is the violin", day=1)
LONGER = [*FIRST, replace(FIRST[0], speaker="assistant", text="in the harbour", id="t2")]


def found(memory, query, k=3, **options):
    """Segment ids and texts of the nearest segments."""
    recalled = memory.recall(query, k=k, recipe="vector", **options)
    return {c.segment_id: c.text for c in recalled.candidates}


@pytest.fixture
def pair(tmp_path):
    """This process with a loaded index, and another one that does as it is told."""
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "old", talk("Ana: the garden is large", "Ben: the kitchen is small"))
        assert len(found(memory, "garden")) == 2
        with started(run_commands, memory.path) as (process, pipe):
            assert answer(pipe) == "ready"

            def tell(*command):
                pipe.send(command)
                return answer(pipe)

            yield memory, process, tell


def test_what_another_process_adds_replaces_and_removes_shows_in_the_next_recall(pair):
    memory, _, tell = pair
    tell("remember", "c", "new", FIRST)
    assert found(memory, "where is the violin", 1) == {"seg_c/new_0": "where is the violin"}
    tell("remember", "c", "new", LONGER)
    assert found(memory, "violin harbour", 1) == {"seg_c/new_0": "user: where is the violin\nassistant: in the harbour"}
    assert len(found(memory, "violin", 10)) == 3, "the segment it replaces is gone"
    tell("remove", "seg_c/new_0")
    assert set(found(memory, "violin harbour", 10)) == {"seg_c/old_0", "seg_c/old_1"}
    assert memory.recall("violin", recipe="vector").trace.counts["searched"] == 2


def test_many_changes_between_two_recalls_are_one_catch_up(pair):
    memory, _, tell = pair
    for number in range(5):
        turns = talk(f"user: question {number} about invoices", day=number + 1)
        tell("remember", "c", f"n{number}", turns)
        tell("remember", "c", f"n{number}", [*turns, replace(turns[0], speaker="assistant", text="paid", id="t2")])
        if number % 2:
            tell("remove", f"seg_c/n{number}_0")
    left = {"seg_c/old_0", "seg_c/old_1", "seg_c/n0_0", "seg_c/n2_0", "seg_c/n4_0"}
    recalled = found(memory, "question invoices", 20)
    assert set(recalled) == left
    assert recalled["seg_c/n4_0"].endswith("assistant: paid")


def test_a_process_killed_inside_its_transaction_changes_nothing_for_the_others(pair):
    memory, process, tell = pair
    before = found(memory, "garden", 10)
    assert tell("hang in a transaction", "seg_c/old_0") == "hanging"
    assert found(memory, "garden", 10) == before, "what is not committed does not show"
    process.kill()
    process.join()
    assert found(memory, "garden", 10) == before
    memory.remember_session("c", "after", said(1, 2))
    assert len(found(memory, "garden", 10)) == 4
    assert unwell(memory) == []


def test_what_a_process_stored_before_it_was_killed_shows(pair):
    memory, process, tell = pair
    tell("remember", "c", "new", LONGER)
    process.kill()
    process.join()
    assert "seg_c/new_0" in found(memory, "violin harbour", 1)
    assert unwell(memory) == []


# --- the cache file of a large index ----------------------------------------------------------------------


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A store whose index is saved at every close, as if it were large."""
    monkeypatch.setattr(indexes, "EXACT_LIMIT", 0)
    monkeypatch.setattr(indexes, "SAVE_AFTER", 1)
    monkeypatch.setitem(FaissIndex.__init__.__kwdefaults__, "exact_limit", 8)
    with opened(tmp_path / "large") as memory:
        for number in range(20):
            memory.remember_session("c", f"s{number}", said(number, 4))
    assert cache_of(tmp_path / "large").is_file()
    return tmp_path / "large"


def cache_of(store):
    (path,) = (store / "index").iterdir()
    return path


def truth(memory):
    """Every stored segment and its similarity to a query, worked out without an index."""
    segments, _ = memory.graph()
    keys = memory._core.store.keys("keys_all").tolist()
    found_keys, vectors = memory._core.store.vectors("embeddings_all", memory._core.embedder.dimension)
    (query,) = memory._core.embedder.embed(["garden violin"], "query").astype("float16")
    scores = dict(zip(found_keys.tolist(), vectors.astype("float64") @ query.astype("float64"), strict=True))
    named = {s.id: round(float(scores[key]), 6) for s, key in zip(segments, keys, strict=True)}
    return sorted(named.items(), key=lambda pair: (-pair[1], pair[0]))


def assert_right(store, uses_cache=None):
    """Opened anew, every segment comes back with its true similarity."""
    loaded = []
    load = indexes.cache.load_index
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes.cache, "load_index", lambda *a, **o: loaded.append(load(*a, **o)) or loaded[-1])
        with opened(store) as memory:
            recalled = memory.recall("garden violin", k=1_000, recipe="vector").candidates
            assert sorted(((c.segment_id, c.score) for c in recalled), key=lambda p: (-p[1], p[0])) == truth(memory)
            memory._core._index = None  # leave the file as it is
    if uses_cache is not None:
        assert (loaded[0] is not None) is uses_cache


def test_a_cache_file_is_used_and_right(large):
    assert_right(large, uses_cache=True)


def test_a_stale_cache_file_is_brought_up_to_date(large, tmp_path):
    old = tmp_path / "old.vectors"
    shutil.copy(cache_of(large), old)
    with opened(large) as memory:
        memory.remember_session("c", "s0", said(0, 8))  # replaces and adds
        memory.remember_session("c", "s99", said(99, 4))
        with memory._core.store.transaction():
            memory._core.store.remove_segment(segment_key(memory._core, "seg_c/s1_3"))
    shutil.copy(old, cache_of(large))
    assert_right(large, uses_cache=True)


def test_a_deleted_cache_file_is_no_loss(large):
    cache_of(large).unlink()
    assert_right(large)


def test_a_torn_cache_file_is_not_used(large):
    path = cache_of(large)
    whole = path.read_bytes()
    for size in (0, 1, 19, 100, 4_096, 5_000, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert_right(large, uses_cache=False)
    path.write_bytes(whole[:-4_096] + bytes(4_096))  # the right length, but the end never reached the disk
    assert_right(large, uses_cache=False)
    path.write_bytes(whole + b"x")
    assert_right(large, uses_cache=False)


def test_a_cache_file_with_a_changed_byte_in_head_keys_or_codes_is_not_used(large):
    path = cache_of(large)
    whole = path.read_bytes()
    for place in (0, 9, 14, 25, 60, 4_096, 4_096 + 11, 2 * 4_096 + 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert_right(large, uses_cache=False)


def test_a_cache_file_from_another_store_is_not_used(large, tmp_path):
    with opened(tmp_path / "other") as memory:
        for number in range(40):
            memory.remember_session("c", f"s{number}", said(number, 4, seed=7))
    shutil.copy(cache_of(tmp_path / "other"), cache_of(large))
    assert_right(large)


def test_a_cache_file_from_before_a_restore_is_not_used(large, tmp_path):
    """The backup and the file are of one store, but the store went on two ways from there."""
    with opened(large) as memory:
        backup(memory._core, tmp_path / "copy.zip")
        for number in range(30, 34):
            memory.remember_session("c", f"s{number}", said(number, 4))
    after = cache_of(large).read_bytes()
    for path in large.glob("memory.db*"):
        path.unlink()
    restore(tmp_path / "copy.zip", large)
    with opened(large) as memory:
        for number in range(40, 48):  # the change numbers pass those of the file
            memory.remember_session("c", f"s{number}", said(number, 4))
    cache_of(large).write_bytes(after)
    assert_right(large)


def test_a_file_where_the_cache_folder_should_be_is_no_obstacle(large):
    shutil.rmtree(large / "index")
    (large / "index").write_text("not a folder")
    with opened(large) as memory:
        memory.remember_session("c", "s50", [Turn("Ana", "garden violin", START, "t1")])
        assert memory.recall("garden violin", k=1).candidates
