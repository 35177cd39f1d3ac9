"""An engine that is away, slow, full, garbled or meddled with: the built-in scan answers, it is told, it heals."""

from __future__ import annotations

import logging
import shutil
import signal
import struct
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engramma import Memory
from engramma.admin import switch_index as engines_module
from engramma.admin.doctor import doctor
from engramma.admin.stats import compute_stats
from engramma.index.external import sync as following_module
from engramma.index.external.chroma import ChromaBackend
from engramma.index.external.settings import index_settings
from tests.index.external.engines import OUTSIDE, PLACES, Placed, Qdrant, Store, served
from tests.index.truth import nearest, pairs

pytestmark = pytest.mark.engines

SHORT = 0.3  # seconds for a search where it matters; the slow server takes five times that


@pytest.fixture
def server():
    pytest.importorskip("qdrant_client")
    spoken_to = Qdrant()
    with served(spoken_to) as url:
        spoken_to.url = url
        yield spoken_to


@pytest.fixture
def behind(server, tmp_path, monkeypatch):
    """A small store behind a server that can be told to misbehave; failures are tried again at once."""
    monkeypatch.setattr("engramma.index.external.retry.FIRST_WAIT", 0.0)
    store = Store(tmp_path / "store", {"backend": "qdrant", "url": server.url}, rows=40)
    assert found(store) == wanted(store) and state(store) == "ready"
    yield store
    store.memory.close()


def found(store, number: int = 3):
    with store.memory._core.store.snapshot():
        return pairs(store.index.search(PLACES[number], 7))


def wanted(store, number: int = 3):
    return nearest(store.live(), PLACES[number], 7)


def state(store) -> str:
    return store.follower.health().state


@pytest.mark.parametrize("mood", ["slow", "garbage", "strange ids", "made-up scores"])
def test_a_server_that_misbehaves_is_told_of_once_and_the_scan_answers(behind, server, mood, caplog):
    server.mood = mood
    if mood == "slow":
        behind.follower._settings = replace(behind.follower._settings, timeout=SHORT)
    with caplog.at_level(logging.WARNING, "engramma.index"):
        for number in (3, 4, 5):
            assert found(behind, number) == wanted(behind, number)
            assert behind.memory.recall(f"v{number}").candidates
    assert state(behind) == "failed" and "qdrant" in str(behind.follower.health())
    assert len([one for one in caplog.records if "built-in scan answers instead" in one.message]) == 1
    (told,) = healths_of(behind)
    assert told.state == "failed" and told.error
    server.mood = "well"
    behind.reopen()
    assert found(behind) == wanted(behind)
    assert state(behind) == "ready" and [one.state for one in healths_of(behind)] == ["ready"]


def healths_of(store):
    return engines_module.read_healths(store.folder / "index", "qdrant")


def test_a_full_server_loses_no_write_and_takes_it_when_there_is_room(behind, server):
    server.mood = "full"
    behind.say(range(40, 60), "later")
    assert len(behind.live()) == 60
    assert found(behind, 50) == wanted(behind, 50)
    assert state(behind) == "failed" and "No space left" in behind.follower.health().error
    server.mood = "well"
    assert found(behind, 50) == wanted(behind, 50) and state(behind) == "ready"
    assert behind.follower._backend.count() == 60


def test_a_server_that_was_away_catches_up_when_it_is_back(tmp_path, monkeypatch):
    pytest.importorskip("qdrant_client")
    monkeypatch.setattr("engramma.index.external.retry.FIRST_WAIT", 0.0)
    spoken_to = Qdrant()
    with served(spoken_to) as url:
        store = Store(tmp_path / "store", {"backend": "qdrant", "url": url}, rows=30)
        assert found(store) == wanted(store) and state(store) == "ready"
    store.say(range(30, 45), "meanwhile")
    store.lay_aside(list(store.live())[:5])
    assert found(store, 33) == wanted(store, 33) and state(store) == "failed"
    assert [check.ok for check in doctor(store.memory._core) if check.name == "index backend"] == [False]
    assert compute_stats(store.memory._core)["index"]["state"] == "failed"
    with served(spoken_to, int(url.rpartition(":")[2])):
        assert found(store, 33) == wanted(store, 33) and state(store) == "ready"
        assert store.follower._backend.count() == len(store.live()) == 40
        assert [check.ok for check in doctor(store.memory._core) if check.name == "index backend"] == [True]
        store.memory.close()


def test_a_failed_server_is_left_alone_for_longer_each_time(behind, server, monkeypatch):
    monkeypatch.setattr("engramma.index.external.retry.FIRST_WAIT", 1.0)
    server.mood = "garbage"
    found(behind)
    asked = server.asked
    for _ in range(5):
        assert found(behind) == wanted(behind)
    assert server.asked == asked  # nobody waits for it meanwhile
    waits = []
    for _ in range(8):
        behind.follower._retry.now()
        found(behind)
        waits.append(round(behind.follower._retry._not_before - time.monotonic()))
    assert waits[:3] == [2, 4, 8] and waits[-1] == 60


# --- whose vectors these are -------------------------------------------------------------------------


@pytest.fixture(params=OUTSIDE)
def own(request, tables, tmp_path, monkeypatch):
    """A small store of one's own behind each engine."""
    monkeypatch.setattr("engramma.index.external.retry.FIRST_WAIT", 0.0)
    store = Store(tmp_path / "store", tables(request.param), rows=30)
    assert found(store) == wanted(store) and state(store) == "ready"
    yield store
    store.memory.close()


def test_an_interrupted_catch_up_is_done_again(own, monkeypatch):
    """Rows were written and the stamp was not: as if the process had been killed in between."""
    backend = own.follower._backend
    mark = type(backend).mark
    monkeypatch.setattr(type(backend), "mark", broken)
    own.say(range(30, 40), "later")
    own.lay_aside(list(own.live())[:3])
    assert found(own, 35) == wanted(own, 35) and state(own) == "failed"
    monkeypatch.setattr(type(backend), "mark", mark)
    own.reopen()
    assert found(own, 35) == wanted(own, 35) and state(own) == "ready"
    assert own.follower._backend.count() == 37


def broken(*_):
    raise OSError("the power went")


def test_an_interrupted_first_fill_goes_on_where_it_stopped(own, monkeypatch):
    monkeypatch.setattr(following_module, "BATCH", 8)
    own.follower.clear()
    backend, handed = own.follower._backend, []
    add = type(backend).add

    def failing(self, keys, vectors):
        if len(handed) == 2:
            handed.append([])
            raise OSError("the power went")
        handed.append(keys.tolist())
        add(self, keys, vectors)

    monkeypatch.setattr(type(backend), "add", failing)
    assert found(own) == wanted(own) and state(own) == "failed"
    own.reopen()
    assert found(own) == wanted(own) and state(own) == "ready"
    assert sorted(key for part in handed for key in part) == sorted(own.live())  # nothing twice


def test_vectors_of_another_store_model_or_state_are_not_used(own):
    for strange in ({"store": "x"}, {"embedder": "y"}, {"ns": 99}, {"place": "z"}):
        backend = own.follower._backend
        backend.mark({**backend.stamp(), **strange})
        own.follower._reached = None
        assert found(own) == wanted(own) and state(own) == "ready"
        assert own.follower._backend.stamp()["store"] == own.memory._core.store.meta("store_id")


def test_an_engine_that_lost_or_gained_rows_is_filled_anew(own):
    keys = own.memory._core.store.keys("keys_all")
    own.follower._backend.remove(keys[:4])
    own.reopen()
    assert found(own) == wanted(own)  # noticed: the scan answered
    assert found(own) == wanted(own) and state(own) == "ready"
    assert own.follower._backend.count() == 30


def test_an_older_database_in_the_place_of_the_new_one_is_noticed(own, monkeypatch):
    monkeypatch.setattr(following_module, "AHEAD_SECONDS", 0.0)
    backend = own.follower._backend
    backend.mark({**backend.stamp(), "seq": 10_000})
    own.follower._reached = None
    assert found(own) == wanted(own) and state(own) == "ready"
    assert own.follower._backend.stamp()["seq"] == own.memory._core.store.last_change()


def test_a_copy_of_a_store_has_vectors_of_its_own(own, tmp_path):
    own.memory.close()
    shutil.copytree(own.folder, tmp_path / "copy")
    other = Store(tmp_path / "copy", own.table)
    other.say(range(30, 36), "only here")
    assert found(other, 33) == wanted(other, 33) and state(other) == "ready"
    assert other.follower._backend.count() == 36
    other.memory.close()
    own.memory = own.opened()
    assert found(own, 33) == wanted(own, 33) and state(own) == "ready"
    assert own.follower._backend.count() == 30


def test_what_is_purged_is_in_no_file_of_the_engine(own):
    """Nor in the room that Chroma's file has reserved: it wrote there what had been in its memory."""
    gone = own.memory._core.store.keys("keys_all")[5:25].tolist()
    secrets = [own.live()[key] for key in gone]
    pickled = [
        b"".join(b"G" + struct.pack(">d", float(value)) for value in one[:5]) for one in secrets
    ]  # as Qdrant has it
    traces = [trace for one in secrets for trace in (one.astype("<f4").tobytes(), one.tobytes())] + pickled
    own.memory.close()
    assert bool(left(own, traces)) == (own.memory._core.index_settings.url is None)  # else it is on a server
    own.memory = own.opened()
    own.memory.purge([segment.id for segment in own.memory._core.store.hydrate(gone).values()])
    assert not own.live().keys() & set(gone)
    assert found(own, 17) == wanted(own, 17)
    assert not set(gone) & set(own.follower.nearest(PLACES[17], 9)[0].tolist())
    own.memory.close()
    assert left(own, traces) == []
    own.memory = own.opened()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="nothing is known to help elsewhere")
def test_what_was_in_memory_before_is_not_in_chromas_file(tables, tmp_path):
    """In every fifth file or so it was, hence the twenty."""
    dice = np.random.default_rng(0)
    for number in range(20):
        old, new = (dice.standard_normal((40, 24)).astype(np.float16) for _ in range(2))
        backend = ChromaBackend(index_settings(tables("chroma")), f"n{number}", 24, tmp_path)
        for rows in (old, new):
            backend.clear()
            backend.add(np.arange(40), rows)
            assert backend.nearest(rows[7], 1)[0].tolist() == [7] and backend.count() == 40
        backend.close()
        written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert not any(row.astype("<f4").tobytes() in written for row in old)


def left(store, traces):
    """The files of the engine in which one of the traces is found."""
    files = [path for path in (store.folder / "index").rglob("*") if path.is_file()]
    return [path for path in files if any(trace in path.read_bytes() for trace in traces)]


def test_a_deleted_namespace_leaves_nothing_in_the_engine(own):
    with Memory.open(own.folder, "other", embedder=Placed(), config=own.memory.config) as other:
        other.remember_session("c", "s", own.memory.turns("c", "s"))
        follower = other._core.engine().follower
        assert follower.ready()
        name, ns = follower._name(), other._core.store.ns
    own.memory.namespaces.delete("other")
    if own.follower._settings.url is None:
        assert not list((own.folder / "index").glob(f"{ns}.*"))
    else:
        again = own.memory._core.follower_of(own.memory._core.store)
        again._name = lambda: name
        assert again._opened().count() == 0
        again.close()


def test_a_killed_process_leaves_an_engine_that_catches_up(tmp_path):
    """The real thing, kill -9 while rows are handed over, with the engine whose files anybody may open."""
    pytest.importorskip("apsw")
    store = Store(tmp_path / "store", {}, rows=60)
    store.memory.close()
    script = (
        "import sys; from pathlib import Path; from tests.index.external.engines import Store;"
        "import engramma.index.external.sync as f;"
        "f.BATCH = 2; s = Store(Path(sys.argv[1]), {'backend': 'sqlite-vec'});"
        "b = s.follower._opened(); add = b.add;"
        "b.add = lambda k, v: (add(k, v), print(len(k), flush=True)); s.follower.fill(); print('done', flush=True)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(store.folder)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert child.stdout is not None and child.stdout.readline() == b"2\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    store.table = {"backend": "sqlite-vec"}
    store.memory = store.opened()
    assert found(store) == wanted(store) and state(store) == "ready"
    assert store.follower._backend.count() == 60
    store.memory.close()


def test_files_that_another_process_uses_are_left_to_it(tmp_path):
    pytest.importorskip("qdrant_client")
    one = Store(tmp_path / "store", {"backend": "qdrant"}, rows=20)
    assert found(one) == wanted(one) and state(one) == "ready"
    other = Store(one.folder, {"backend": "qdrant", "timeout": SHORT})
    assert found(other) == wanted(other)
    assert "another process is using it" in other.follower.health().error
    other.memory.close()
    one.memory.close()


# --- choosing ----------------------------------------------------------------------------------------
