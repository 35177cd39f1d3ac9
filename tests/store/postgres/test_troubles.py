"""A server that is not there, refuses or dies in between: told in our words, and nothing is lost or doubled."""

from __future__ import annotations

import threading
from contextlib import nullcontext, suppress

import psycopg
import pytest
from psycopg.pq import ExecStatus

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.admin.stats import compute_stats
from engramma.errors import BadInput, StoreBusy, StoreError, StoreNotFound, StoreNotWritable, StoreTooNew
from engramma.ingest import archive
from engramma.ingest.waiting_segments import finish_pending
from engramma.store import engine
from engramma.store.postgres import database as postgres
from engramma.store.postgres.address import Address, parse_address, without_password
from engramma.store.postgres.database import Postgres
from engramma.store.postgres.errors import CommitUnknown
from engramma.store.postgres.statements import StoreConnection
from engramma.store.postgres.values import with_nul, without_nul
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.restore import restore
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines

SCHEMA = "troubles"


@pytest.fixture(scope="module")
def address(schemas):
    return parse_address(schemas.address(SCHEMA))


@pytest.fixture
def database(address):
    opened = Postgres(address, busy_seconds=5)
    yield opened
    opened.close()


@pytest.fixture
def admin(address):
    with psycopg.connect(**address.parameters, autocommit=True) as connection:
        yield connection


def put(database, key, value):
    with database.transaction():
        database.run("meta_put", {"key": key, "value": value})


def kill_all(admin):
    """End every other connection, as a restart or a failing network does."""
    admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'engramma' AND pid <> pg_backend_pid()"
    )


def test_what_cannot_be_reached_is_told_without_the_password():
    with pytest.raises(StoreError, match=r"Cannot reach postgres://me@127\.0\.0\.1:1/db") as caught:
        Postgres(parse_address("postgres://me:s3cr3t-word@127.0.0.1:1/db"), busy_seconds=1)
    assert "s3cr3t" not in str(caught.value) + repr(caught.value.__cause__)
    assert "s3cr3t" not in repr(parse_address("postgres://me:s3cr3t-word@h/db?password=s3cr3t"))
    assert (
        without_password("postgres://me:s3cr3t@h:5/db?password=s3cr3t&sslmode=require")
        == "postgres://me@h:5/db?sslmode=require"
    )


def test_a_database_or_user_that_is_not_there_is_named(address):
    with pytest.raises(StoreNotFound, match="createdb"):
        Postgres(Address({**address.parameters, "dbname": "nowhere"}, SCHEMA, "postgres://x/nowhere"), busy_seconds=1)
    with pytest.raises(StoreError, match="user"):
        Postgres(Address({**address.parameters, "user": "nobody_here"}, SCHEMA, "postgres://x"), busy_seconds=1)


@pytest.mark.parametrize("wrong", ["postgres://h:port/db", "postgres://h/db?schema=A-B", "mysql://h/db"])
def test_an_address_that_is_none_is_refused(wrong):
    with pytest.raises(BadInput):
        parse_address(wrong)


def test_a_user_who_may_not_make_tables_is_told_so(database, address, admin):
    with suppress(psycopg.errors.DuplicateObject):
        admin.execute("CREATE ROLE plain LOGIN")
    with pytest.raises(StoreNotWritable, match="administrator"):
        Postgres(Address({**address.parameters, "user": "plain"}, "of_plain", "postgres://plain@x"), busy_seconds=1)


def test_a_newer_schema_is_left_alone(address, admin):
    Postgres(Address(address.parameters, "newer", "x"), busy_seconds=5).close()
    admin.execute("UPDATE newer.meta SET value = 'i999' WHERE key = 'schema_version'")
    with pytest.raises(StoreTooNew, match="999"):
        Postgres(Address(address.parameters, "newer", "x"), busy_seconds=1)


def test_without_the_extra_its_install_command_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StoreError, match=r"pip install 'engramma\[postgres\]'"):
        engine.open_database(tmp_path, {"engine": "postgres"}, busy_seconds=1, create=True)


def test_reads_and_new_transactions_survive_a_killed_connection(database, admin):
    put(database, "a", "1")
    for _ in range(3):
        kill_all(admin)
        assert database.one("meta_get", {"key": "a"})["value"] == "1"
        kill_all(admin)
        put(database, "a", "1")


def test_a_connection_killed_within_a_transaction_keeps_nothing_of_it(database, admin):
    with pytest.raises(StoreError, match="The write was rolled back"), database.transaction():
        database.run("meta_put", {"key": "half", "value": "x"})
        kill_all(admin)
        database.run("meta_put", {"key": "more", "value": "x"})
    assert database.one("meta_get", {"key": "half"}) is None


def test_rows_that_were_sent_off_and_fail_take_the_transaction_with_them(database, admin):
    rows = [{"ns": 1, "key": key, "op": None if key else 1} for key in (0, 1)]
    for kill, words in ((False, "null value"), (True, "The write was rolled back")):
        with pytest.raises(StoreError, match=words), database.transaction():
            database.run("meta_put", {"key": "beside", "value": "x"})
            database.many("change_add", [rows[0]] if kill else rows)
            if kill:
                kill_all(admin)
        assert database.one("meta_get", {"key": "beside"}) is None
        assert database.one("change_last", {"ns": 1})[0] == 0


@pytest.mark.parametrize("within", ["nothing", "a snapshot"])
def test_a_statement_whose_preparing_was_interrupted_is_prepared_again(database, monkeypatch, within):
    """On Ctrl-C the server may have prepared it all the same: the name that it was given is taken."""
    put(database, "a", "1")
    interrupted = []
    real = StoreConnection.wait

    def cut(self, generator, *rest):
        answered = real(self, generator, *rest)
        done = [one for one in answered or () if one.status == ExecStatus.COMMAND_OK]
        if not interrupted and any(not one.command_status for one in done):
            interrupted.append(self)  # only a PREPARE of the protocol is answered without a word
            raise KeyboardInterrupt
        return answered

    def ask():
        with database.snapshot(1) if within == "a snapshot" else nullcontext():
            return database.one("meta_get", {"key": "a"})["value"]

    if within == "nothing":
        ask()  # from the second time on it is prepared
    else:
        database._pool.get().close()
        database._pool._room.release()
    with monkeypatch.context() as patch:
        patch.setattr(StoreConnection, "wait", cut)
        with pytest.raises(KeyboardInterrupt):
            ask()
    assert [ask() for _ in range(3)] == ["1"] * 3
    assert list(database._pool._free) == interrupted


@pytest.mark.parametrize("done", [True, False])
def test_a_commit_that_was_not_answered_is_looked_up(database, monkeypatch, admin, done):
    """The connection dies with the COMMIT, before or after the server did it; the server is asked which."""
    name = f"fate_{done}"
    real = postgres.run_plain

    def cut(connection, query):
        if query == "COMMIT":
            if done:
                real(connection, query)
            kill_all(admin)
            connection.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return real(connection, query)

    with monkeypatch.context() as patch:
        patch.setattr(postgres, "run_plain", cut)
        if done:
            put(database, name, "x")
        else:
            with pytest.raises(StoreError, match="The write was rolled back"):
                put(database, name, "x")
    assert (database.one("meta_get", {"key": name}) is not None) is done


def test_a_fate_that_nobody_can_tell_is_told_truthfully(database, monkeypatch):
    monkeypatch.setattr(database, "busy_seconds", 0.0)
    monkeypatch.setattr(
        database, "_with_connection", lambda act: (_ for _ in ()).throw(psycopg.OperationalError("gone"))
    )
    with pytest.raises(CommitUnknown, match="Run the same command again"):
        database._fate("1")


def test_writers_of_one_namespace_follow_each_other_and_of_others_do_not_wait(database, address):
    other = Postgres(address, busy_seconds=0.2)
    try:
        with database.transaction(ns=1):
            with pytest.raises(StoreBusy), other.transaction(ns=1):
                pass
            with pytest.raises(StoreBusy), other.transaction(wait=False, ns=1):
                pass
            with other.transaction(ns=2):
                pass
            with pytest.raises(StoreBusy), other.transaction():
                pass
        with other.transaction(), pytest.raises(StoreBusy), database.transaction(wait=False, ns=3):
            pass
    finally:
        other.close()


def test_what_was_stored_is_not_refused_where_no_connection_is_left_to_look_after_tables(database, monkeypatch):
    def none_left(*_):
        raise StoreBusy("All connections are in use.")

    monkeypatch.setattr(postgres, "LOOK_AFTER", 1)
    monkeypatch.setattr(postgres, "analysed", none_left)
    put(database, "stored", "x")
    assert database.one("meta_get", {"key": "stored"})["value"] == "x"


def test_statements_stay_bounded_after_tables_were_written_anew(database):
    bound = "SELECT current_setting('statement_timeout')"
    before = database._with_connection(lambda c: c.execute(bound).fetchone()[0])
    database.wipe()
    assert database._with_connection(lambda c: c.execute(bound).fetchone()[0]) == before != "0"


def test_a_snapshot_sees_one_state_and_writes_nothing(database, address):
    other = Postgres(address, busy_seconds=5)
    put(database, "seen", "before")
    try:
        with database.snapshot():
            assert database.one("meta_get", {"key": "seen"})["value"] == "before"
            put(other, "seen", "after")
            assert database.one("meta_get", {"key": "seen"})["value"] == "before"
            with pytest.raises(RuntimeError):
                database.run("meta_delete", {"key": "seen"})
        assert database.one("meta_get", {"key": "seen"})["value"] == "after"
    finally:
        other.close()


@pytest.mark.parametrize("text", ["a\x00b", "\x00", "\U0010fffe", "\U0010ffff", "\U0010ffff\U0010fffe\x00", "plain"])
def test_every_character_comes_back(database, text):
    assert with_nul(without_nul(text)) == text
    put(database, "odd", text)
    assert database.one("meta_get", {"key": "odd"})["value"] == text
    assert len(without_nul("a\x00b")) == 3  # places in a text stay what they are


@pytest.mark.parametrize("value", ["text", "", 7, -(2**62), b"", b"\x00\xff"])
def test_meta_keeps_the_kind_of_a_value(database, value):
    put(database, "kind", value)
    found = database.one("meta_get", {"key": "kind"})["value"]
    assert (found, type(found)) == (value, type(value))


def test_writers_whose_connections_are_killed_lose_nothing_and_double_nothing(schemas, address, admin, tmp_path):
    """Each retries what failed, as the daemon does; ids come from content, so what was there already is skipped."""
    lines, done, stop = 8, [], threading.Event()
    stores = [Memory.open(tmp_path / "many", f"n{number % 2}", embedder=HashEmbedder()) for number in range(4)]

    def write(number, store):
        for line in range(lines):
            while True:
                try:
                    store.remember_session(f"c{number}", f"s{line}", talk(f"Ann: line {line} of writer {number}"))
                    break
                except StoreError:
                    continue
        done.append(number)

    def kill():
        while not stop.wait(0.4):
            kill_all(admin)

    threads = [threading.Thread(target=write, args=pair) for pair in enumerate(stores)]
    killer = threading.Thread(target=kill)
    for thread in (*threads, killer):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    killer.join()
    for store in stores:
        store.close()
    assert sorted(done) == [0, 1, 2, 3]
    for half in range(2):
        with Memory.open(tmp_path / "many", f"n{half}", embedder=HashEmbedder()) as memory:
            said = sorted(turn.text for talk_ in memory.conversations() for s in talk_.sessions for turn in s.turns)
            assert said == sorted(f"line {n} of writer {w}" for n in range(lines) for w in range(4) if w % 2 == half)
            seqs = [row["seq"] for row in memory._core.store.all("changes_since", seq=0)]
            assert seqs == list(range(1, len(seqs) + 1))
            # The last kill may have met the writing of a text file, and whatever is written next makes up for it.
            again = memory.remember_session(f"c{half}", "s0", talk(f"Ann: line 0 of writer {half}"))
            assert again.turns == 0
            assert [check for check in doctor(memory._core) if not check.ok] == []


@pytest.mark.parametrize(
    ("moment", "finished_by"),
    [
        ("before the file", "the same again"),
        ("after it", "another write"),
        ("before the file", "the daemon's care"),
        ("after it", "doctor --fix"),
    ],
)
def test_a_text_file_whose_connection_is_killed_is_owed_told_of_and_finished(
    schemas, admin, tmp_path, monkeypatch, moment, finished_by
):
    """The session itself is stored by then, so nobody is refused; its file comes with whatever is done next."""
    real = archive.write_archive

    def cut(folder, store, session):
        if moment == "before the file":
            kill_all(admin)
        turns = real(folder, store, session)
        kill_all(admin)
        return turns

    said = talk("Ann: the kettle is copper")
    with Memory.open(tmp_path / "cut", embedder=HashEmbedder()) as memory:
        with monkeypatch.context() as patch:
            patch.setattr(archive, "write_archive", cut)
            assert memory.remember_session("c", "s", said).turns == 1
        (told,) = (check for check in doctor(memory._core) if not check.ok)
        assert (told.name, told.detail.split(";")[0]) == ("nothing left unfinished", "1 closed sessions are unfinished")
        match finished_by:
            case "the same again":
                assert memory.remember_session("c", "s", said).turns == 0
            case "another write":
                memory.remember_session("c", "s2", talk("Bob: and old", day=1))
            case "the daemon's care":
                finish_pending(memory._core, 0)
            case "doctor --fix":
                doctor(memory._core, fix=True)
        assert [check for check in doctor(memory._core) if not check.ok] == []
        assert "the kettle is copper" in next((memory.path / "archive").rglob("s.txt")).read_text(encoding="utf-8")


def test_a_backup_is_a_whole_store_on_sqlite(tmp_path):
    with Memory.open(tmp_path / "source", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ann: the kettle is copper", "Bob: and old"))
        (memory.path / "config.toml").write_text(
            'idle_minutes = 7\n\n[store]\nengine = "postgres"\n\n[daemon]\nport = 1\n'
        )
        said = list(export_lines(memory._core))
        backup(memory._core, tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "back", with_config=True)
    assert (tmp_path / "back" / "config.toml").read_text() == "idle_minutes = 7\n\n[daemon]\nport = 1\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engramma.namespaces.open.open_database", engine.open_database)
        with Memory.open(tmp_path / "back", embedder=HashEmbedder()) as memory:
            assert list(export_lines(memory._core)) == said
            assert "kettle" in memory.recall("copper kettle").context
            assert [check for check in doctor(memory._core, fix=True) if not check.ok] == []


def test_doctor_and_stats_speak_of_the_server(tmp_path):
    with Memory.open(tmp_path / "looked", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ann: hello"))
        checks = {check.name: check for check in doctor(memory._core)}
        assert all(check.ok for check in checks.values()), [c for c in checks.values() if not c.ok]
        assert "PostgreSQL" in checks["database server"].detail and "pgvector" in checks["extensions"].detail
        assert {"rights", "vectors on the server", "processor"} <= set(checks)
        assert compute_stats(memory._core)["bytes"]["database"] > 100_000
