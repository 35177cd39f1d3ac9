"""What is counted as it comes and goes is what a count of everything would find, whatever happens to the store."""

from __future__ import annotations

import sqlite3

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.store.migrate import list_migrations, split_statements
from engramma.store.sqlite.database import query
from engramma.store.store import FORGOTTEN
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.topics.test_topics import fill

pytestmark = pytest.mark.on("postgres", "encrypted")


def wrong(memory: Memory) -> int:
    row = memory._core.store.one("check_tallies")
    assert row is not None
    return row[0]


def tallied(memory: Memory, kind: str) -> dict[str, int]:
    return {row["name"]: row["count"] for row in memory._core.store.all("tallies_of", kind=kind, limit=-1)}


@pytest.fixture
def lived(memory, tmp_path):
    """A memory with talk on several days, notes, a document and topics."""
    fill(memory)
    memory.remember_session("d", "s", talk("Otto: the gambit failed", "Ana: try the rook", day=3))
    memory.remember("The rudder is loose.", tags=["boat"])
    page = tmp_path / "page.md"
    page.write_text("# Boats\n\nThe mast is new.\n", encoding="utf-8")
    memory.documents.ingest(page)
    memory.topics.find()
    return memory


def test_counts_stay_right_through_every_act(lived):
    assert wrong(lived) == 0
    assert tallied(lived, "speaker") == {"Ana": 25, "Otto": 1, "user": 1}  # a document's headings are nobody
    assert tallied(lived, "topic") and tallied(lived, "edges")["chain"] == 2
    assert (tallied(lived, "note"), tallied(lived, "tag")) == ({"0": 1}, {"0 boat": 1})
    gone = lived.forget(speaker="Otto")
    assert wrong(lived) == 0 and "Otto" not in tallied(lived, "speaker")
    lived.undo(gone.act)
    assert wrong(lived) == 0 and tallied(lived, "speaker")["Otto"] == 1
    (note,) = lived.notes.all()
    lived.notes.retag(note.id, ["harbour", "boat"])
    assert wrong(lived) == 0 and tallied(lived, "tag") == {"0 harbour": 1, "0 boat": 1}
    hidden = lived.forget([note.id])
    assert wrong(lived) == 0 and tallied(lived, "tag") == {f"{FORGOTTEN} harbour": 1, f"{FORGOTTEN} boat": 1}
    lived.undo(hidden.act)
    lived.purge([note.id])
    assert wrong(lived) == 0 and tallied(lived, "tag") == {}
    lived.forget(conversation="c", session="s0-0")
    lived.topics.find()
    assert wrong(lived) == 0
    lived.remember_session("c", "late", talk("Ana: the crust and dough with flour then oven", day=40))
    lived.topics.join()
    assert wrong(lived) == 0
    lived.purge(speaker="Otto")
    assert wrong(lived) == 0
    lived.purge(conversation="c")
    lived.topics.find()
    assert wrong(lived) == 0 and tallied(lived, "topic") == {}


@pytest.mark.not_on("postgres")
def test_what_was_purged_keeps_no_name_among_the_counts(lived):
    lived.purge(speaker="Otto")
    assert "Otto" not in [
        row[0] for row in lived._core.store.database._held().connection.execute("SELECT name FROM tallies")
    ]


def test_the_doctor_finds_wrong_counts_and_counts_anew(lived):
    with lived._core.store.transaction():
        lived._core.store.run("namespace_drop_tallies")
    assert [check.name for check in doctor(lived._core) if not check.ok] == ["counts are right"]
    assert all(check.ok for check in doctor(lived._core, fix=True))


@pytest.mark.not_on("postgres", "encrypted")
def test_a_store_from_before_is_counted_when_it_is_opened(lived):
    copy = sqlite3.connect(":memory:")
    lived._core.store.database._held().connection.backup(copy)
    names = copy.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'tally_*'").fetchall()
    for (name,) in names:
        copy.execute(f"DROP TRIGGER {name}")
    for name in ("sessions_by_last", "segments_by_time", "turns_by_speaker", "notes_by_time"):
        copy.execute(f"DROP INDEX {name}")
    copy.execute("DROP TABLE tallies")
    copy.execute("ALTER TABLE sessions DROP COLUMN visible")
    (sql,) = (sql for number, sql in list_migrations() if number == 11)
    for statement in split_statements(sql):
        copy.execute(statement)
    assert copy.execute(query("check_tallies", {"ns": 1}), {"ns": lived._core.store.ns}).fetchone() == (0,)
    copy.close()


def test_namespaces_are_counted_apart(tmp_path):
    with Memory.open(tmp_path / "store", "one", embedder=HashEmbedder()) as one:
        one.remember_session("c", "s", talk("Ana: hello", "Ben: hi"))
        with Memory.open(tmp_path / "store", "two", embedder=HashEmbedder()) as two:
            two.remember_session("c", "s", talk("Cleo: hello"))
            assert (tallied(one, "speaker"), tallied(two, "speaker")) == ({"Ana": 1, "Ben": 1}, {"Cleo": 1})
            assert (wrong(one), wrong(two)) == (0, 0)


@pytest.mark.not_on("postgres", "encrypted")
def test_a_store_whose_counts_of_nothing_kept_a_row_is_mended_when_it_is_opened(tmp_path):
    """Stores of schema 12 and before: an edge or a note that went left a count of zero behind."""
    path = tmp_path / "store"
    with Memory.open(path, embedder=HashEmbedder()) as memory:
        memory.remember("the ladder is in the shed")
    old = dict(list_migrations())
    database = sqlite3.connect(path / "memory.db", isolation_level=None)
    for name in ("tally_edge_gone", "tally_note_gone", "tally_note_tagged", "tally_note_moved"):
        (made,) = (one for one in split_statements(old[11]) if one.startswith(f"CREATE TRIGGER {name} "))
        database.execute(f"DROP TRIGGER {name}")
        database.execute(made)
    database.execute("INSERT INTO tallies (ns, kind, name, count) VALUES (1, 'edges', 'semantic', 0)")
    for later in ("INDEX entities_shown", "INDEX claims_by_time", "INDEX conversations_by_source"):
        database.execute(f"DROP {later}")
    database.execute("ALTER TABLE entities DROP COLUMN listed")
    database.execute("PRAGMA user_version = 12")
    database.close()
    with Memory.open(path, embedder=HashEmbedder()) as memory:
        (note,) = memory.notes.all()
        memory.purge(ids=[note.id])
        assert tallied(memory, "edges") == tallied(memory, "note") == {} and wrong(memory) == 0
