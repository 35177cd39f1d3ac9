"""Recall over another view than what is live now: as of a day, with what was archived, without what expired."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from engramma import BadInput, Memory, Turn
from engramma.core.names import segment_key
from engramma.index.scan import FaissIndex
from engramma.index.union import JoinedIndex
from engramma.store.store import ARCHIVED, LIVE, RETIRED
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        for n in range(6):
            turns = [
                Turn("Ann", f"The roof leaks since storm {n}.", day(n), f"a{n}"),
                Turn("user", f"Who repairs roof number {n}?", day(n) + timedelta(minutes=1), f"u{n}"),
                Turn("assistant", f"Carpenter {n} repairs the roof.", day(n) + timedelta(hours=2), f"x{n}"),
            ]
            opened.remember_session("c", f"s{n}", turns)
        yield opened


def found(memory: Memory, query: str = "roof", recipe: str = "default", **options) -> list[str]:
    return sorted(c.segment_id for c in memory.recall(query, k=50, recipe=recipe, **options).candidates)


def state(memory: Memory, segment_id: str, value: int) -> None:
    with memory._core.store.transaction():
        memory._core.store.set_states({segment_key(memory._core, segment_id): value})


@pytest.mark.parametrize("recipe", ["default", "vector", "bm25", "pgmemory", "takizen"])
def test_later_turns_are_invisible_as_of_a_day(memory, recipe):
    now = found(memory, recipe=recipe)
    assert len(now) == 12
    then = found(memory, recipe=recipe, as_of=day(2.5))
    assert then == [f"seg_c/s{n}_{i}" for n in range(3) for i in range(2)]
    assert found(memory, recipe=recipe, as_of=day(-1)) == []


def test_half_an_exchange_is_shown_as_of_the_moment_between(memory):
    answer = memory.recall("Who repairs roof number 3?", recipe="vector", as_of=day(3) + timedelta(hours=1))
    shown = {c.segment_id: c for c in answer.candidates}["seg_c/s3_1"]
    assert (shown.text, shown.turn_ids) == ("Who repairs roof number 3?", ("u3",))
    assert "Carpenter 3" not in answer.context


def test_what_is_retired_later_is_still_known_as_of_a_day_before(memory):
    state(memory, "seg_c/s1_0", RETIRED)
    assert "seg_c/s1_0" not in found(memory)
    assert "seg_c/s1_0" not in found(memory, archived=True)
    for recipe in ("default", "vector", "bm25"):
        assert "seg_c/s1_0" in found(memory, recipe=recipe, as_of=day(3))
    assert "seg_c/s1_0" not in found(memory, as_of=datetime.now(UTC) + timedelta(days=1))
    state(memory, "seg_c/s1_0", LIVE)
    assert "seg_c/s1_0" in found(memory)


def test_a_view_that_another_thread_asks_for_meanwhile_is_not_this_ones(memory, monkeypatch):
    state(memory, "seg_c/s1_0", RETIRED)
    found(memory, as_of=datetime.now(UTC) + timedelta(days=1))
    theirs = memory._core._wide

    class Overtaken(type(memory._core)):
        _wide = property(lambda self: theirs, lambda self, made: None)

    monkeypatch.setattr(memory._core, "__class__", Overtaken)
    assert "seg_c/s1_0" in found(memory, recipe="vector", as_of=day(3))


def test_what_is_archived_is_found_when_asked_for(memory):
    everything = found(memory)
    for n in range(3):
        state(memory, f"seg_c/s{n}_0", ARCHIVED)
    for recipe in ("default", "vector", "bm25", "pgmemory"):
        assert not set(found(memory, recipe=recipe)) & {"seg_c/s0_0", "seg_c/s1_0", "seg_c/s2_0"}
        assert found(memory, recipe=recipe, archived=True) == everything
    best = memory.recall("The roof leaks since storm 1.", recipe="vector", archived=True).candidates[0]
    assert best.segment_id == "seg_c/s1_0"


def test_what_is_forgotten_is_in_no_view(memory):
    memory.forget(["a1"])
    assert "seg_c/s1_0" not in found(memory, archived=True)
    assert "seg_c/s1_0" not in found(memory, as_of=day(3))


def test_a_note_whose_time_is_up_is_invisible_before_anybody_tidies(memory):
    memory.remember("The roofer comes for the roof.", ttl=timedelta(hours=1), at=datetime.now(UTC) - timedelta(hours=2))
    lasting = memory.remember("The roof insurance is paid.", ttl=timedelta(days=400), at=datetime.now(UTC)).note
    notes = [id for id in found(memory) if id.startswith("note_")]
    assert notes == [lasting.id]
    before = [id for id in found(memory, as_of=datetime.now(UTC) - timedelta(hours=1.5)) if id.startswith("note_")]
    assert len(before) == 1 and before != notes


def test_a_time_without_a_zone_is_refused(memory):
    with pytest.raises(BadInput, match="as_of"):
        memory.recall("roof", as_of=datetime(2026, 1, 1))


def test_two_indexes_answer_as_one_with_all_rows_would():
    random = np.random.default_rng(4)
    vectors = random.standard_normal((400, 32)).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    keys = np.arange(400) * 3
    whole, one, other = FaissIndex(32), FaissIndex(32), FaissIndex(32)
    whole.add(keys, vectors)
    mine = random.random(400) < 0.5
    one.add(keys[mine], vectors[mine])
    other.add(keys[~mine], vectors[~mine])
    both = JoinedIndex(one, other)
    assert len(both) == 400 and 3 in both and 4 not in both
    for query in vectors[:20]:
        options = {"allowed": keys[::2], "excluded": keys[:40]}
        for ours, theirs in zip(both.search(query, 15, **options), whole.search(query, 15, **options), strict=True):
            assert np.array_equal(ours, theirs)
    for (k1, s1), (k2, s2) in zip(both.within_many(vectors[:5], 0.2), whole.within_many(vectors[:5], 0.2), strict=True):
        order, other_order = np.lexsort((k1, -s1)), np.lexsort((k2, -s2))
        assert np.array_equal(k1[order], k2[other_order]) and np.array_equal(s1[order], s2[other_order])
    assert np.array_equal(both.vectors(keys[::-1]), vectors[::-1])
    assert both.holds(np.array([0, 1, 3])).tolist() == [True, False, True]
    with pytest.raises(KeyError):
        both.vectors(np.array([1]))
