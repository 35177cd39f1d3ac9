"""Doctor finds what is wrong, in every namespace, and goes on where the database is damaged."""

from __future__ import annotations

import json
import sqlite3
from functools import partial

import pytest
from typer.testing import CliRunner

from engramma import Memory
from engramma.admin import doctor_checks as steward
from engramma.admin.doctor import doctor, doctor_all, repair_archive
from engramma.admin.reindex import reindex
from engramma.apps.cli.main import app
from engramma.config.settings import Config
from engramma.errors import StoreNotWritable
from engramma.ingest.waiting_segments import finish_pending
from engramma.store.sqlite.driver import PAGE_SIZE
from tests.conftest import talk
from tests.fakes import HashEmbedder

MUTUAL = "edges are the mutual near lists"
SETTINGS = "graph fits the settings"


def fill(memory, sessions=6):
    for number in range(sessions):
        memory.remember_session("c", f"s{number}", talk("Ana: slow trains", "Ana: some rain", day=number))


def wrong(checks):
    return {check.name: check.detail for check in checks if not check.ok}


def change(memory, sql):
    """What no part of Engramma would do."""
    connection = sqlite3.connect(memory.path / "memory.db")
    with connection:
        assert connection.execute(sql).rowcount > 0
    connection.close()


@pytest.fixture
def patient(monkeypatch):
    """No waiting in tests; what is put here happens during the pause."""
    meanwhile = []
    monkeypatch.setattr(steward.time, "sleep", lambda seconds: [act() for act in meanwhile])
    return meanwhile


def test_a_well_store_is_well(memory):
    fill(memory)
    assert memory.graph()[1] and wrong(doctor(memory._core)) == {}


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "DELETE FROM edges WHERE kind = 'semantic' AND src = (SELECT max(src) FROM edges)",
            "5 edges missing, 0 too many",
        ),
        ("UPDATE edges SET weight = 0.7 WHERE kind = 'semantic'", "0 edges missing, 0 too many, 30 of another weight"),
        ("DELETE FROM near WHERE key = 1", "0 edges missing, 5 too many"),
    ],
)
def test_edges_that_are_not_the_mutual_near_lists_are_found(memory, sql, words):
    fill(memory)
    change(memory, sql)
    found = wrong(doctor(memory._core))
    assert set(found) == {MUTUAL} and words in found[MUTUAL] and "reindex --force" in found[MUTUAL]


@pytest.mark.parametrize("settings", [Config(edge_cap=3), Config(edge_floor=0.9, edge_cap=20)])
def test_a_graph_made_with_other_settings_is_found_and_a_forced_reindex_mends_it(tmp_path, settings):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        for number in range(6):
            memory.remember_session("c", f"s{number}", talk("Ana: rain", f"Ana: rain number {number}", day=number))
    with Memory.open(tmp_path / "a", embedder=HashEmbedder(), config=settings) as memory:
        assert "reindex --force" in wrong(doctor(memory._core))[SETTINGS]
        reindex(memory._core, HashEmbedder(), "hash-words", force=True)
    with Memory.open(tmp_path / "a", embedder=HashEmbedder(), config=settings) as memory:
        assert wrong(doctor(memory._core)) == {}


def test_a_session_that_is_just_being_stored_is_no_fault_and_one_that_waits_is(memory, patient):
    fill(memory, 2)
    change(memory, "UPDATE sessions SET archived = 0 WHERE id = 's1'")
    assert "1 closed sessions are unfinished" in wrong(doctor(memory._core))["nothing left unfinished"]
    patient.append(partial(finish_pending, memory._core))
    assert wrong(doctor(memory._core)) == {}


def test_every_namespace_is_looked_over_and_named(tmp_path):
    for name in ("default", "work"):
        with Memory.open(tmp_path / "a", name, embedder=HashEmbedder()) as memory:
            fill(memory)
    (tmp_path / "a" / "archive" / "work" / "c" / "s3.txt").unlink()
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        assert wrong(doctor(memory._core)) == {}
        found = doctor_all(memory._core)
        assert [(c.namespace, c.name) for c in found if not c.ok] == [("work", "archive matches")]
        assert [c.name for c in found if c.namespace is None] == [
            "database file",
            "folder is private",
            "files in use",
            "embedder works",
        ]
        assert wrong(doctor_all(memory._core, fix=True)) == {}


def test_the_command_looks_at_one_namespace_if_told_to(tmp_path):
    for name in ("default", "work"):
        Memory.open(tmp_path / "a", name).close()

    def namespaces(*arguments):
        result = CliRunner().invoke(app, ["doctor", "--json", "--store", str(tmp_path / "a"), *arguments])
        assert result.exit_code == 0
        return {check["namespace"] for check in json.loads(result.stdout)["checks"]}

    assert namespaces() == {None, "default", "work"}
    assert namespaces("-n", "work") == {None}
    plain, named = (CliRunner().invoke(app, ["doctor", "--store", str(tmp_path / "a"), *v]) for v in ([], ["-v"]))
    count = len(named.stdout.splitlines())
    assert "[work] archive matches" in named.stdout and plain.stdout.startswith(f"all checks passed: {count} checks")


def test_an_archive_that_cannot_be_rewritten_says_what_to_do_and_the_rest_is_checked(memory):
    fill(memory, 1)
    path = memory.path / "archive" / "default" / "c" / "s0.txt"
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreNotWritable, match="doctor --fix"):
        repair_archive(memory._core)
    found = wrong(doctor(memory._core, fix=True))
    assert set(found) == {"repaired", "archive matches"} and "s0.txt" in found["repaired"]


def test_a_damaged_database_gets_its_line_and_the_rest_is_checked(tmp_path):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 40)
        page = (
            memory._core.store.database._held()
            .connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'turns'")
            .fetchone()[0]
        )
    data = bytearray((tmp_path / "a" / "memory.db").read_bytes())
    data[(page - 1) * PAGE_SIZE : page * PAGE_SIZE] = b"scribble" * (PAGE_SIZE // 8)
    (tmp_path / "a" / "memory.db").write_bytes(data)
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        for found in (doctor(memory._core), doctor_all(memory._core), doctor(memory._core, fix=True)):
            assert {"database file", "archive matches"} <= set(wrong(found))
            assert {c.name for c in found if c.ok} >= {"vectors are sound", MUTUAL, "embedder works"}


def test_a_database_that_cannot_be_opened_is_a_finding_of_the_command(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "memory.db").write_bytes(b"my shopping list\n" * 1000)
    result = CliRunner().invoke(app, ["doctor", "--store", str(tmp_path / "a")])
    assert result.exit_code == 3 and "BAD  database file" in result.stdout and "engramma restore" in result.stdout
