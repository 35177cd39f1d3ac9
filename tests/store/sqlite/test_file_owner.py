"""One owner a database file and process: its locks stay, a lost journal is told, forks and read-only places work."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from engramma.admin.doctor import doctor
from engramma.errors import StoreCorrupt, StoreError, StoreReplaced, UnreadableSource
from engramma.store.sqlite.rescue import rescued_copies
from engramma.transfer.imports import import_file
from tests.crash.processes import opened, said, unwell

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there no open file can be deleted")

linux = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this system does not tell of locks")

STRANGER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("BEGIN IMMEDIATE"); connection.execute("COMMIT")
print(connection.execute("SELECT count(*) FROM sessions").fetchone()[0])
connection.close()
"""


def stranger(store: Path) -> str:
    """Another process that uses the database and ends: the last one to close deletes the journal."""
    command = [sys.executable, "-c", STRANGER, str(store / "memory.db")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def locks_on(path: Path) -> int:
    """How many POSIX locks this process holds on a file."""
    inode = path.stat().st_ino
    rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return sum(row[1] == "POSIX" and row[4] == str(os.getpid()) and row[5].endswith(f":{inode}") for row in rows)


@linux
def test_a_second_open_leaves_the_locks_of_the_first(tmp_path):
    store = tmp_path / "store"
    with opened(store) as one:
        one.remember_session("c", "s", said(1, 2))
        for namespace in ("default", "work"):
            with opened(store, namespace=namespace) as other:
                other.remember_session("c", f"s-{namespace}", said(2, 2))
                assert locks_on(store / "memory.db") and locks_on(store / "memory.db-shm")
            assert locks_on(store / "memory.db") and locks_on(store / "memory.db-shm"), "also when it is closed again"


def test_others_that_end_do_not_take_the_journal_from_one_with_two_namespaces(tmp_path):
    store = tmp_path / "store"
    with opened(store) as one, opened(store, namespace="work") as two:
        for number in range(3):
            one.remember_session("c", f"one-{number}", said(number + 1, 2))
            two.remember_session("c", f"two-{number}", said(number + 1, 2))
            stranger(store)
        assert (store / "memory.db-wal").exists()
        assert int(stranger(store)) == 6


@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_a_lost_journal_is_told_at_once_and_what_it_held_is_saved(tmp_path, way):
    store = tmp_path / "store"
    opened(store).close()  # the schema reaches the file
    with opened(store) as memory:
        memory.remember_session("c", "s", said(1, 2))
        for name in ("memory.db-wal", "memory.db-shm"):
            (store / name).unlink()
        if way == "replaced":
            stranger(store)
        with pytest.raises(StoreReplaced, match="lost its journal"):
            memory.remember_session("c", "t", said(2, 2))
        memory.remember_session("c", "u", said(3, 2))
        assert "u" in {row.id for row in memory.sessions()}
        assert "t" not in {row.id for row in memory.sessions()}
        (told,) = unwell(memory)
        assert told.startswith("rescued copies: ") and "--salvage" in told
    (copy,) = rescued_copies(store)
    assert copy.stat().st_mode & 0o077 == 0
    connection = sqlite3.connect(copy)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert [row[0] for row in connection.execute("SELECT id FROM sessions")] == ["s"]
    connection.close()


def test_a_memory_that_was_all_in_the_lost_journal_is_no_new_memory(tmp_path, tables_made_here):
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", said(1, 2))
        (tmp_path / "store" / "memory.db-wal").unlink()
        with pytest.raises(StoreReplaced):
            memory.remember_session("c", "t", said(2, 2))
        with pytest.raises(StoreCorrupt, match="salvage"):
            memory.remember_session("c", "t", said(2, 2))
        assert rescued_copies(tmp_path / "store")
    with pytest.raises(StoreCorrupt, match=r"holds nothing, but .* shows that there was a memory"):
        opened(tmp_path / "store")


def test_a_read_meets_a_lost_journal_too(tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.store.sqlite.file_owner.LOOK_SECONDS", 0.0)
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", said(1, 2))
        (tmp_path / "store" / "memory.db-wal").unlink()
        with pytest.raises(StoreReplaced):
            memory.sessions()


def test_a_journal_lost_while_something_is_written_is_told(tmp_path):
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", said(1, 2))
        with pytest.raises(StoreReplaced), memory._core.store.transaction():
            memory._core.store.put_meta("beat", 1)
            (tmp_path / "store" / "memory.db-wal").unlink()


def test_many_threads_meet_a_lost_journal_and_all_go_on(tmp_path):
    store = tmp_path / "store"
    told: list[str] = []
    opened(store).close()
    with opened(store) as memory:
        memory.remember_session("c", "s", said(1, 2))
        together = threading.Barrier(4)

        def write(number: int) -> None:
            memory.sessions()  # has its connection
            if together.wait(60) == 0:
                (store / "memory.db-wal").unlink()
            together.wait(60)
            try:
                memory.remember_session("c", f"t-{number}", said(number + 2, 2))
            except StoreError as error:
                told.append(type(error).__name__)
                memory.remember_session("c", f"t-{number}", said(number + 2, 2))

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert told and set(told) <= {"StoreReplaced", "StoreBusy"}
        assert {f"t-{n}" for n in range(4)} <= {row.id for row in memory.sessions()}
        assert [line.partition(":")[0] for line in unwell(memory)] == ["rescued copies"]


def test_a_database_that_was_replaced_is_opened_anew(tmp_path):
    for name, session in (("one", "s"), ("two", "t")):
        with opened(tmp_path / name) as memory:
            memory.remember_session("c", session, said(len(session), 2))
    with opened(tmp_path / "one") as memory:
        assert memory.recall("garden").candidates is not None
        shutil.copy(tmp_path / "two" / "memory.db", tmp_path / "new.db")
        for name in ("memory.db-wal", "memory.db-shm"):
            (tmp_path / "one" / name).unlink()
        os.replace(tmp_path / "new.db", tmp_path / "one" / "memory.db")
        with pytest.raises(StoreReplaced, match="was replaced"):
            memory.remember_session("c", "u", said(3, 2))
        memory.remember_session("c", "u", said(3, 2))
        assert {row.id for row in memory.sessions()} == {"t", "u"}
        doctor(memory._core, fix=True)  # the text files are still those of the other
        assert [line.split(":")[0] for line in unwell(memory)] == ["rescued copies"]


@pytest.mark.parametrize("way", ["replaced", "deleted"])
def test_a_lost_database_is_saved_and_its_journal_spoils_no_other(tmp_path, way):
    """SQLite would read the journal of the newer database into the older one that replaced it."""
    store, older = tmp_path / "store", tmp_path / "older.db"
    with opened(store) as memory:
        memory.remember_session("c", "first", said(1, 2))
    shutil.copy(store / "memory.db", older)
    with opened(store) as memory:
        for number in range(12):
            memory.remember_session("c", f"later-{number}", said(number + 2, 8))
        if way == "deleted":
            (store / "memory.db").unlink()
        else:
            os.replace(older, store / "memory.db")
        with pytest.raises(StoreReplaced, match=f"was {way}.*was saved as"):
            memory.remember_session("c", "t", said(30, 2))
        assert way == "replaced" or not (store / "memory.db-wal").exists()
        if way == "deleted":
            os.replace(older, store / "memory.db")
        memory.remember_session("c", "u", said(31, 2))
        assert {row.id for row in memory.sessions()} == {"first", "u"}
        doctor(memory._core, fix=True)  # the text files are still those of the other
        assert [line.split(":")[0] for line in unwell(memory)] == ["rescued copies"]
    (copy,) = rescued_copies(store)
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (13,)


# --- forks ------------------------------------------------------------------------------------------


def child_writes(store: Path, number: int) -> None:
    with opened(store) as memory:
        memory.remember_session("c", f"child-{number}", said(number + 10, 2))
        stranger(store)
        memory.remember_session("c", f"child-{number}-after", said(number + 20, 2))
        if Path("/proc/locks").exists():
            assert locks_on(store / "memory.db") and locks_on(store / "memory.db-shm")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of forks; that they happen is the point
def test_a_forked_child_that_opens_the_store_itself_has_locks_of_its_own(tmp_path):
    store = tmp_path / "store"
    with opened(store) as memory:
        memory.remember_session("c", "parent", said(1, 2))
        context = multiprocessing.get_context("fork")
        children = [context.Process(target=child_writes, args=(store, number)) for number in range(2)]
        for child in children:
            child.start()
        memory.remember_session("c", "parent-after", said(2, 2))
        for child in children:
            child.join(120)
            assert child.exitcode == 0
        names = {row.id for row in memory.sessions()}
        assert names == {"parent", "parent-after", *(f"child-{n}{end}" for n in range(2) for end in ("", "-after"))}
        assert unwell(memory) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_forked_in_the_middle_of_a_write_is_refused_and_ends_well(tmp_path):
    with opened(tmp_path / "store") as memory:
        read, write = os.pipe()
        with memory._core.store.transaction():
            memory._core.store.put_meta("beat", 1)
            if (child := os.fork()) == 0:
                try:
                    opened(tmp_path / "store")
                    told = "opened"
                except StoreError as error:
                    told = str(error)
                os.write(write, told.encode())
                os._exit(0)
            os.waitpid(child, 0)
        assert "was in use when this process was forked" in os.read(read, 1_000).decode()
        os.close(read)
        os.close(write)
        assert memory._core.store.meta("beat") == 1


# --- files that only SQLite may open ------------------------------------------------------------------


@linux
@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "memory.db-shm", "link.txt", "twin.md"])
def test_the_database_is_not_read_in_under_any_name(tmp_path, name):
    store = tmp_path / "store"
    with opened(store) as memory:
        memory.remember_session("c", "s", said(1, 2))
        (store / "link.txt").symlink_to(store / "memory.db")
        os.link(store / "memory.db", store / "twin.md")
        with pytest.raises(UnreadableSource, match="database of an open memory"):
            import_file(memory._core, store / name)
        memory.documents.ingest(store / name)
        assert locks_on(store / "memory.db") and locks_on(store / "memory.db-shm")
