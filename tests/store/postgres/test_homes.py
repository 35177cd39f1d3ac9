"""A namespace that lives on another server: moved there, used there, seen from here by any SQL client, and back."""

from __future__ import annotations

import json
import re

import numpy as np
import psycopg
import pytest

from engramma import BadInput, Memory
from engramma.admin.doctor import doctor
from engramma.errors import StoreError, StoreNotFound
from engramma.store.engine import choose, open_database
from engramma.store.postgres import homes
from engramma.store.postgres.homes import find_home
from engramma.store.postgres.values import vector_text
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from tests.commands import ran
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.store.postgres.servers import several

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, several() as started:
        patch.setenv("ENGRAMMA_STORE", str(tmp_path_factory.mktemp("local")))
        patch.setattr("engramma.namespaces.open.open_database", open_database)
        started.start("here")
        started.start("there")
        yield started


@pytest.fixture
def urls(servers, request):
    """Two empty schemas of a test's own: where the store is, and where a namespace may go."""
    schema = f"s{abs(hash(request.node.name)) % 10**8}"
    return servers.url("here", schema=schema), servers.url("there", schema=schema)


def opened(url: str, namespace: str = "default", **options) -> Memory:
    return Memory.open(url, namespace, embedder=HashEmbedder(), **options)


def fill(url: str) -> None:
    for name in ("default", "red", "blue"):
        with opened(url, name) as memory:
            memory.remember_session("talk", "s1", talk(f"Ann: the {name} harbour has a crane", "Bob: and a cat"))
            memory.remember_session("talk", "s2", talk(f"Ann: a crane over the {name} harbour", day=1, prefix="u"))
            memory.remember(f"the {name} note", tags=["kept"])


def whole(memory: Memory) -> tuple[object, ...]:
    segments, edges = memory.graph()
    recalled = [
        (one.segment_id, one.text, round(one.score, 9))
        for recipe in ("default", "vector", "pmg")
        for one in memory.recall("the crane", recipe=recipe).candidates
    ]
    said = [re.sub(r'"recalls":.*"state"', "", line) for line in export_lines(memory._core)]  # looking is counted
    return said, segments, sorted(edges), recalled, [c for c in doctor(memory._core) if not c.ok]


def rows_of(url: str, name: str) -> int:
    with opened(url) as memory:
        return next((info.segments for info in memory.namespaces.all() if info.name == name), 0)


def test_there_and_back_it_is_the_same_memory(urls):
    here, there = urls
    fill(here)
    with opened(here, "red") as memory:
        before = whole(memory)
    with opened(here) as memory:
        assert memory.namespaces.place("red", there) > 10
        info = {one.name: one for one in memory.namespaces.all()}
        assert info["red"].home == there and info["red"].created <= info["blue"].created and info["blue"].home is None
        assert memory._core.store.database.all("namespace_names", {}) == [("blue",), ("default",)]
    with opened(here, "red") as memory:  # by its name alone
        assert memory._core.store.database.name == there
        assert whole(memory) == before
        memory.remember_session("talk", "s3", talk("Ann: the red harbour closes", day=2, prefix="v"))
        after = whole(memory)
    assert after != before and rows_of(there, "red") == 5
    with opened(here) as memory:
        memory.namespaces.bring_back("red")
        assert all(one.home is None for one in memory.namespaces.all())
    with opened(here, "red") as memory:
        assert memory._core.store.database.name == here and whole(memory) == after
    assert rows_of(there, "red") == 0


def test_whoever_has_it_open_is_told_and_writes_nowhere(urls):
    here, there = urls
    fill(here)
    with opened(here, "blue") as old, opened(here) as memory:
        memory.namespaces.place("blue", there)
        with pytest.raises(StoreNotFound, match="open it again"):
            old.remember_session("talk", "s9", talk("Ann: too late"))


def test_any_sql_client_sees_all_namespaces_as_one(urls, servers):
    here, there = urls
    fill(here)
    schema = here.rpartition("=")[2]
    with opened(here) as memory:
        asked = np.asarray(memory._core.embedder.embed(["Ann: the red harbour has a crane"])[0], dtype="<f2").tobytes()
        memory.namespaces.place("red", there)
    question = str(vector_text(asked))
    with psycopg.connect(servers.url("here"), autocommit=True) as client:
        client.execute(f'SET search_path = "{schema}_all", public')
        names = client.execute("SELECT name FROM namespaces ORDER BY 1").fetchall()
        assert names == [("blue",), ("default",), ("red",)]
        for name in ("red", "blue"):
            (best, *_) = client.execute(
                "SELECT content FROM match_memories(%s::vector, %s)", (question, name)
            ).fetchall()
            assert f"the {name} harbour has a crane" in best[0]
            assert client.execute("SELECT * FROM match_memories_hybrid(%s::vector, %s)", (question, name)).fetchall()
        far, near = (plan_for(client, name) for name in ("red", "blue"))
        assert "Foreign Scan" in far
        assert "Foreign Scan" not in near, "what lives here is asked for here alone"


def plan_for(client, name: str) -> str:
    """How PostgreSQL reads the turns of a namespace."""
    (number,) = client.execute("SELECT ns FROM namespaces WHERE name = %s", (name,)).fetchone()
    asked = psycopg.sql.SQL("EXPLAIN SELECT * FROM turns WHERE ns = {}").format(number)
    return "\n".join(row[0] for row in client.execute(asked).fetchall())


def test_what_would_lose_sight_of_it_is_refused(urls, tmp_path):
    here, there = urls
    fill(here)
    with opened(here) as memory:
        for name in ("default", "nobody"):
            with pytest.raises((BadInput, StoreNotFound)):
                memory.namespaces.place(name, there)
        with pytest.raises(BadInput, match="another memory"):
            memory.namespaces.place("red", here)
        memory.namespaces.place("red", there)
        for call in (
            lambda: memory.namespaces.place("red", there),
            lambda: memory.namespaces.rename("red", "pink"),
            lambda: memory.namespaces.rename("blue", "red"),
            lambda: memory.namespaces.delete("red"),
            lambda: memory.namespaces.create("red"),
            lambda: backup(memory._core, tmp_path / "all.zip"),
        ):
            with pytest.raises((BadInput, StoreNotFound), match="red"):
                call()
        assert find_home(memory._core.store.database, "red") == there


def test_broken_off_at_any_table_it_is_where_it_was(urls, monkeypatch):
    here, there = urls
    fill(here)
    with opened(here, "red") as memory:
        before = whole(memory)
    real, left = homes.compared, [0]

    def broken(*arguments):
        left[0] -= 1
        if left[0] == 0:
            raise StoreError("broken off")
        return real(*arguments)

    monkeypatch.setattr(homes, "compared", broken)
    with opened(here) as memory:
        for move in (lambda: memory.namespaces.place("red", there), lambda: memory.namespaces.bring_back("red")):
            for tables in (3, 12):
                left[0] = tables
                with pytest.raises(StoreError, match="broken off"):
                    move()
                with opened(here, "red") as same:
                    assert whole(same) == before
            move()
            with opened(here, "red") as same:
                assert whole(same) == before


def test_the_command(urls, tmp_path):
    here, there = urls
    fill(here)
    store = tmp_path / "store"
    store.mkdir()
    choose(store, here)
    done = ran("--store", store, "namespace", "place", "red", "--on", there, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["home"] == there
    assert f"red      on {there}" in ran("--store", store, "namespace", "list").stdout
    assert "either" in ran("--store", store, "namespace", "place", "red").stderr
    assert "is back" in ran("--store", store, "namespace", "place", "red", "--back").stdout
