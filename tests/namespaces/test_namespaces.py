"""Namespaces as walls: listed, made, renamed and deleted, and nothing is left where nothing should be."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from datetime import UTC, datetime

import pytest

from engramma import BadInput, Memory
from engramma.admin.doctor import doctor_all
from engramma.errors import StoreFull, StoreNotFound, StoreNotWritable
from engramma.ingest.waiting_segments import finish_pending
from engramma.store.namespaces import DROP
from engramma.store.sqlite.database import SqliteDatabase, load_sqlite_queries
from tests.commands import ran
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")


def open_on(path, namespace="default", **options) -> Memory:
    return Memory.open(path, namespace, embedder=HashEmbedder(), **options)


@pytest.fixture
def store(tmp_path):
    """A store with three namespaces: default with nothing in it, and two with talk and notes."""
    path = tmp_path / "store"
    for name, word in (("work", "kerosene"), ("home", "marmalade")):
        with open_on(path, name) as memory:
            memory.remember_session(f"{word} talks", f"{word} monday", talk(f"{word.title()}: we need more {word}"))
            memory.remember(f"the {word} is in the cellar, Zürich", tags=[f"tag-{word}"], source=f"{word}.txt")
            memory.remember(f"the {word} is in the cellar, Zürich", source="again.txt")
    open_on(path).close()
    return path


def files_with(path, word: str) -> list[str]:
    """The files of a store that have a word in their bytes or in their path."""
    needles = [word.encode(), word.title().encode(), word.upper().encode()]
    found = [file for file in path.rglob("*") if file.is_file()]
    return [
        str(file.relative_to(path))
        for file in found
        if word in str(file.relative_to(path)).lower() or any(needle in file.read_bytes() for needle in needles)
    ]


def tables_with_rows(path) -> dict[str, set[int]]:
    """Of every table with a column ns: the numbers in it."""
    connection = sqlite3.connect(path / "memory.db")
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    owned = [t for t in names if "ns" in {row[1] for row in connection.execute(f"PRAGMA table_info({t})")}]
    found = {t: {row[0] for row in connection.execute(f"SELECT DISTINCT ns FROM {t}")} for t in owned}  # noqa: S608
    connection.close()
    return found


# --- list and create ------------------------------------------------------------------------------------------------


def test_every_namespace_is_listed_with_its_size(store):
    with open_on(store) as memory:
        infos = memory.namespaces.all()
    assert [(i.name, i.segments, i.notes) for i in infos] == [("default", 0, 0), ("home", 2, 1), ("work", 2, 1)]
    said = "we need more marmalade", "the marmalade is in the cellar, Zürich"
    assert infos[1].text_bytes == sum(len(text.encode()) for text in said)
    assert abs((datetime.now(UTC) - infos[1].created).total_seconds()) < 600


def test_a_made_namespace_is_empty_and_can_be_opened(store):
    with open_on(store) as memory:
        made = memory.namespaces.create("garden")
        assert (made.name, made.segments) == ("garden", 0)
        with pytest.raises(BadInput, match="There is already a namespace 'garden'"):
            memory.namespaces.create("garden")
        for bad in ("", "  ", "a\nb", "x" * 201, None):
            with pytest.raises(BadInput, match="1 to 200 printable"):
                memory.namespaces.create(bad)
    with open_on(store, "garden", create=False) as garden:
        assert garden.remember("roses need pruning").is_new


# --- rename ---------------------------------------------------------------------------------------------------------


@pytest.mark.not_on("encrypted")
def test_renaming_keeps_everything_and_moves_the_archive(store):
    with open_on(store, "work") as memory:
        before = memory.graph(), memory.notes.all(), list(memory.conversations())
    old = sorted(p.relative_to(store / "archive" / "work") for p in (store / "archive" / "work").rglob("*.txt"))
    with open_on(store) as memory:
        assert memory.namespaces.rename("work", "office").name == "office"
    assert not (store / "archive" / "work").exists()
    new = store / "archive" / "office"
    assert sorted(p.relative_to(new) for p in new.rglob("*.txt")) == old and old
    assert all(p.read_text(encoding="utf-8").startswith("namespace: office\n") for p in new.rglob("*.txt"))
    with open_on(store, "office", create=False) as memory:
        assert (memory.graph(), memory.notes.all(), list(memory.conversations())) == before
        assert memory._core.store.sessions_pending() == []
        assert [check for check in doctor_all(memory._core) if not check.ok] == []


@pytest.mark.not_on("encrypted")
def test_the_open_namespace_can_be_renamed_and_goes_on(store):
    with open_on(store, "work") as memory:
        memory.namespaces.rename("work", "office")
        assert memory.namespace == "office"
        assert memory.remember("lamps need bulbs").is_new
        assert memory.recall("kerosene", recipe="vector").candidates
    assert {p.name for p in (store / "archive").iterdir() if p.is_dir()} == {"office", "home"}


def test_default_can_be_renamed_and_comes_back_empty(store):
    with open_on(store) as memory:
        memory.remember("this was meant for the club")
        memory.namespaces.rename("default", "club")
    with open_on(store) as memory:
        assert {i.name: i.notes for i in memory.namespaces.all()} == {"club": 1, "default": 0, "home": 1, "work": 1}


@pytest.mark.not_on("encrypted")
def test_a_name_that_is_taken_or_unknown_is_refused(store):
    with open_on(store) as memory:
        with pytest.raises(BadInput, match="There is already a namespace 'home'"):
            memory.namespaces.rename("work", "home")
        with pytest.raises(StoreNotFound, match=r"There is no namespace 'wrok'.*default, home, work"):
            memory.namespaces.rename("wrok", "office")
        with pytest.raises(BadInput, match="1 to 200 printable"):
            memory.namespaces.rename("work", "\x07")
        assert [i.name for i in memory.namespaces.all()] == ["default", "home", "work"]
    assert (store / "archive" / "work").exists()


# --- delete ---------------------------------------------------------------------------------------------------------


@pytest.mark.not_on("postgres", "encrypted")
def test_nothing_of_a_deleted_namespace_is_in_any_file(store):
    assert files_with(store, "kerosene")
    (store / "index").mkdir(exist_ok=True)
    with open_on(store, "work") as memory:
        gone = memory._core.store.ns
        first, second = (segment.id for segment in memory.graph()[0])
        memory.links.add(first, "supports", second, label="kerosene label")
        memory.topics.find()
    for name in (f"{gone}.vectors", f"{gone}.vectorsx1.new"):
        (store / "index" / name).write_bytes(b"kerosene")
    with open_on(store, "home") as memory:
        memory.namespaces.delete("work")
        assert [i.name for i in memory.namespaces.all()] == ["default", "home"]
        assert files_with(store, "kerosene") == []
        assert memory._core.store.meta(f"words_form_{memory._core.store.ns}") is not None
        assert [check for check in doctor_all(memory._core) if not check.ok] == []
    assert files_with(store, "kerosene") == [] and files_with(store, "marmalade")
    assert all(gone not in numbers for numbers in tables_with_rows(store).values())
    connection = sqlite3.connect(store / "memory.db")
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema UNION ALL SELECT key FROM meta")]
    connection.close()
    assert [name for name in names if re.match(rf"[a-z_]+_{gone}(_|$)", name) and "autoindex" not in name] == []


@pytest.mark.not_on("postgres", "encrypted")
def test_traces_of_a_deleted_namespace_that_found_no_room_are_told_and_wiped_later(store, monkeypatch):
    def no_room(_):
        raise StoreFull("No space left")

    with open_on(store, "home") as memory:
        with monkeypatch.context() as patched:
            patched.setattr(SqliteDatabase, "wipe", no_room)
            with pytest.raises(StoreFull, match=r"'work' is deleted.*no space left.*doctor --fix"):
                memory.namespaces.delete("work")
        assert [i.name for i in memory.namespaces.all()] == ["default", "home"]
        wrong = [check for check in doctor_all(memory._core) if not check.ok]
        assert [check.name for check in wrong] == ["traces of what was deleted"]
        assert files_with(store, "kerosene")
        assert [check for check in doctor_all(memory._core, fix=True) if not check.ok] == []
        assert files_with(store, "kerosene") == []


@pytest.mark.not_on("postgres", "encrypted")
def test_no_table_with_a_namespace_is_forgotten_when_one_is_deleted(store):
    dropped = {name.removeprefix(DROP) for name in load_sqlite_queries() if name.startswith(DROP)}
    assert dropped - {"words", "terms", "cold", "meta"} == set(tables_with_rows(store)), (
        "Each table with a column ns needs a query namespace_drop_<table> in store/sql/shared/namespaces.sql."
    )


def test_a_deleted_name_can_be_used_again_and_is_empty(store):
    with open_on(store) as memory:
        memory.namespaces.delete("work")
        memory.namespaces.create("work")
    with open_on(store, "work") as memory:
        assert memory.notes.all() == [] and memory.graph() == ([], []) and memory.acts.all() == []
        assert memory.recall("kerosene", recipe="bm25").candidates == ()


def test_the_open_namespace_and_an_unknown_one_are_not_deleted(store):
    with open_on(store, "work") as memory:
        with pytest.raises(BadInput, match="This memory is open on the namespace 'work'"):
            memory.namespaces.delete("work")
        with pytest.raises(StoreNotFound, match="There is no namespace 'wrok'"):
            memory.namespaces.delete("wrok")
        assert len(memory.notes.all()) == 1


def test_default_can_be_deleted_from_another(store):
    with open_on(store) as memory:
        memory.remember("a secret about turpentine")
    with open_on(store, "home") as memory:
        memory.namespaces.delete("default")
    assert files_with(store, "turpentine") == []
    with open_on(store) as memory:
        assert memory.notes.all() == []


@pytest.mark.not_on("encrypted")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may delete everything")
def test_files_that_cannot_be_deleted_stop_it_before_anything_is_lost(store):
    folder = store / "archive" / "work"
    folder.chmod(0o500)
    try:
        with open_on(store) as memory, pytest.raises(StoreNotWritable, match="Cannot delete"):
            memory.namespaces.delete("work")
    finally:
        folder.chmod(0o700)
    with open_on(store, "work", create=False) as memory:
        assert len(memory.notes.all()) == 1


@pytest.mark.not_on("encrypted")
@pytest.mark.parametrize("what", ["rename", "delete"])
def test_an_interrupt_before_the_commit_loses_nothing(store, monkeypatch, what):
    """As if the power went when the files were gone and the database was not written yet."""

    def pull_the_plug(folder):
        original(folder)
        raise KeyboardInterrupt

    original = shutil.rmtree
    monkeypatch.setattr(shutil, "rmtree", pull_the_plug)
    with open_on(store) as memory, pytest.raises(KeyboardInterrupt):
        memory.namespaces.rename("work", "office") if what == "rename" else memory.namespaces.delete("work")
    monkeypatch.undo()
    with open_on(store, "work", create=False) as memory:
        finish_pending(memory._core)
        assert len(memory.notes.all()) == 1
        assert len(list((store / "archive" / "work").rglob("*.txt"))) == 2
        assert [check for check in doctor_all(memory._core) if not check.ok] == []


# --- whoever has it open --------------------------------------------------------------------------------------------


def uses(memory):
    """Calls that read and write in their own ways."""
    return {
        "remember": lambda: memory.remember("more talk about lamps"),
        "remember_session": lambda: memory.remember_session("c", "s", talk("Ann: hello")),
        "live session": lambda: memory.session("c", "live").add("Ann", "hello", datetime.now(UTC)),
        "recall": lambda: memory.recall("kerosene"),
        "match": lambda: memory.recall("kerosene", recipe="vector").entries,
        "graph": memory.graph,
        "ask": lambda: memory.ask("What is kerosene for?"),
        "person": lambda: memory.people.get("Ann"),
    }


@pytest.mark.not_on("encrypted")
@pytest.mark.parametrize("what", ["renamed to 'office'", "deleted"])
def test_whoever_has_it_open_is_told_and_nothing_is_stored_under_an_orphan_number(store, what):
    with open_on(store, "work") as memory, open_on(store) as other:
        memory.recall("kerosene")  # its index is loaded
        number = memory._core.store.ns
        if what == "deleted":
            other.namespaces.delete("work")
        else:
            other.namespaces.rename("work", "office")
        before = tuple(other._core.store.database.all("counts", {"ns": number})[0])
        for name, call in uses(memory).items():
            with pytest.raises(StoreNotFound, match=f"'work' was {what} while it was open"):
                call()
                pytest.fail(f"{name} went on")
        assert tuple(other._core.store.database.all("counts", {"ns": number})[0]) == before
    assert not (store / "archive" / "work").exists()
    if what == "deleted":
        assert all(number not in numbers for numbers in tables_with_rows(store).values())


def test_closing_writes_no_index_of_a_deleted_namespace(store, monkeypatch):
    monkeypatch.setattr("engramma.index.live.EXACT_LIMIT", 1)
    monkeypatch.setattr("engramma.index.live.SAVE_AFTER", 1)
    with open_on(store, "home") as memory:
        memory.recall("marmalade")
        kept = memory._core.store.ns
    with open_on(store, "work") as memory, open_on(store) as other:
        memory.recall("kerosene")
        gone = memory._core.store.ns
        other.namespaces.delete("work")
    names = {p.name for p in (store / "index").iterdir()}
    assert f"{kept}.vectors" in names and f"{gone}.vectors" not in names


# --- the commands ---------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path):
    def call(*arguments, code=0):
        result = ran("--store", tmp_path / "cli", *arguments, cwd=tmp_path)
        assert result.returncode == code and "Traceback" not in result.stderr, result.stderr
        return result

    return call


@pytest.mark.not_on("encrypted")
def test_the_commands_list_create_rename_and_delete(run):
    assert json.loads(run("namespace", "create", "work", "--json").stdout)["name"] == "work"
    run("remember", "the ladder is in the shed", "-n", "work")
    assert "work     1 segment, 1 note, 25 B of text" in run("namespace", "list").stdout
    assert run("namespace", "rename", "work", "office").stdout == "The namespace work is now called office.\n"
    listed = json.loads(run("namespace", "list", "--json").stdout)
    assert [(i["name"], i["notes"]) for i in listed] == [("default", 0), ("office", 1)]
    asked = run("namespace", "delete", "office", code=1)
    assert "office holds 1 segment. Deletion is final" in asked.stderr and not asked.stdout
    assert "Deletion is final" in run("namespace", "delete", "office", "--yes", "offic", code=1).stderr
    here = run("-n", "office", "namespace", "delete", "office", "--yes", "office", code=1)
    assert "open on the namespace 'office'" in here.stderr
    gone = json.loads(run("namespace", "delete", "office", "--yes", "office", "--json").stdout)
    assert gone["deleted"]["segments"] == 1
    assert "There is no namespace 'office'" in run("namespace", "delete", "office", "--yes", "office", code=1).stderr
    assert [i["name"] for i in json.loads(run("namespace", "list", "--json").stdout)] == ["default"]


@pytest.mark.not_on("encrypted")
def test_the_commands_match_and_neighbors(run):
    for text in ("the red bicycle has a flat tyre", "the red bicycle has a new tyre now", "soup is best with leek"):
        run("remember", text)
    found = json.loads(run("match", "bicycle tyre", "-k", "2", "--json").stdout)
    assert len(found) == 2 and all("bicycle" in c["text"] for c in found)
    assert "bicycle" in run("match", "bicycle tyre", "--hybrid").stdout.splitlines()[0]
    ids = [c["segment_id"] for c in found]
    run("link", ids[0], "before", ids[1])
    (near,) = [n for n in json.loads(run("neighbors", ids[0], "--json").stdout) if n["id"] == ids[1]]
    assert near["hops"] == 1 and near["path"] == ids
    assert f"{ids[1]}" in run("neighbors", ids[0], "--hops", "2").stdout
    assert "hops must be 1 or 2" in run("neighbors", ids[0], "--hops", "3", code=1).stderr
