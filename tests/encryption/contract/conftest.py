"""The tests of the store, of recall, the graph, the steward, forgetting and people once more, unchanged, encrypted.

A module here takes over all that another one has; there it runs on a plain store.
"""

from __future__ import annotations

import inspect

import pytest

pytest.importorskip("sqlcipher3")

from engramma.encryption.access import known
from engramma.encryption.keys import is_encrypted, new_keys, wrap, write_record
from engramma.store.engine import DATABASE_FILE, open_database

# What a test says that looks into SQLite's file itself, by Python's own library.
OF_SQLITE = ("sqlite3", "sql_of(", "Database(", "SqliteRows(")
# These read the archive as text, write settings that an encrypted store refuses, or run a command as a child.
ELSEWHERE: set[str] = set()


def opened_encrypted(folder, settings, *, busy_seconds, create):
    """Give every store that a test makes a key before its database is made."""
    if create and not is_encrypted(folder) and not (folder / DATABASE_FILE).exists():
        keys = new_keys()
        write_record(folder, wrap(keys, "file", b"a key file that these tests never read"))
        known[keys.id] = keys
    return open_database(folder, settings, busy_seconds=busy_seconds, create=create)


@pytest.fixture(scope="package", autouse=True)
def encrypted_stores():
    """Every store that a test opens here is encrypted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engramma.memory.open_database", opened_encrypted)
        yield


def pytest_collection_modifyitems(config, items):
    here = [item for item in items if "tests/encryption/contract/" in item.nodeid.replace("\\", "/")]
    left_out = {item for item in here if of_sqlite(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def of_sqlite(item) -> bool:
    source = inspect.getsource(item.function)
    return item.function.__name__ in ELSEWHERE or any(word in source for word in OF_SQLITE)
