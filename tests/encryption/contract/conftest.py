"""The tests of the store, of recall, the graph, the steward, forgetting and people once more, unchanged, encrypted.

A module here takes over all that another one has; there it runs on a plain store.
"""

from __future__ import annotations

import inspect
import os

import pytest

pytest.importorskip("sqlcipher3")

from engramma.encryption.access import known
from engramma.encryption.keys import is_encrypted, new_keys, wrap, write_record
from engramma.store.engine import DATABASE_FILE, open_database

# What a test says that looks into SQLite's file itself by Python's own library, or into the archive's text files.
OF_PLAIN = ("sqlite3", "sql_of(", "Database(", "SqliteRows(", "archive_of(", "bytes_of(", '"archive"', "ARCHIVE_FOLDER")
# These do so in a helper, or start processes that would need the key; tests/encryption has its own of both.
ELSEWHERE = {
    "test_an_interrupt_before_the_commit_loses_nothing",
    "test_doctor_finds_wrong_words_and_mends_them",
    "test_damaged_words_do_not_keep_anybody_from_the_rest",
    "test_a_forced_reindex_builds_the_words_of_every_namespace_anew",
    "test_no_table_with_a_namespace_is_forgotten_when_one_is_deleted",
    "test_whoever_has_it_open_is_told_and_nothing_is_stored_under_an_orphan_number",
    "test_many_processes_decide_everything_once",
}
# Always; the rest with ENGRAMMA_LONG, as `make engines` does.
ALWAYS = ("memory", "notes", "forget", "words", "graph_calls", "namespaces", "people_claims", "steward", "revise")


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
        patch.setattr("engramma.namespaces.open.open_database", opened_encrypted)
        yield


def pytest_collection_modifyitems(config, items):
    here = [item for item in items if "tests/encryption/contract/" in item.nodeid.replace("\\", "/")]
    left_out = {item for item in here if of_plain(item) or is_later(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def of_plain(item) -> bool:
    source, name = inspect.getsource(item.function), item.function.__name__
    return name in ELSEWHERE or "command" in name or any(word in source for word in OF_PLAIN)


def is_later(item) -> bool:
    return not os.environ.get("ENGRAMMA_LONG") and item.path.stem.removeprefix("test_") not in ALWAYS
