"""A private server in a store's directory: started by the first, stopped by the last, whole after a kill."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import time

import pytest

from engramma import BadInput, Config, Memory
from engramma.config.settings import load_config
from engramma.errors import StoreNotFound
from engramma.store import engine
from engramma.store.postgres import server
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with a private server and a session in it."""
    made = tmp_path_factory.mktemp("private") / "store"
    made.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(server.SETTINGS, "fsync", "off")  # the machine stays up; a killed process loses nothing by it
        patch.setattr("engramma.namespaces.open.open_database", engine.open_database)
        engine.choose(made, "postgres")
        with Memory.open(made, embedder=HashEmbedder()) as memory:
            memory.remember_session("c", "s", talk("Ann: the lighthouse is red"))
        yield made
    place = server.find_server_place(made)
    server.stop_server(made)
    for path in (place.data, place.sockets):
        shutil.rmtree(path, ignore_errors=True)
    for path in place.data.parent.glob(f"{place.data.name}.*"):
        path.unlink()


def test_the_first_starts_it_and_the_last_stops_it(folder):
    place = server.find_server_place(folder)
    assert place.pid is None
    first = Memory.open(folder, embedder=HashEmbedder())
    second = Memory.open(folder, "other", embedder=HashEmbedder())
    first.close()
    assert place.pid is not None
    assert second._core.store.database.one("meta_get", {"key": "schema_version"}) is not None
    second.close()
    second.close()  # twice is once
    assert place.pid is None


def test_it_is_the_stores_whatever_other_settings_it_is_opened_with(folder):
    with Memory.open(folder, embedder=HashEmbedder(), config=Config(edge_cap=3)) as memory:
        assert memory.recall("the lighthouse").candidates[0].text == "the lighthouse is red"
    assert not (folder / "memory.db").exists()


def test_nobody_else_can_come_near_it(folder):
    with Memory.open(folder, embedder=HashEmbedder()) as memory:
        place = server.find_server_place(folder)
        for path in (place.data, place.sockets):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        asked = memory._core.store.database._with_connection(lambda c: c.execute("SHOW listen_addresses").fetchone())
        assert asked[0] == ""


def test_nothing_of_what_was_purged_is_left_on_it(folder):
    """Neither in its log, nor in what its planner knows of the tables."""
    data = server.find_server_place(folder).data
    lines = [f"Zebulonix: the zyzzqua stands in drawer {n}" for n in range(60)]

    def files():
        kept = (path for path in data.rglob("*") if path.is_file())
        return {str(path.relative_to(data)) for path in kept if b"Zebulonix" in path.read_bytes()}

    with Memory.open(folder, "purged", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk(*lines, *(f"Ann: the lake {n}" for n in range(9)), prefix="z"))
        database = memory._core.store.database
        database._look_after()
        database._with_connection(lambda connection: connection.execute("CHECKPOINT"))
        assert any(file.startswith("pg_wal") for file in files()) and any(file.endswith("/2619") for file in files())
        memory.purge(query="zyzzqua stands")
        memory.purge(speaker="Ann")
        assert files() == set()


def test_what_was_acknowledged_survives_a_killed_server(folder):
    with Memory.open(folder, embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s2", talk("Ann: the anchor is green", day=1, prefix="u"))
        place = server.find_server_place(folder)
        os.kill(place.pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while place.pid is not None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert memory.turns("c", "s2")[0].text == "the anchor is green"  # it is started again and recovers
        memory.remember_session("c", "s3", talk("Ann: the mast is blue", day=2, prefix="v"))
    with Memory.open(folder, embedder=HashEmbedder()) as memory:
        assert [turn.text for s in ("s2", "s3") for turn in memory.turns("c", s)] == [
            "the anchor is green",
            "the mast is blue",
        ]


def test_it_can_be_stopped_by_hand(folder):
    memory = Memory.open(folder, embedder=HashEmbedder())
    assert server.stop_server(folder) and server.find_server_place(folder).pid is None
    assert not server.stop_server(folder)
    memory.close()


def test_a_store_that_was_never_made_is_not_made_by_looking(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreNotFound, match="init --engine postgres"):
        engine.open_database(tmp_path / "empty", {"engine": "postgres"}, busy_seconds=1, create=False)


def test_the_engine_is_chosen_once_and_the_password_stands_alone(tmp_path):
    engine.choose(tmp_path, "postgres://me:s3cret@db.example/team?schema=mine")
    assert load_config(tmp_path).store == {"engine": "postgres://me@db.example/team?schema=mine"}
    assert "s3cret" not in (tmp_path / "config.toml").read_text()
    assert engine.kept_password(tmp_path) == "s3cret"
    assert stat.S_IMODE((tmp_path / engine.PASSWORD_FILE).stat().st_mode) == 0o600
    with pytest.raises(BadInput, match="another engine"):
        engine.choose(tmp_path, "postgres")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "memory.db").touch()
    with pytest.raises(BadInput, match="SQLite"):
        engine.choose(tmp_path / "old", "postgres")


@pytest.mark.parametrize(
    "table", [{"engine": "oracle"}, {"engine": 5}, {"motor": "sqlite"}, {"engine": "postgres://h:x/d"}]
)
def test_settings_that_could_not_work_are_refused(tmp_path, table):
    with pytest.raises(BadInput):
        Memory.open(tmp_path / "x", config=Config(store=table))
