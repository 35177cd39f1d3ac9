"""A store that is refused is let go of: no connection to its file stays open, whoever keeps the error."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engramma import Memory
from engramma.config.settings import Config
from engramma.errors import EngrammaError
from engramma.store.copy_tables import MOVING, SqliteRows
from engramma.transfer.restore import reset_derived_files
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc/self/fd")


def descriptors(folder: Path) -> list[str]:
    """The files below a folder that this process has open."""
    found = []
    for number in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(number.readlink()))
        except OSError:  # the listing's own
            continue
    return [name for name in found if name.startswith(str(folder))]


def changed(path: Path, *statements: str, values: tuple[str, ...] = ()) -> None:
    with closing(sqlite3.connect(path / "memory.db", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement, values)


def is_newer(path: Path) -> None:
    changed(path, "PRAGMA user_version = 9999")


def is_something_else(path: Path) -> None:
    changed(path, "PRAGMA user_version = 0", "DROP TABLE meta")


def is_no_database(path: Path) -> None:
    (path / "memory.db").write_bytes(b"Dear diary, this is no database at all. " * 500)


def is_cut(path: Path) -> None:
    whole = (path / "memory.db").read_bytes()
    (path / "memory.db").write_bytes(whole[: len(whole) // 3])


def is_half_copied(path: Path) -> None:
    changed(path, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values=(MOVING, "x"))


@pytest.fixture
def store(tmp_path):
    Memory.open(tmp_path / "store", embedder=HashEmbedder()).close()
    changed(tmp_path / "store", "PRAGMA journal_mode = DELETE")
    return tmp_path / "store"


@pytest.mark.parametrize("spoil", [is_newer, is_something_else, is_no_database, is_cut, is_half_copied])
def test_a_store_that_cannot_be_used_is_let_go_of(store, spoil):
    spoil(store)
    with pytest.raises(EngrammaError) as refused:
        Memory.open(store, embedder=HashEmbedder())
    assert refused.value.__traceback__ is not None  # its frames are still there, and hold nothing open
    assert descriptors(store) == []


@pytest.mark.parametrize(
    "wanted",
    [
        {"namespace": "nobody", "create": False},
        {"namespace": "a\0b"},
        {"embedder": "ollama:"},
        {"config": Config(recipes={"default": {"no such setting": 1}})},
    ],
    ids=["no such namespace", "no name", "no embedder", "no recipe"],
)
def test_who_asks_for_what_is_not_there_leaves_nothing_open(store, wanted):
    with pytest.raises(EngrammaError):
        Memory.open(store, **wanted)
    assert descriptors(store) == []


def test_a_copy_or_backup_that_cannot_be_read_is_let_go_of(store):
    is_no_database(store)
    with pytest.raises(sqlite3.DatabaseError) as refused:
        SqliteRows(store / "memory.db")
    with pytest.raises(EngrammaError) as damaged:
        reset_derived_files(store / "memory.db")
    assert refused.value and damaged.value and descriptors(store) == []
