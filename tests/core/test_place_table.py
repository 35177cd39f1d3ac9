"""Kept places are those of the database, whoever wrote to it since they were read."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from engramma import Memory
from engramma.core import place_table
from engramma.core.windows import near_to
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

NAMES = ("Ada", "Ben")
NEW = talk("Ada: A new kiln", "Ben: Is it hot?", "Ada: It is", day=9, prefix="n")
FIELDS = ("keys", "sessions", "places", "ties", "said_at", "is_exchange")


@pytest.fixture
def pair(tmp_path):
    """One memory that reads and one, of another process as far as they know, that writes."""
    embedder = HashEmbedder()
    with (
        Memory.open(tmp_path / "m", embedder=embedder) as reader,
        Memory.open(tmp_path / "m", embedder=embedder) as own,
    ):
        for day in range(6):
            own.remember_session(f"talk {day % 2}", f"day {day}", lines_of(day))
        yield reader, own


def lines_of(day):
    lines = [f"{NAMES[n % 2]}: Line {n} of day {day} about a kiln" for n in range(7)]
    return talk(*lines, day=day, prefix=f"{day}-")


def index_of(memory):
    return memory._core.live_index().fresh()[0]


def same_places(memory, keys):
    """Hold what is kept against the database; returns how many segments were compared."""
    core = memory._core
    core.places._asked = place_table.READ_FROM  # it is not the first question
    with core.store.snapshot():
        index = index_of(memory)
        there = [key for key in keys if key in index]
        kept, read = core.places.near_to(index, there), near_to(core.store, index, there)
    for name in FIELDS:
        assert getattr(kept, name).tolist() == getattr(read, name).tolist(), name
    groups = [[near.conversations.tolist().index(n) for n in near.conversations.tolist()] for near in (kept, read)]
    assert groups[0] == groups[1]  # the numbers of conversations are any, but the same for the same
    return len(kept.keys)


def keys_of(memory):
    return memory._core.store.keys("keys_all").tolist()


def test_some_segments_come_with_those_around_them(pair):
    reader, _ = pair
    keys = keys_of(reader)
    for asked in ([keys[0]], [keys[10]], keys[::9], keys[-1:], keys):
        assert same_places(reader, asked) >= len(asked)


def test_what_another_process_writes_is_there_with_the_next_recall(pair):
    reader, writer = pair
    same_places(reader, keys_of(reader))
    before = same_places(reader, keys_of(reader))
    writer.remember_session("talk 9", "new", NEW)
    writer.remember("A note about glaze")
    assert same_places(reader, keys_of(reader)) == before + 4


def test_a_purge_in_the_middle_of_a_session_moves_what_follows(pair):
    reader, writer = pair
    same_places(reader, keys_of(reader))
    before = same_places(reader, keys_of(reader))
    writer.purge(query="Line 3", conversation="talk 1")
    assert same_places(reader, keys_of(reader)) == before - 3
    writer.forget(query="Line 5", conversation="talk 0")
    assert same_places(reader, keys_of(reader)) == before - 6


def test_a_session_that_gets_another_name_is_read_again(pair):
    reader, writer = pair
    same_places(reader, keys_of(reader))
    same_places(reader, keys_of(reader))
    from engramma.rescan.names import rename

    store = writer._core.store
    session = store.session("talk 1", "day 1")
    with store.transaction():
        rename(store, session, ("masked", "day 1"), writer._core.look)
    same_places(reader, keys_of(reader))


def test_many_changes_at_once_are_read_as_a_whole(pair, monkeypatch):
    reader, writer = pair
    same_places(reader, keys_of(reader))
    same_places(reader, keys_of(reader))
    monkeypatch.setattr(place_table, "MOST_CHANGES", 2)
    writer.remember_session("talk 9", "new", NEW)
    same_places(reader, keys_of(reader))


def test_a_namespace_keeps_nothing_of_another(tmp_path):
    embedder = HashEmbedder()
    with (
        Memory.open(tmp_path / "m", "one", embedder=embedder) as one,
        Memory.open(tmp_path / "m", "two", embedder=embedder) as two,
    ):
        one.remember_session("c", "s", talk("Ada: Of the first", "Ben: And more", prefix="a"))
        two.remember_session("c", "s", talk("Ada: Of the second", "Ben: And more", prefix="b"))
        for memory in (one, two, one, two):
            same_places(memory, keys_of(memory))
        with two._core.store.snapshot():
            foreign = two._core.places.near_to(index_of(two), keys_of(one))
        assert not set(foreign.keys.tolist()) & set(keys_of(one))


def test_who_looks_at_an_older_state_gets_that_state(pair):
    reader, writer = pair
    keys = keys_of(reader)
    same_places(reader, keys)
    same_places(reader, keys)
    core, index = reader._core, index_of(reader)
    with core.store.snapshot():
        before = near_to(core.store, index, keys)
        writer.remember_session(
            "talk 1", "day 1", [*lines_of(1), *talk("Ada: And on", "Ben: And on", day=1, prefix="x")]
        )
        other = threading.Thread(target=same_places, args=(reader, keys))
        other.start()
        other.join()  # it has led the table on
        assert core.places._table is not None
        seen = core.places.near_to(index, keys)
    assert np.array_equal(seen.places, before.places)


def test_a_large_namespace_is_not_kept(pair, monkeypatch):
    reader, _ = pair
    monkeypatch.setattr(place_table, "MOST_KEPT", 5)
    for _ in range(3):
        same_places(reader, keys_of(reader))
    assert reader._core.places._table is None


def test_the_first_question_of_a_process_reads_only_what_it_needs(pair):
    reader, _ = pair
    reader.recall("Who has a kiln?")
    assert reader._core.places._table is None
    reader.recall("Who has a kiln?")
    assert reader._core.places._table is not None
