"""Many at once: processes that write and read, processes that open a new store together, threads of one process."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta

import pytest

from engramma import StoreError
from engramma.store.migrate import list_migrations
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from engramma.transfer.restore import restore
from tests.conftest import START
from tests.crash.processes import (
    CONTEXT,
    answer,
    noted,
    opened,
    run_import,
    run_opening,
    run_reader,
    run_writer,
    said,
    started,
    unwell,
    write_source,
)

pytestmark = pytest.mark.long


def stored(memory) -> Counter[tuple[str, ...]]:
    turns = (json.loads(line) for line in export_lines(memory._core))
    return Counter((t["conversation"], t["session"], t["id"], t["text"]) for t in turns if t.get("type") == "turn")


def test_four_writers_and_two_readers_lose_nothing_and_are_never_turned_away(tmp_path):
    store, seconds = tmp_path / "store", 6.0
    logs = [tmp_path / f"writer-{n}.log" for n in range(4)]
    with ExitStack() as stack:
        writers = [stack.enter_context(started(run_writer, store, log, log.stem, seconds)) for log in logs]
        readers = [stack.enter_context(started(run_reader, store, logs, seconds)) for _ in range(2)]
        for _, says in (*writers, *readers):
            assert answer(says) == "ready"
        for _, says in writers:
            assert answer(says) == "done"  # a writer that was refused would have died of it
        for _, says in readers:
            recalls, missing = answer(says)
            assert recalls > 0 and missing == []
    with opened(store) as memory:
        memory.close_session("everyone", "talk")
        found, wanted = stored(memory), noted(logs)
        assert len(wanted) > 50
        assert Counter(wanted) == found, "every turn that was noted is there exactly once, and nothing else"
        assert unwell(memory) == []


def test_what_a_killed_writer_had_noted_is_there(tmp_path):
    store = tmp_path / "store"
    logs = []
    for number in range(5):
        log = tmp_path / f"writer-{number}.log"
        logs.append(log)
        with started(run_writer, store, log, log.stem, 60.0) as (process, says):
            assert answer(says) == "ready"
            while len(noted([log])) < 3 + 2 * number:
                assert process.is_alive()
            process.kill()
    with opened(store) as memory:
        memory.close_idle()
        found = stored(memory)
        assert all(found[turn] == 1 for turn in noted(logs))
        assert max(found.values()) == 1
        assert unwell(memory) == []


def test_eight_processes_open_a_new_store_at_the_same_time(tmp_path):
    for attempt in range(3):
        store = tmp_path / f"store-{attempt}"
        barrier = CONTEXT.Barrier(8)
        with ExitStack() as stack:
            children = [stack.enter_context(started(run_opening, store, barrier)) for _ in range(8)]
            answers = [answer(says) for _, says in children]
        assert {a[0] for a in answers} == {"opened"}, answers
        assert len({a[1:] for a in answers}) == 1, "one namespace, one store"
        with opened(store) as memory:
            assert len(memory.sessions()) == 8
            assert [row["name"] for row in memory._core.store.database.all("namespace_names", {})] == ["default"]
            version = memory._core.store.database._held().connection.execute("PRAGMA user_version").fetchone()[0]
            assert version == list_migrations()[-1][0]
            assert unwell(memory) == []


def in_threads(*works) -> None:
    """Run each in a thread of its own; the first error of any of them is raised here."""
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_one_memory_serves_eight_threads_that_add_and_recall(tmp_path):
    with opened(tmp_path / "store") as memory:
        expected: list[tuple[str, str]] = []
        lock = threading.Lock()

        def talk(number):
            def work():
                for sitting in range(6):
                    with memory.session(f"c{number}", f"s{sitting}") as live:
                        # An answer replaces the segment it joins: rows go while others search them.
                        for step, speaker in enumerate(("user", "assistant", "assistant")):
                            text = f"question about cats {number} {sitting} {step}"
                            live.add(speaker, text, START + timedelta(hours=sitting, minutes=step))
                            with lock:
                                expected.append((f"c{number}", text))
                            found = memory.recall(text, active_context=["cats", "answer 3 1"])
                            assert found.trace.counts["searched"] > 0

            return work

        in_threads(*(talk(number) for number in range(8)))
        assert Counter((turn[0], turn[3]) for turn in stored(memory)) == Counter(expected)
        assert unwell(memory) == []


def test_threads_that_end_leave_no_open_files(tmp_path):
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", said(1, 2))

        def open_files() -> int:
            return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

        if not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
            pytest.skip("this system does not list open files")
        in_threads(lambda: memory.recall("garden"))
        before = open_files()
        for _ in range(30):
            in_threads(lambda: memory.recall("garden"))
        assert open_files() <= before + 3


def test_a_closed_memory_says_so_in_every_thread(tmp_path):
    memory = opened(tmp_path / "store")
    memory.remember_session("c", "s", said(1, 2))
    memory.close()
    memory.close()
    for call in (lambda: memory.recall("garden"), lambda: memory.remember_session("c", "t", said(2, 2)), memory.graph):
        with pytest.raises(StoreError, match="Open it again"):
            call()
        with pytest.raises(StoreError, match="Open it again"):
            in_threads(call)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of forks; that they happen is the point
def test_a_forked_child_is_told_to_open_the_store_itself(tmp_path):
    with opened(tmp_path / "store") as memory:
        memory.remember_session("c", "s", said(1, 2))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                memory._core.store.one("counts")
                told = "nothing"
            except StoreError as error:
                told = str(error)
            os.write(write, told.encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert "open it again in the child" in os.read(read, 1000).decode()
        os.close(read)
        os.close(write)
        assert len(memory.turns("c", "s")) == 2


def test_a_backup_ends_while_others_write_all_the_time(tmp_path):
    with opened(tmp_path / "store") as memory:
        with memory._core.store.transaction():
            for number in range(20):  # more than one step of the copy
                memory._core.store.put_meta(f"ballast-{number}", bytes(1_000_000))
        done, writes = threading.Event(), []

        def write():
            while not done.is_set():
                with memory._core.store.transaction():
                    memory._core.store.put_meta("beat", len(writes))
                writes.append(1)

        def copy():
            try:
                backup(memory._core, tmp_path / "copy.zip")
            finally:
                done.set()

        in_threads(write, copy)
        assert len(writes) > 0
    restore(tmp_path / "copy.zip", tmp_path / "restored")
    with opened(tmp_path / "restored") as memory:
        assert len(memory._core.store.meta("ballast-19")) == 1_000_000
        assert unwell(memory) == []


def test_doctor_finds_nothing_wrong_while_others_write(tmp_path):
    source = write_source(tmp_path / "talks.jsonl", ["one", "two"], sessions=24, turns=6)
    with opened(tmp_path / "store") as memory, started(run_import, memory.path, [source]) as (process, says):
        assert answer(says) == "begun"
        looks = 0
        while process.is_alive():
            # A session between its storing and its archiving is work in progress, not a fault.
            assert [line for line in unwell(memory) if not line.startswith("nothing left unfinished")] == []
            looks += 1
        assert process.exitcode == 0 and looks > 0
        assert unwell(memory) == []
        assert import_file(memory._core, source).turns == 0
