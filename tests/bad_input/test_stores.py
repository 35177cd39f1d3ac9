"""Directories, databases, settings and models that cannot be used: said so, left as they are."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path

import pytest

from engramma import BadInput, Config, EmbedderMismatch, Memory, StoreError, UnreadableSource
from engramma.admin.doctor import doctor
from engramma.errors import StoreCorrupt, StoreNotFound, StoreNotWritable, StoreTooNew
from engramma.store.migrate import list_migrations
from engramma.store.sqlite.driver import PAGE_SIZE
from engramma.transfer.export import export_lines
from engramma.transfer.restore import restore
from tests.bad_input.conftest import files_of
from tests.conftest import talk
from tests.crash.processes import answer, started
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long


@pytest.fixture
def store(tmp_path):
    """The directory of a memory that nobody has open."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        memory.remember_session("thread", "monday", talk("Ana: my cat is called Pixel", "Ben: a fine name"))
    return tmp_path / "store"


def reopened(store: Path, **options) -> Memory:
    return Memory.open(store, embedder=HashEmbedder(), **options)


def export_of(store: Path) -> str:
    with reopened(store) as memory:
        assert [check for check in doctor(memory._core) if not check.ok] == []
        return "".join(export_lines(memory._core))


# --- the database -------------------------------------------------------------------------------------------


def pragma(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA {statement}")
    connection.commit()
    connection.close()


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(store, refused):
    expected = export_of(store)
    pragma(store / "memory.db", "user_version = 999")
    before = (store / "memory.db").read_bytes()
    with pytest.raises(StoreTooNew, match=r"schema 999.*pip install -U engramma.*Nothing was changed"):
        reopened(store)
    assert "pip install -U engramma" in refused("--store", store, "stats")
    assert (store / "memory.db").read_bytes() == before
    pragma(store / "memory.db", f"user_version = {list_migrations()[-1][0]}")
    assert export_of(store) == expected


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(store, refused):
    content = b"my shopping list\n" * 1000
    (store / "memory.db").write_bytes(content)
    with pytest.raises(StoreCorrupt, match="engramma restore"):
        reopened(store)
    assert "engramma restore" in refused("--store", store, "stats")
    assert "engramma restore" in refused("--store", store, "remember", "something")
    assert (store / "memory.db").read_bytes() == content


@pytest.mark.parametrize("number", [0, 1, 999])
def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path, refused, number):
    (tmp_path / "s").mkdir()
    path = tmp_path / "s" / "memory.db"
    pragma(path, f"user_version = {number}")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.execute("INSERT INTO recipes VALUES ('soup')")
    connection.commit()
    connection.close()
    with pytest.raises(StoreCorrupt, match=r"another program.*--store"):
        reopened(tmp_path / "s")
    assert "another program" in refused("--store", tmp_path / "s", "remember", "something")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("recipes",)]
    assert connection.execute("SELECT * FROM recipes").fetchall() == [("soup",)]
    connection.close()


def test_a_database_cut_short_is_refused(store, refused):
    path = store / "memory.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreCorrupt, match="engramma restore"), reopened(store) as memory:
        list(export_lines(memory._core))
        memory.recall("Pixel")
    assert "engramma restore" in refused("--store", store, "export")


def test_a_scribbled_page_is_found_by_doctor(store):
    path = store / "memory.db"
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // PAGE_SIZE):
        data[page * PAGE_SIZE : page * PAGE_SIZE + 8] = b"scribble"
    path.write_bytes(data)
    try:
        with reopened(store) as memory:
            assert [check for check in doctor(memory._core) if not check.ok]
    except StoreCorrupt as error:
        assert "engramma restore" in str(error)


def test_an_empty_file_in_the_databases_place_becomes_a_store(tmp_path):
    """As a process killed while making it leaves it."""
    (tmp_path / "s").mkdir(mode=0o700)
    (tmp_path / "s" / "memory.db").touch()
    with reopened(tmp_path / "s") as memory:
        memory.remember_session("c", "s", talk("Ana: hello"))
        assert [check for check in doctor(memory._core) if not check.ok] == []


# --- directories --------------------------------------------------------------------------------------------


def test_a_file_in_the_stores_place_is_refused_and_left_as_it_is(tmp_path, refused):
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    for create in (True, False):
        with pytest.raises(StoreError, match=r"is a file, but a store is a directory.*--store"):
            reopened(path, create=create)
    with pytest.raises(StoreNotWritable, match=r"Cannot create.*--store"):
        reopened(path / "below")
    assert "is a file" in refused("--store", path, "init")
    assert path.read_text() == "mine"


def test_a_directory_in_the_databases_place_is_refused(tmp_path, refused):
    (tmp_path / "s" / "memory.db").mkdir(parents=True)
    with pytest.raises(StoreNotWritable, match=r"memory.db.*--store"):
        reopened(tmp_path / "s")
    assert "memory.db" in refused("--store", tmp_path / "s", "stats")


def test_a_store_that_is_not_there_is_not_made_by_asking(tmp_path, refused):
    with pytest.raises(StoreNotFound, match="engramma init"):
        reopened(tmp_path / "s", create=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreNotFound, match="engramma init"):
        reopened(tmp_path / "empty", create=False)
    for command in (("recall", "x"), ("stats",), ("sessions",), ("export",), ("doctor",), ("show", "x")):
        assert "engramma init" in refused("--store", tmp_path / "s", *command)
    assert not (tmp_path / "s").exists() and list((tmp_path / "empty").iterdir()) == []


def opened_there(folder: Path) -> Memory:
    return Memory.open(folder, embedder=HashEmbedder())


def run_read_only(pipe, folder: Path) -> None:
    """As somebody who may read this directory but not write it."""
    Memory.open(folder / "warm-up", embedder=HashEmbedder()).close()  # imports, while they may be read
    if os.getuid() == 0:  # root may write everywhere: be nobody
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    told = []
    for act in (
        lambda: len(opened_there(folder / "store").sessions()),
        lambda: opened_there(folder / "store").remember_session("c", "new", talk("Ana: hello")),
        lambda: opened_there(folder / "new"),
    ):
        try:
            told.append(("opened", str(act())))
        except Exception as error:
            told.append((type(error).__name__, str(error)))
    pipe.send(told)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="this system has no other users to become")
def test_a_directory_that_may_not_be_written_is_read_and_left_as_it_is(store):
    folder = Path(tempfile.mkdtemp())  # not below tmp_path, which only its owner may enter
    try:
        expected = export_of(store)
        shutil.copytree(store, folder / "store")
        (folder / "warm-up").mkdir()
        before = files_of(folder / "store")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() and path.name != "warm-up" else 0o777 if path.is_dir() else 0o444)
        with started(run_read_only, folder) as (_, says):
            told = answer(says)
        assert [kind for kind, _ in told] == ["opened", "StoreNotWritable", "StoreNotWritable"], told
        assert int(told[0][1]) and "nothing was stored" in told[1][1] and "--store" in told[2][1]
        assert files_of(folder / "store") == before and not (folder / "new").exists()
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(stat.S_IRWXU)
    assert export_of(folder / "store") == expected
    shutil.rmtree(folder)


def test_an_export_or_backup_that_cannot_be_written_is_refused(store, tmp_path, refused, engramma):
    before = export_of(store)
    (tmp_path / "folder").mkdir()
    assert "Cannot write" in refused("--store", store, "export", tmp_path / "no such folder" / "x.jsonl")
    assert "Cannot write" in refused("--store", store, "export", tmp_path / "folder")
    assert "Cannot write" in refused("--store", store, "backup", tmp_path / "no such folder" / "x.zip")
    assert "already exists" in refused("--store", store, "backup", tmp_path / "folder")
    left = [path for path in tmp_path.rglob(".*") if path.name not in (".", "..")]
    assert left == [], "nothing half-written is left"
    assert export_of(store) == before


def test_a_backup_that_is_none_is_refused_and_makes_no_store(tmp_path, refused):
    (tmp_path / "x.zip").write_bytes(b"PK not a zip")
    for source in ("x.zip", "missing.zip"):
        with pytest.raises((StoreError, UnreadableSource), match=r"x.zip|missing.zip"):
            restore(tmp_path / source, tmp_path / "s")
        assert source in refused("--store", tmp_path / "s", "restore", tmp_path / source)
    assert not (tmp_path / "s" / "memory.db").exists()


# --- settings -----------------------------------------------------------------------------------------------

WRONG_SETTINGS = {
    "x = ": "not valid TOML.*Fix or delete it",
    "edge_cpa = 3": "unknown setting edge_cpa. Known: archive_after_days, busy_seconds, consolidate_days, daemon",
    "edge_cap = 0": "edge_cap must be 1 to 200",
    'edge_cap = "many"': "edge_cap must be 1 to 200",
    "edge_cap = true": "edge_cap must be 1 to 200",
    "edge_floor = 1.5": "edge_floor must be between 0 and 1",
    "idle_minutes = 0": "idle_minutes must be above 0",
    "idle_minutes = nan": "idle_minutes must be above 0",
    "idle_minutes = inf": "idle_minutes must be above 0 and at most",
    "busy_seconds = -1": "busy_seconds must be 0 to 86,400",
    "busy_seconds = inf": "busy_seconds must be 0 to 86,400",
    "max_turn_bytes = 0": "max_turn_bytes must be",
    'max_turn_bytes = "4 MB"': "max_turn_bytes must be",
    "embedder = 3": "embedder must be a string",
    "recipes = 3": "recipes must be a table",
    "[recipes]\ndefault = 3": "recipes.default must be a table",
    "[recipes.defualt]\nlateral = 1": "no recipe defualt. Known: default, best, pmg, pocketpaw, pgmemory, takizen",
    "[recipes.default]\nlatreal = 1": "unknown latreal. Known: budget_tokens",
    '[recipes.default]\nlateral = "x"': "lateral must be a whole number from 0",
    "[recipes.pmg]\nvertical = -1": "vertical must be a whole number from 0",
    "[recipes.default]\nentries = 0": "entries must be a whole number from 1",
    "[recipes.default]\nbudget_tokens = 1.5": "budget_tokens must be a whole number from 1",
    "[recipes.default]\nfloor = true": "floor must be a number",
    "[recipes.default]\ndedup = nan": "dedup must be a number",
    '[recipes.default]\nthresholds = "some"': "thresholds must be fixed, auto or none",
    '[recipes.default]\nchannels = "semantic"': "channels cannot be 'semantic'",
    "[recipes.default]\nchannels = []": "channels must be some of semantic, lexical, graph",
    '[recipes.default]\nchannels = ["smell"]': "channels must be some of semantic, lexical, graph",
    '[recipes.takizen]\nchannels = ["graph"]': "channels must be semantic or lexical as well",
    '[recipes.vector]\nchannels = ["semantic", "lexical"]': "fusion must be rrf or evidence, with several channels",
    '[recipes.default]\nfusion = "sum"': "fusion must be none, rrf or evidence",
    "[recipes.default]\nweights = 3": "weights cannot be 3",
    "[recipes.default.weights]\nmenaing = 1": "weights must be numbers for some of meaning, meaning_rank",
    '[recipes.default.weights]\nmeaning = "much"': "weights must be numbers for some of meaning",
    "[recipes.default.weights]\nmeaning = nan": "weights must be numbers for some of meaning",
    "[recipes.default.weights]\nmeaning = true": "weights must be numbers for some of meaning",
    "[recipes.pgmemory]\nmmr = 1.5": "mmr must be a number from 0 to 1",
    "[recipes.pgmemory]\nmmr = true": "mmr must be a number from 0 to 1",
    "[recipes.pgmemory]\nrrf_k = 0": "rrf_k must be a whole number from 1 to 100,000",
    "[recipes.vector]\nhalf_life_days = 0": "half_life_days must be a number of days above 0",
    "[recipes.vector]\nhalf_life_days = inf": "half_life_days must be a number of days above 0",
    "[recipes.default]\npool = 1.5": "pool must be a whole number from 1 to 1,000",
    "[recipes.takizen]\nhops = 3": "hops must be a whole number from 1 to 2",
    "[recipes.takizen]\ncap = 0": "cap must be a whole number from 1 to 1,000",
    "prune_below = 2": "prune_below must be between 0 and 1",
    "merge_floor = 0": "merge_floor must be between 0 and 1",
    "grace_days = -1": "grace_days must be 0 to 36,600 days",
    "consolidate_days = true": "consolidate_days must be 0 to 36,600 days",
    "archive_after_days = 0": "archive_after_days must be above 0",
    "archive_after_days = nan": "archive_after_days must be 0 to 36,600 days",
    '[recipes.default]\nname = "mine"': "unknown name. Known: budget_tokens, cap, channels",
}


@pytest.mark.parametrize("text", WRONG_SETTINGS)
def test_settings_that_cannot_work_are_refused_by_name(store, text):
    expected = export_of(store)
    (store / "config.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=f"(?s)config.toml.*{WRONG_SETTINGS[text]}"):
        reopened(store)
    (store / "config.toml").unlink()
    assert export_of(store) == expected


def test_settings_that_cannot_be_read_are_refused(store, refused):
    path = store / "config.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"config.toml cannot be read.*Fix or delete it"):
        reopened(store)
    assert "Fix or delete it" in refused("--store", store, "stats")
    path.unlink()
    path.mkdir()
    with pytest.raises(BadInput, match=r"config.toml cannot be read.*Fix or delete it"):
        reopened(store)
    path.rmdir()
    path.write_text("edge_cap = ", encoding="utf-8")
    assert "not valid TOML" in refused("--store", store, "remember", "x")


def test_settings_given_in_code_are_looked_at_too(tmp_path):
    for wrong in (Config(edge_cap=0), Config(recipes={"default": {"lateral": "x"}}), Config(busy_seconds=-1)):
        with pytest.raises(BadInput):
            Memory.open(tmp_path / "s", embedder=HashEmbedder(), config=wrong)


# --- models -------------------------------------------------------------------------------------------------


def test_another_embedder_than_the_stores_is_refused_with_the_way_to_change(store, refused, tmp_path):
    expected = export_of(store)
    with pytest.raises(EmbedderMismatch, match=r"embedded with hash-words.*engramma reindex --embedder"):
        Memory.open(store, embedder=HashEmbedder("other"))
    (store / "config.toml").write_text('embedder = "engramma-mini-1"', encoding="utf-8")
    assert "engramma reindex --embedder engramma-mini-1" in refused("--store", store, "recall", "Pixel")
    assert "engramma reindex --embedder engramma-mini-1" in refused("--store", store, "remember", "more")
    (store / "config.toml").unlink()
    assert export_of(store) == expected
