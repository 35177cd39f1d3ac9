"""The engines a store may be on: `pytest --engine NAME` runs what is marked `on` it once more, unchanged, there.

A module of the contract says `pytestmark = pytest.mark.on("postgres", "encrypted")`; a test of it that looks into
SQLite's own file says `@pytest.mark.not_on(...)`. Without --engine everything runs on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

ENGINES = ("postgres", "encrypted")
OPEN = "engramma.namespaces.open.open_database"


def is_wanted(item: pytest.Item, engine: str) -> bool:
    chosen = {name for mark in item.iter_markers("on") for name in mark.args}
    refused = {name for mark in item.iter_markers("not_on") for name in mark.args}
    if unknown := (chosen | refused) - set(ENGINES):
        raise pytest.UsageError(f"{item.nodeid}: no engine is called {', '.join(sorted(unknown))}")
    return engine in chosen - refused


@contextmanager
def encrypted_stores() -> Iterator[None]:
    """Give every store that a test makes a key before its database is made."""
    from engramma.encryption.access import known
    from engramma.encryption.keys import is_encrypted, new_keys, wrap, write_record
    from engramma.store.engine import DATABASE_FILE, open_database

    def opened(folder, settings, *, busy_seconds, create):
        if create and not is_encrypted(folder) and not (folder / DATABASE_FILE).exists():
            keys = new_keys()
            write_record(folder, wrap(keys, "file", b"a key file that these tests never read"))
            known[keys.id] = keys
        return open_database(folder, settings, busy_seconds=busy_seconds, create=create)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPEN, opened)
        yield


@contextmanager
def postgres_stores(schemas) -> Iterator[None]:
    """Give every store that a test makes a schema of the private server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPEN, schemas.open)
        yield
