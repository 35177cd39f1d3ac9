"""Words of stores that an older version wrote: made when they are opened, by one of many, also after a crash."""

from __future__ import annotations

import re
import sqlite3
import threading

import pytest

from engramma.language.lexical import searchable, terms
from engramma.store import words as words_module
from engramma.store.migrate import list_migrations, split_statements
from engramma.store.sqlite.database import SqliteDatabase
from engramma.store.store import Store
from tests.store.test_words import execute, fill, found, opened, unwell


def as_schema_1(path):
    """Take a store back to what the first schema had."""
    for later in reversed(list_migrations()[1:]):
        made = [statement for statement in split_statements(later[1]) if "CREATE" in statement]
        indexes = re.findall(r"CREATE INDEX (\w+)", later[1])
        columns = re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+)", later[1])
        tables = re.findall(r"CREATE TABLE (\w+)", later[1])
        triggers = re.findall(r"CREATE TRIGGER (\w+)", later[1])
        assert len(made) == len(indexes) + len(tables) + len(triggers)
        execute(path, *(f"DROP TRIGGER IF EXISTS {name}" for name in triggers))
        execute(path, *(f"DROP INDEX {name}" for name in indexes), *(f"DROP TABLE {name}" for name in tables))
        execute(path, *(f"ALTER TABLE {table} DROP COLUMN {column}" for table, column in columns))
        for name in re.findall(r"DROP INDEX (\w+)", later[1]):  # it took the place of one from before
            execute(path, *(one for one in split_statements(list_migrations()[0][1]) if f"CREATE INDEX {name} " in one))
    connection = sqlite3.connect(path / "memory.db")
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'").fetchall()
    connection.close()
    drops = [f"DROP TABLE {name}" for (name,) in sorted(tables)]
    execute(path, *drops, "DELETE FROM meta WHERE key LIKE 'words%'", "PRAGMA user_version = 1")
    connection = sqlite3.connect(path / "memory.db")
    expected = sqlite3.connect(":memory:")
    for statement in split_statements(list_migrations()[0][1]):
        expected.execute(statement)
    names = "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name"
    assert connection.execute(names).fetchall() == expected.execute(names).fetchall()
    connection.close()
    expected.close()


@pytest.fixture
def old(tmp_path):
    """A store of schema 1 with two namespaces, and what its words should find."""
    answers = {}
    for name in ("default", "work"):
        with opened(tmp_path / "old", name) as memory:
            fill(memory, 3 if name == "work" else 5)
            answers[name] = memory._core.store.search_words(terms("rain soup token1 slow"), 50)
    as_schema_1(tmp_path / "old")
    return tmp_path / "old", answers


def test_a_store_of_the_first_schema_opens_and_finds(old):
    path, answers = old
    for name in ("default", "work"):
        with opened(path, name) as memory:
            assert memory._core.store.search_words(terms("rain soup token1 slow"), 50) == answers[name]
            assert unwell(memory) == {}
            fill(memory, 6)
            assert found(memory, "token5") == ["seg_c/s5_2"]
    assert list_migrations()[-1][0] == len(list_migrations())


def test_a_crash_while_the_words_are_built_starts_again(old, monkeypatch):
    path, answers = old
    calls = []

    def dies(text):
        calls.append(text)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return searchable(text)

    with monkeypatch.context() as patch:
        patch.setattr(words_module, "FILL_CHUNK", 3)
        patch.setattr(words_module, "searchable", dies)
        with pytest.raises(KeyboardInterrupt):
            opened(path)
    with opened(path) as memory:
        assert memory._core.store.search_words(terms("rain soup token1 slow"), 50) == answers["default"]
        assert unwell(memory) == {}


def test_many_may_open_an_old_store_at_once(old):
    path, answers = old
    found, barrier = [], threading.Barrier(6)

    def work():
        barrier.wait()
        database = SqliteDatabase(path / "memory.db", busy_seconds=20)
        found.append(Store(database, "default").search_words(terms("rain soup token1 slow"), 50))
        database.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [answers["default"]] * 6


def test_a_backup_of_the_first_schema_is_restored_with_words(old, tmp_path):
    path, answers = old
    connection = sqlite3.connect(path / "memory.db")
    copy = sqlite3.connect(tmp_path / "plain.db")
    connection.backup(copy)
    connection.close()
    copy.close()
    database = SqliteDatabase(tmp_path / "plain.db", busy_seconds=1, create=False)  # what restore opens it with
    database.close()
    (tmp_path / "new").mkdir()
    (tmp_path / "plain.db").rename(tmp_path / "new" / "memory.db")
    with opened(tmp_path / "new") as memory:
        assert memory._core.store.search_words(terms("rain soup token1 slow"), 50) == answers["default"]
