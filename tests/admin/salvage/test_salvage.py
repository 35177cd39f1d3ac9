"""Damage of many kinds to a real store: what can be read is there afterwards, word for word, and nothing purged."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engramma import Memory, Turn
from engramma.admin.salvage.salvage import describe_salvage, salvage
from engramma.apps.cli.main import app
from engramma.errors import BadInput, StoreCorrupt, StoreError, StoreNotFound
from engramma.store.sqlite.driver import PAGE_SIZE as PAGE
from engramma.store.sqlite.pages import MOST_LOOKS, local_bytes, read_image, read_tree
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from tests.admin.salvage.stores import (
    DAMAGES,
    FORGOTTEN,
    PURGED,
    change,
    copied,
    emptied,
    header_zeroed,
    make_store,
    missing,
    opened,
    visible,
)
from tests.conftest import START
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

HOLDING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM turns").fetchone(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    store = tmp_path_factory.mktemp("whole") / "store"
    make_store(store)
    return store


@pytest.fixture(scope="module")
def spoken(whole) -> dict[tuple[str, str, str, str], Turn]:
    """Every turn of the whole store, which stays as it is."""
    return visible(whole)


@pytest.fixture
def store(whole, tmp_path) -> Path:
    return copied(whole, tmp_path / "store")


def saved(store: Path, **options):
    return salvage(store, embedder=HashEmbedder(), **options)


def bytes_of(store: Path) -> dict[str, bytes]:
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*") if path.is_file()}


def assert_sound(found) -> None:
    assert [check for check in found.checks if not check.ok] == []


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_with_the_archive_every_turn_is_saved_whatever_happens_to_the_database(spoken, store, damage):
    damage(store)
    before = bytes_of(store)
    found = saved(store)
    there = visible(Path(found.salvaged))
    assert there.keys() == spoken.keys()
    texts = {place: (t.text, t.speaker, t.said_at, t.role) for place, t in there.items()}
    assert texts == {place: (t.text, t.speaker, t.said_at, t.role) for place, t in spoken.items()}
    assert bytes_of(store) == before, "what is left is only read"
    assert_sound(found)
    assert found.lost == () and found.lost_turns == 0
    everything = b"".join(bytes_of(Path(found.salvaged)).values())
    assert PURGED.encode() not in everything
    with opened(Path(found.salvaged)) as memory:
        assert memory.recall("surprise party for Ben", recipe="bm25").candidates == ()


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_without_an_archive_every_turn_whose_page_is_intact_is_saved(spoken, store, damage):
    damage(store)
    shutil.rmtree(store / "archive")
    left = (store / "memory.db").read_bytes() if (store / "memory.db").exists() else b""
    wanted = {place: turn for place, turn in spoken.items() if turn.text.encode() in left}
    if damage in (emptied, missing):
        with pytest.raises(StoreNotFound, match="No conversations can be read"):
            saved(store)
        return
    found = saved(store)
    there = visible(Path(found.salvaged))
    assert {turn.text for turn in wanted.values()} <= {turn.text for turn in there.values()}
    assert {turn.text for turn in there.values()} <= {turn.text for turn in spoken.values()}
    assert_sound(found)
    missing_turns = len(spoken) - len(there)
    assert (found.lost_turns > 0) == (missing_turns > 0) or not found.lost, "what is known to be lost is told"


def test_a_sound_store_comes_out_the_same_with_its_ids_notes_links_and_what_was_forgotten(whole, store):
    found = saved(store)
    assert found.ok, found
    for namespace in ("default", "work"):
        with opened(whole, namespace) as old, opened(Path(found.salvaged), namespace) as new:
            assert list(export_lines(new._core)) == list(export_lines(old._core))
            assert [segment.id for segment in new.graph()[0]] == [segment.id for segment in old.graph()[0]]
            assert sorted(new.graph()[1]) == sorted(old.graph()[1])
            forgotten = [act for act in new.acts.all() if act.kind == "forget"]
            assert len(forgotten) == 1
            new.undo(forgotten[0].id)
            assert FORGOTTEN in {turn.text for turn in new.turns("secrets", "s2")}


def test_what_was_purged_stays_out_of_the_new_store_whoever_brings_it_back(store, tmp_path):
    (store / "archive" / "default" / "secrets" / "s1.txt").write_text(
        "namespace: default\nconversation: secrets\nsession: s1\nturns: 2\n\n"
        f"[2026-01-05T09:00:00Z] Ana <t1>\n{PURGED}\n\n[2026-01-05T09:00:00Z] Ben <t2>\nNoted.\n"
    )
    header_zeroed(store)
    found = saved(store)
    assert found.kept_out == 1
    assert PURGED not in {turn.text for turn in visible(Path(found.salvaged)).values()}
    source = tmp_path / "again.jsonl"
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        other.remember_session("secrets", "s1", [Turn("Ana", PURGED, START, "t1")])
        source.write_text("".join(export_lines(other._core)))
    with opened(Path(found.salvaged)) as memory:
        assert import_file(memory._core, source).purged_turns == 1


def test_notes_keep_what_is_known_of_them_when_the_first_page_is_gone(whole, store):
    header_zeroed(store)
    with opened(whole) as old, opened(Path(saved(store).salvaged)) as new:
        assert [(n.id, n.text, n.tags, n.source, n.strength) for n in new.notes.all()] == [
            (n.id, n.text, n.tags, n.source, n.strength) for n in old.notes.all()
        ]
        assert [(link.source, link.kind, link.target) for link in new.links.all()] == [
            (link.source, link.kind, link.target) for link in old.links.all()
        ]


def test_a_journal_that_was_never_written_into_the_database_is_read(whole, tmp_path):
    store = copied(whole, tmp_path / "source")
    with opened(store) as memory:
        memory.remember_session("late", "s1", [Turn("Ana", "only the journal knows this", START, "t1")])
        kept = copied(store, tmp_path / "store")  # with its journal, as a crash leaves it
    shutil.rmtree(kept / "archive")
    header_zeroed(kept)
    found = saved(kept)
    assert "only the journal knows this" in {turn.text for turn in visible(Path(found.salvaged)).values()}


def test_a_lost_journal_is_made_up_for_by_the_archive(whole, tmp_path):
    store = copied(whole, tmp_path / "source")
    with opened(store) as memory:
        memory.remember_session("late", "s1", [Turn("Ana", "written down in the archive", START, "t1")])
        kept = copied(store, tmp_path / "store")
    for end in ("-wal", "-shm"):
        (kept / f"memory.db{end}").unlink()
    found = saved(kept)
    assert "written down in the archive" in {turn.text for turn in visible(Path(found.salvaged)).values()}
    assert {source["name"]: source["turns"] for source in found.sources}["archive"] == 1


def test_a_rescued_copy_is_brought_in(whole, store, tmp_path):
    with opened(store, "work") as memory:
        memory.remember_session("rescued", "s1", [Turn("Ana", "only the copy has this", START, "t1")])
    (store / "rescued").mkdir()
    shutil.move(store / "memory.db", store / "rescued" / "memory-1-1.db")
    shutil.copyfile(whole / "memory.db", store / "memory.db")
    shutil.rmtree(store / "archive")
    found = saved(store)
    assert ("work", "rescued", "s1", "t1") in visible(Path(found.salvaged))
    assert_sound(found)


def test_turns_that_are_lost_are_counted_with_their_place_and_time(store):
    with closing(sqlite3.connect(store / "memory.db")) as connection:
        connection.execute(
            "DELETE FROM turns WHERE session IN (SELECT key FROM sessions WHERE id = 'work-3') AND position > 1"
        )
        connection.execute("UPDATE sessions SET visible = 6 WHERE id = 'work-3'")
        connection.commit()
    (store / "archive" / "work" / "talk 0" / "work-3.txt").unlink()
    found = saved(store)
    (lost,) = found.lost
    assert (lost["namespace"], lost["conversation"], lost["session"]) == ("work", "talk 0", "work-3")
    assert lost["lost_turns"] == found.lost_turns == 4 and lost["from"] == "2026-01-08T09:00:00Z"
    assert not found.ok and any("work/talk 0/work-3: 4 turns" in line for line in describe_salvage(found))


# --- the command, and the error that leads to it -----------------------------------------------------------


@pytest.mark.parametrize("damage", [emptied, missing, lambda store: change(store, lambda data: data[:40])])
def test_an_emptied_database_beside_an_archive_is_an_error_and_no_new_memory(store, damage):
    damage(store)
    before = bytes_of(store)
    for create in (True, False):
        with pytest.raises(StoreCorrupt, match=r"archive.*doctor --salvage.*move .* away"):
            Memory.open(store, embedder=HashEmbedder(), create=create)
    assert bytes_of(store) == before


def test_the_command_puts_the_new_store_in_place_and_the_old_one_aside(tmp_path):
    store = tmp_path / "store"
    with Memory.open(store) as memory:
        memory.remember_session("trip", "s1", [Turn("Ana", "We take the night train.", START, "t1")])
    (store / "config.toml").write_text("busy_seconds = 30.0\n")
    (store / "backups").mkdir()
    (store / "backups" / "old.zip").write_bytes(b"a backup")
    change(store, lambda data: b"")
    run = CliRunner().invoke
    refused = run(app, ["doctor", "--store", str(store)])
    assert refused.exit_code == 3 and "doctor --salvage" in refused.output
    done = run(app, ["doctor", "--salvage", "--replace", "--json", "--store", str(store)])
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert told["ok"] and told["namespaces"] == {"default": 1} and told["replaced"].startswith(f"{store}.damaged-")
    assert (Path(told["replaced"]) / "memory.db").stat().st_size == 0
    assert (store / "config.toml").read_text() == "busy_seconds = 30.0\n"
    assert (store / "backups" / "old.zip").read_bytes() == b"a backup"
    assert not (tmp_path / "store.salvaged").exists()
    assert "night train" in run(app, ["recall", "Which train?", "--store", str(store)]).output
    assert run(app, ["doctor", "--store", str(store)]).exit_code == 0


def test_a_folder_that_is_in_the_way_or_nothing_at_all_is_refused(store, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        saved(store, to=tmp_path / "there")
    assert (tmp_path / "there" / "mine.txt").read_text() == "mine"
    with pytest.raises(StoreNotFound):
        saved(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreNotFound, match="restore"):
        saved(tmp_path / "empty")
    assert not (tmp_path / "empty.salvaged").exists()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list open files")
def test_a_store_that_others_have_open_is_not_replaced(store):
    command = [sys.executable, "-c", HOLDING, str(store / "memory.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        with pytest.raises(StoreError, match=f"process {other.pid}"):
            saved(store, replace=True)
        assert other.stdin is not None
        other.stdin.close()


def without_triggers(store: Path, *statements: str) -> None:
    """Values that no trigger of ours would let through, as a damaged page or another program may leave them."""
    with closing(sqlite3.connect(store / "memory.db")) as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize("is_sound", [True, False])
def test_one_value_that_means_nothing_costs_nothing_else(spoken, store, is_sound):
    shutil.rmtree(store / "archive")
    without_triggers(
        store,
        "UPDATE turns SET said_at = 1 << 62, meta = '[' WHERE key = (SELECT max(key) FROM turns)",
        "UPDATE notes SET tags = '[', expires_at = -1 << 62",
        "UPDATE acts SET detail = 'null', at = 1 << 62 WHERE kind = 'purge'",
        "UPDATE segments SET last = 1 << 61 WHERE key IN (SELECT key FROM notes)",
        "UPDATE meta SET value = 7 WHERE key = 'context_key'",
        "UPDATE namespaces SET name = '' WHERE name = 'work'",
    )
    if not is_sound:
        header_zeroed(store)
    found = saved(store)
    assert sum(found.namespaces.values()) - found.forgotten_turns == len(spoken) and found.notes == 4
    assert_sound(found)


def test_a_schema_that_is_no_text_is_damage_like_any_other(spoken, store):
    change(store, lambda data: data.replace(b"CREATE TABLE turns", b"CREATE TABLE\x8cturns"))
    with pytest.raises(StoreCorrupt, match="--salvage"):
        opened(store).close()
    found = saved(store)
    assert sum(found.namespaces.values()) - found.forgotten_turns == len(spoken)


def test_inner_pages_of_garbage_and_rows_without_end_are_left_out(spoken, store):
    """A child's number cut by the page's end; and a thousand cells that all begin the same row, as long as the file."""
    data = bytearray((store / "memory.db").read_bytes())
    count = len(data) // PAGE
    data[PAGE : PAGE + 14] = struct.pack(">BHHHBIH", 5, 0, 1, 0, 0, 0, PAGE - 2)
    chain = b"".join(struct.pack(">I", count + 2 + n if n < 200 else 0).ljust(PAGE, b"\1") for n in range(1, 201))
    length = 200 * PAGE
    cell = bytes([0x80 | length >> 14, 0x80 | length >> 7 & 0x7F, length & 0x7F, 1])
    local = local_bytes(length, PAGE, True)
    body = cell + bytes(local) + struct.pack(">I", count + 2)
    cells = 40
    page = struct.pack(">BHHHB", 13, 0, cells, 0, 0) + struct.pack(f">{cells}H", *[PAGE - len(body)] * cells)
    data += page.ljust(PAGE - len(body), b"\0") + body + chain
    (store / "memory.db").write_bytes(data)
    image = read_image(store / "memory.db")
    for root in range(1, image.count + 1):
        list(read_tree(image, root))
    assert image.looks <= MOST_LOOKS * image.count and {2, count + 1} <= image.damaged
