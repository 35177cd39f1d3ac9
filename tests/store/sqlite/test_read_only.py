"""A memory that cannot be written is recalled from: on a read-only medium, also with what a crash left there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from engramma.errors import StoreNotWritable
from tests.crash.processes import CONTEXT, opened, said, unwell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts and permissions of Linux")


@contextmanager
def unwritable(folder: Path):
    """The same folder, where nothing can be written: for root on a read-only mount, for others by its permissions."""
    if os.geteuid():
        modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
        for path in modes:
            path.chmod(0o500 if path.is_dir() else 0o400)
        try:
            yield folder
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        return
    there = folder.with_name(f"{folder.name}-mounted")
    there.mkdir()
    done = subprocess.run(["mount", "--bind", str(folder), str(there)], capture_output=True)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(there)], check=True)
        yield there
    finally:
        subprocess.run(["umount", str(there)], check=True)


def die_with_a_journal(pipe, store: Path) -> None:
    memory = opened(store)
    memory.remember_session("c", "second", said(2, 4))
    os._exit(9)


@pytest.mark.parametrize("crashed", [False, True])
def test_what_cannot_be_written_is_recalled_from(tmp_path, crashed):
    store = tmp_path / "store"
    with opened(store) as memory:
        memory.remember_session("c", "first", said(1, 4))
    if crashed:
        child = CONTEXT.Process(target=die_with_a_journal, args=(None, store))
        child.start()
        child.join()
        assert (store / "memory.db-wal").stat().st_size
        (store / "memory.db-shm").unlink()
    with opened(store if not crashed else shutil.copytree(store, tmp_path / "copy")) as memory:
        expected = [one.segment_id for one in memory.recall("garden violin").candidates]
    with unwritable(store) as there:
        before = sorted(path.name for path in there.iterdir())
        with opened(there) as memory:
            assert [one.segment_id for one in memory.recall("garden violin").candidates] == expected
            assert len(memory.sessions()) == 1 + crashed
            assert unwell(memory) == []
            with pytest.raises(StoreNotWritable, match="is read-only: nothing was stored"):
                memory.remember_session("c", "third", said(3, 2))
        assert sorted(path.name for path in there.iterdir()) == before


def test_a_store_of_an_earlier_version_that_cannot_be_written_says_so(tmp_path):
    store = tmp_path / "store"
    with opened(store) as memory:
        memory._core.store.database._held().connection.execute("PRAGMA user_version = 9")
    with unwritable(store) as there, pytest.raises(StoreNotWritable, match="earlier version"):
        opened(there)


def test_words_of_an_older_form_are_searched_as_they_are_where_nothing_can_be_written(tmp_path):
    store = tmp_path / "store"
    with opened(store) as memory:
        memory.remember_session("c", "first", said(1, 4))
        words = memory._core.store
        form = words._form
        with words.transaction():
            words.put_meta(form, 1)
    with unwritable(store) as there, opened(there) as memory:
        assert memory._core.store.meta(form) == 1
        assert memory.recall(said(1, 4)[0].text, recipe="bm25").candidates
