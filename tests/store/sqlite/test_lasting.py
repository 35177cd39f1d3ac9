"""Which transactions wait for the disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engramma.ingest.archive import archive_pending
from engramma.store.sqlite.database import FULL, SqliteDatabase
from engramma.store.store import Store
from tests.conftest import talk

NORMAL = 1


@pytest.fixture
def database(tmp_path: Path):
    """A database as users have it: the tests' own do not wait for the disk."""
    opened = SqliteDatabase(tmp_path / "memory.db", busy_seconds=1)
    connection(opened).execute(f"PRAGMA synchronous = {FULL}")
    yield opened
    opened.close()


def connection(database: SqliteDatabase) -> sqlite3.Connection:
    found = database._held().connection
    assert found is not None
    return found


def waits(database: SqliteDatabase) -> int:
    return connection(database).execute("PRAGMA synchronous").fetchone()[0]


def test_a_transaction_waits_for_the_disk_unless_it_need_not_last(database):
    store = Store(database, "default")
    with store.transaction():
        assert waits(database) == FULL
    with store.transaction(lasting=False):
        assert waits(database) == NORMAL
        store.put_meta("seen", "yes")
    assert waits(database) == FULL
    assert store.meta("seen") == "yes"


def test_the_next_one_waits_again_also_after_an_error(database):
    store = Store(database, "default")
    with pytest.raises(KeyError), store.transaction(lasting=False):
        store.put_meta("seen", "yes")
        raise KeyError
    assert waits(database) == FULL
    assert store.meta("seen") is None


def test_a_file_of_the_archive_whose_note_was_lost_is_written_again(memory):
    memory.remember_session("trip", "s1", talk("Ana: We booked the night train."))
    store, folder = memory._core.store, memory._core.archive_folder
    (path,) = folder.rglob("*.txt")
    before = path.read_bytes()
    with store.transaction():  # what a power cut may leave: the session, and neither the note nor the file
        store.run("session_unarchived", key=store.session("trip", "s1").key)
    path.unlink()
    archive_pending(folder, store)
    assert path.read_bytes() == before
