"""A store that moves arrives whole: every row, every export, every key; interrupted, it goes on."""

from __future__ import annotations

import json
import sqlite3

import pytest
from typer.testing import CliRunner

from engramma import BadInput, Memory
from engramma.admin.doctor import doctor_all
from engramma.apps.cli.main import app as cli
from engramma.errors import StoreError
from engramma.store import copy_tables as copying
from engramma.store.copy_tables import SqliteRows, copy_all, tables
from engramma.transfer.export import export_lines
from engramma.transfer.migrate import UNFINISHED, move
from tests.conftest import talk
from tests.fakes import HashEmbedder

NAMES = ("default", "team", "ana")


def open_on(path, name="default", **options):
    return Memory.open(path, name, embedder=HashEmbedder(), **options)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Three namespaces with talk, notes, links, topics, and what was forgotten and purged."""
    path = tmp_path_factory.mktemp("moving") / "store"
    for name in NAMES:
        with open_on(path, name) as memory:
            for day in range(4):
                lines = [f"Ann{name}: day {day}, we bought {n} apples in Zürich 🍎" for n in range(6)]
                memory.remember_session("market", f"day-{day}", talk(*lines))
            memory.remember_session("keys", "monday", talk(f"Ann{name}: my password is {name}-tr0ub4dor-9"))
            memory.remember(f"the ladder of {name} is in the shed", source="a.txt")
            memory.remember(f"the ladder of {name} is in the shed", source="b.txt")
            first, second, *_ = (segment.id for segment in memory.graph()[0])
            memory.links.add(first, "supports", second, label="as said")
            memory.topics.find()
            memory.claims.extract(50)
            memory.forget(query="3 apples")
            memory.purge(conversation="market", session="day-2")
    with open_on(path) as memory:
        memory.team.add("ana", {"team": "read", "ana": "admin"})
    (path / "config.toml").write_text('idle_minutes = 20\n[store]\nengine = "sqlite"\n[redact]\n', encoding="utf-8")
    return path


def rows_of(path):
    """Every table as it lies in the file."""
    source = SqliteRows(path / "memory.db")
    try:
        return {t.name: list(copying.kept(t, source.stream(t))) for t in tables()}
    finally:
        source.close()


def exports(path):
    found = {}
    for name in NAMES:
        with open_on(path, name, create=False) as memory:
            found[name] = list(export_lines(memory._core)), as_told(memory.recall("apples in Zürich"))
    return found


def as_told(recalled):
    return recalled.context, [(c.segment_id, c.score) for c in recalled.candidates]


def test_every_table_of_the_schema_is_copied(store):
    connection = sqlite3.connect(store / "memory.db")
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    connection.close()
    own = {name for name in names if not name.startswith(("sqlite_", "words_", "cold_", "terms_"))}
    assert own == {table.name for table in tables()}
    assert all(table.key for table in tables()), "rows are copied in the order of a key: give every table one"
    filled = {name for name, rows in rows_of(store).items() if rows}
    assert {"turns", "tombstones", "hidings", "redactions", "tallies", "tokens", "links", "claims"} <= filled


def test_a_moved_store_is_the_same_store(store, tmp_path):
    target = tmp_path / "target"
    steps = []
    with open_on(store) as memory:
        moved = move(memory._core, target, lambda *step: steps.append(step))
    assert moved.namespaces == tuple(sorted(NAMES)) and moved.rows > 300
    assert steps[-1][1] == steps[-1][2]
    before, after = rows_of(store), rows_of(target)
    for rows in (before["sessions"], after["sessions"]):
        rows[:] = [row[:9] + row[10:] for row in rows]  # whether its text file is written: each folder's own
    assert before == after
    assert exports(store) == exports(target)
    archive = {path.relative_to(store): path.read_bytes() for path in (store / "archive").rglob("*.txt")}
    assert archive and archive == {p.relative_to(target): p.read_bytes() for p in (target / "archive").rglob("*.txt")}
    assert (target / "config.toml").read_text(encoding="utf-8") == "idle_minutes = 20\n[redact]\n"
    with open_on(target) as memory:
        assert [check for check in doctor_all(memory._core) if not check.ok] == []
        assert [user.name for user in memory.team.users()] == ["ana"]
        again = memory.remember_session("market", "day-2", talk("Anndefault: day 2, we bought 0 apples in Zürich 🍎"))
        assert again.turns == 0, "what was purged came back"
        new = memory.remember("a new note on the moved side")
        assert new.is_new and new.note.id not in {n.id for n in open_and_list(store)}


def open_and_list(path):
    with open_on(path) as memory:
        return memory.notes.all()


def test_numbers_that_were_given_are_not_given_again(store, tmp_path):
    """What was deleted last left a gap at the end: an index that knows the old number must not meet it again."""
    with open_on(store) as memory:
        kept = memory.remember("the last note of all, which goes")
        highest = memory._core.store.one("segment_key", conversation="engramma:notes", session=kept.note.id, idx=0)[
            "key"
        ]
        memory.purge([kept.note.id])
        move(memory._core, tmp_path / "target")
    with open_on(tmp_path / "target") as memory:
        new = memory.remember("a note after the move")
        key = memory._core.store.one("segment_key", conversation="engramma:notes", session=new.note.id, idx=0)["key"]
        assert key > highest


def test_a_move_that_breaks_off_goes_on(store, tmp_path, monkeypatch):
    monkeypatch.setattr(copying, "BATCH_ROWS", 7)
    target, calls = tmp_path / "target", []

    def breaking(table, done, total):
        calls.append(done)
        if len(calls) in (9, 60):
            raise KeyboardInterrupt

    with open_on(store) as memory:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                move(memory._core, target, breaking)
            assert (target / UNFINISHED).exists() and not (target / "memory.db").exists()
        memory.remember("said between two tries of the move")  # the second try sees it
        connection = sqlite3.connect(target / UNFINISHED)
        connection.execute("UPDATE namespaces SET name = 'damaged' WHERE name = 'team'")  # and mends this
        connection.commit()
        connection.close()
        moved = move(memory._core, target, breaking)
    assert moved.rows and not (target / UNFINISHED).exists()
    assert exports(store) == exports(target)
    with open_on(store) as memory, pytest.raises(BadInput, match="There is already a memory at"):
        move(memory._core, target)


def test_a_copy_that_does_not_hold_what_it_was_given_is_refused(store, tmp_path):
    class Forgetful(SqliteRows):
        def append(self, table, rows):
            super().append(table, [(*r[:-1], "x") if table.name == "conversations" else r for r in rows])

    source, target = SqliteRows(store / "memory.db"), Forgetful(tmp_path / "t.db", write=True)
    with pytest.raises(StoreError, match="The rows of conversations differ"):
        copy_all(source, target)
    source.close()
    target.close()


def test_the_command_moves_and_refuses_while_a_daemon_runs(store, tmp_path):
    run = CliRunner().invoke
    done = run(cli, ["migrate", "--to", str(tmp_path / "t"), "--store", str(store), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["namespaces"] == sorted(NAMES)
    from engramma.apps.daemon.folder import place_in
    from engramma.files.locks import hold_lock

    place = place_in(store)
    place.make()
    with hold_lock(place.lock):
        done = run(cli, ["migrate", "--to", str(tmp_path / "u"), "--store", str(store)])
    assert done.exit_code == 1 and "engramma stop" in str(done.exception)
