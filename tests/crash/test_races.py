"""Two processes between each other's steps, made to happen: the outcome is that of one after the other."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import replace

import pytest

import engramma.core.embedder as embedders_module
from engramma import Config, EmbedderMismatch, Memory, StoreError
from engramma.admin.reindex import reindex
from engramma.errors import StoreNotFound, StoreReplaced
from engramma.ingest import archive
from tests.conftest import talk
from tests.crash.processes import assert_same, opened, picture, said, unwell
from tests.fakes import AngleEmbedder, HashEmbedder

pytestmark = pytest.mark.long


class LastAngle(AngleEmbedder):
    """The last angle in the text counts, so that a segment turns when it grows."""

    def embed(self, texts, kind="document", progress=None):
        return super().embed(["@" + text.rsplit("@", 1)[-1] for text in texts])


@contextmanager
def just_before_its_transaction(memory, act):
    """Let somebody else act when `memory` has looked at the store and is about to write."""
    transaction, acted = memory._core.store.transaction, []

    @contextmanager
    def delayed(**how):
        if not acted:
            acted.append(True)
            act()
        with transaction(**how):
            yield

    memory._core.store.transaction = delayed
    try:
        yield
    finally:
        del memory._core.store.transaction
    assert acted


def test_a_list_that_another_process_loosens_just_now_takes_a_new_partner(tmp_path):
    """The cap is 1 and `near` holds K's only place. It turns away while N is about to be linked to K."""

    def graph_after(store, race):
        config = Config(edge_cap=1)
        with (
            Memory.open(store, embedder=LastAngle(), config=config) as one,
            Memory.open(store, embedder=LastAngle(), config=config) as other,
        ):
            near = talk("user: near @-5", day=1)
            turned = [*near, replace(near[0], speaker="assistant", text="and away @-90", id="t2")]
            one.remember_session("c", "k", talk("Ana: K @0"))
            one.remember_session("c", "near", near)
            one.remember_session("c", "far", talk("Ana: far @170", day=2))

            def turn_away():
                other.remember_session("c", "near", turned)

            if race:
                with just_before_its_transaction(one, turn_away):
                    one.remember_session("c", "n", talk("Ana: N @20", day=3))
            else:
                turn_away()
                one.remember_session("c", "n", talk("Ana: N @20", day=3))
            assert unwell(one) == []
            return sorted(one.graph()[1])

    expected = graph_after(tmp_path / "one-after-the-other", race=False)
    assert ("seg_c/n_0", "seg_c/k_0", "semantic", 0.9395) in expected
    assert graph_after(tmp_path / "race", race=True) == expected


@pytest.mark.parametrize("other_first", [1, 3])
def test_two_processes_that_extend_one_session_at_once_both_keep_their_turns(tmp_path, other_first):
    turns = talk("user: one", "assistant: two", "user: three", "assistant: four")
    with opened(tmp_path / "store") as one, opened(tmp_path / "store") as other:
        one.remember_session("c", "s", turns[:1])
        with just_before_its_transaction(one, lambda: other.remember_session("c", "s", turns[:other_first])):
            one.remember_session("c", "s", turns)
        assert [turn.text for turn in one.turns("c", "s")] == ["one", "two", "three", "four"]
        assert unwell(one) == []


def test_two_reindexes_at_once_do_not_mix_their_vectors(tmp_path, monkeypatch):
    monkeypatch.setattr(embedders_module, "load", lambda spec=None: HashEmbedder(spec))
    with opened(tmp_path / "store") as one, opened(tmp_path / "store") as other:
        for number in range(3):
            one.remember_session("c", f"s{number}", said(number, 4))

        class Slow(HashEmbedder):
            """While its vectors are made, another reindex runs from beginning to end."""

            def embed(self, texts, kind="document", progress=None):
                if not done:
                    done.append(True)
                    reindex(other._core, HashEmbedder("fast"), "fast")
                return super().embed(texts, kind, progress)

        done: list[bool] = []
        with pytest.raises(EmbedderMismatch, match="Another reindex"):
            reindex(one._core, Slow("slow"), "slow")
    with (
        Memory.open(tmp_path / "store") as memory,
        Memory.open(tmp_path / "fresh", embedder=HashEmbedder("fast")) as fresh,
    ):
        for number in range(3):
            fresh.remember_session("c", f"s{number}", said(number, 4))
        assert memory._core.embedder.sha256 == fresh._core.embedder.sha256
        assert unwell(memory) == []
        assert_same(picture(memory), picture(fresh))


def test_a_store_deleted_under_an_open_memory_takes_no_more(tmp_path):
    """Otherwise what is said would go into a file that nobody can open any more."""
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", talk("Ana: one"))
        shutil.move(tmp_path / "store", tmp_path / "moved")
        with pytest.raises(StoreReplaced, match=r"was deleted while it was open"):
            memory.remember_session("c", "t", talk("Ana: two"))
        with pytest.raises(StoreNotFound, match="no longer a memory"):
            memory.remember_session("c", "t", talk("Ana: two"))
        with opened(tmp_path / "store") as another:
            another.remember_session("c", "u", talk("Ana: three"))
            memory.remember_session("c", "t", talk("Ana: two"))
            assert {row.id for row in another.sessions()} == {"t", "u"}, "what is there now takes what is said"
    with opened(tmp_path / "moved") as memory:
        assert [row.id for row in memory.sessions()] == ["s"]
        assert unwell(memory) == []


def test_nobody_can_put_an_older_text_over_a_newer_archive_file(tmp_path, monkeypatch):
    """While a session's file is being put in its place, nobody can extend the session behind its back."""
    turns = talk("Ana: one", "Ana: two")
    config = Config(busy_seconds=0.05)
    with opened(tmp_path / "store") as one, opened(tmp_path / "store", config=config) as other:
        put, refused = os.replace, []

        def put_slowly(source, target):
            if not refused:
                with pytest.raises(StoreError, match="busy"):
                    other.remember_session("c", "s", turns)
                refused.append(True)
            put(source, target)

        monkeypatch.setattr(archive.os, "replace", put_slowly)
        one.remember_session("c", "s", turns[:1])
        assert refused
        other.remember_session("c", "s", turns)
        (path,) = (tmp_path / "store" / "archive").rglob("*.txt")
        assert "two" in path.read_text(encoding="utf-8")
        assert unwell(one) == []


def test_a_killed_archiver_leaves_nothing_behind_that_the_next_does_not_clear(tmp_path, monkeypatch):
    def die(source, target):
        raise KeyboardInterrupt  # the process ends between writing the file and putting it in its place

    with opened(tmp_path / "store") as memory:
        with monkeypatch.context() as patch:
            patch.setattr(archive.os, "replace", die)
            with pytest.raises(KeyboardInterrupt):
                memory.remember_session("c", "s", talk("Ana: one"))
        memory.remember_session("c", "t", talk("Ana: two", day=1))
        files = sorted(p.name for p in (tmp_path / "store" / "archive").rglob("*") if p.is_file())
        assert files == ["s.txt", "t.txt"]
        assert unwell(memory) == []


def test_equal_segments_come_back_in_an_order_that_does_not_depend_on_their_arrival(tmp_path):
    """More equals than recall looks at beyond k: which of them are the first k is decided by what they are."""

    def recalled(store, order):
        with opened(store) as memory:
            for number in order:
                memory.remember_session("c", f"s{number}", talk("Ana: thanks a lot", day=number))
            return [
                [c.segment_id for c in memory.recall("thanks a lot", k=5, recipe=recipe).candidates]
                for recipe in ("vector", "pmg", "default")
            ]

    assert recalled(tmp_path / "one", range(60)) == recalled(tmp_path / "two", reversed(range(60)))
