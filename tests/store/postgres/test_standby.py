"""A primary and a standby, really started: recall on the standby, its age bounded, and taking over without a loss."""

from __future__ import annotations

import threading
import time

import pytest

from engramma import Config, Memory
from engramma.errors import BadInput, StoreError, StoreNotWritable
from engramma.store.engine import open_database
from engramma.store.postgres.address import parse_address
from engramma.store.postgres.standby import StandbyBound
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.store.postgres.servers import several, until

pytestmark = pytest.mark.engines

BOUND = 2.0


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """A primary with a session in it, and its standby."""
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "local"))
    monkeypatch.setattr("engramma.namespaces.open.open_database", open_database)
    with several() as servers:
        servers.start("one")
        with opened(servers.url("one")) as memory:
            memory.remember_session("talk", "s1", talk("Ann: the lighthouse is red"))
        servers.follow("two", "one")
        yield servers


def opened(url: str, seconds: float = 20.0) -> Memory:
    return Memory.open(url, embedder=HashEmbedder(), config=Config(busy_seconds=seconds))


def found(memory: Memory, question: str) -> list[str]:
    return [one.text for one in memory.recall(question, recipe="vector", k=3).candidates]


def server_of(memory: Memory) -> str:
    """The socket's folder of the server that is read."""
    return memory._core.store.database._reading(lambda connection: connection.info.host)


def test_a_standby_alone_is_recalled_from_and_takes_no_writes(pair):
    with opened(pair.url("two")) as memory:
        assert found(memory, "the lighthouse") == ["the lighthouse is red"]
        with pytest.raises(StoreNotWritable, match="standby"):
            memory.remember_session("talk", "s2", talk("Ann: the harbour is old"))
    with opened(pair.url("one")) as primary:
        primary.remember_session("talk", "s2", talk("Ann: the harbour is old"))
    with opened(pair.url("two")) as memory:
        until(lambda: "the harbour is old" in found(memory, "the harbour"))


def test_what_is_read_comes_from_a_standby_that_is_fresh_enough(pair):
    one, two = (str(pair.place(name).sockets) for name in ("one", "two"))
    with opened(pair.url("one", "two", max_staleness=BOUND)) as memory, opened(pair.url("one")) as writer:
        until(lambda: server_of(memory) == two)
        assert found(memory, "the lighthouse") == ["the lighthouse is red"]
        for number in range(20):  # its own writes are seen at once, wherever they are read
            memory.remember_session("talk", f"own{number}", talk(f"Ann: the harbour has {number} boats"))
            assert f"the harbour has {number} boats" in found(memory, f"the harbour has {number} boats")
        until(lambda: server_of(memory) == two)

        pair.sql("two", "SELECT pg_wal_replay_pause()")
        writer.remember_session("talk", "new", talk("Ann: the ferry sails at noon"))
        time.sleep(BOUND)
        assert server_of(memory) == one, "the standby stands still and is too old by now"
        assert "the ferry sails at noon" in found(memory, "the ferry")
        pair.sql("two", "SELECT pg_wal_replay_resume()")
        until(lambda: server_of(memory) == two)
        assert "the ferry sails at noon" in found(memory, "the ferry")


def test_nobody_knows_how_old_a_standby_is_without_its_primary(pair):
    with opened(pair.url("one", "two", max_staleness=BOUND), seconds=1.0) as memory:
        until(lambda: server_of(memory) == str(pair.place("two").sockets))
        assert found(memory, "the lighthouse") == ["the lighthouse is red"]
        pair.crash("one")
        assert found(memory, "the lighthouse") == ["the lighthouse is red"]  # for as long as it is known
        time.sleep(BOUND)
        with pytest.raises(StoreError, match="max_staleness"):
            memory.recall("the lighthouse")
        pair.promote("two")
        until(lambda: server_of(memory) == str(pair.place("two").sockets))
        assert found(memory, "the lighthouse") == ["the lighthouse is red"]


def test_a_standby_takes_over_and_nothing_that_was_acknowledged_is_lost(pair):
    """Three writers go on while the primary dies and the standby is promoted; each retries what was refused."""
    url = pair.url("one", "two")
    acknowledged: list[set[str]] = [set() for _ in range(3)]
    stop = threading.Event()
    refused = 0

    def write(writer: int) -> None:
        nonlocal refused
        with opened(url) as memory:
            number = 0
            while not stop.is_set():
                session, text = f"w{writer}-{number}", f"Ann: writer {writer} said {number}"
                try:
                    memory.remember_session(f"talk {writer}", session, talk(text))
                except StoreError:
                    refused += 1
                    continue  # the same again: what is stored is skipped
                acknowledged[writer].add(session)
                number += 1

    writers = [threading.Thread(target=write, args=(n,)) for n in range(3)]
    for thread in writers:
        thread.start()
    until(lambda: all(len(done) >= 5 for done in acknowledged))
    pair.crash("one")
    before = [len(done) for done in acknowledged]
    pair.promote("two")
    until(lambda: all(len(done) >= seen + 5 for done, seen in zip(acknowledged, before, strict=True)), 40)
    stop.set()
    for thread in writers:
        thread.join(60)
        assert not thread.is_alive()
    with opened(pair.url("two")) as memory:
        stored = [session.id for talk in memory.conversations() for session in talk.sessions]
        assert len(stored) == len(set(stored)) == 1 + sum(map(len, acknowledged))
        assert set(stored) >= set().union(*acknowledged)


def test_a_bound_is_kept_from_what_is_known_alone():
    far = 100
    bound = StandbyBound(0.4, lambda: far)
    assert bound.holds(("a", 1), lambda: 100)
    far = 200
    assert bound.holds(("a", 1), lambda: 100), "it was as fresh as the primary just now"
    time.sleep(0.45)
    assert not bound.holds(("a", 1), lambda: 100) and bound.holds(("b", 1), lambda: 200)
    assert bound.holds(("c", 1), lambda: None), "no standby"
    bound.wrote(300)
    assert not bound.holds(("b", 1), lambda: 200) and bound.holds(("b", 1), lambda: 300)


@pytest.mark.parametrize("given", ["0", "-1", "soon", "nan", "inf"])
def test_a_bound_is_a_number_of_seconds(given):
    with pytest.raises(BadInput, match="max_staleness"):
        parse_address(f"postgres://a/b?max_staleness={given}")


def test_several_hosts_each_with_its_port():
    address = parse_address("postgres://me:pw@one.example:5433,[::1]:5434,three/db?schema=s")
    assert address.parameters["host"] == "one.example,::1,three" and address.parameters["port"] == "5433,5434,"
    assert address.parameters["target_session_attrs"] == "read-write" and "pw" not in address.shown
    assert parse_address("postgres://me@one/db").parameters == {"host": "one", "user": "me", "dbname": "db"}
    with pytest.raises(BadInput, match="port"):
        parse_address("postgres://one:x,two/db")
